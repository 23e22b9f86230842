import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { When } from '../../parts/figure.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { StateBadge } from '../../parts/words.tsx'
import { useQuery } from '../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'

const page_rows = 25

/** What the operator of this engine can do on its command line. */
function Command({ words: { says, command } }: { words: { says: string; command: string } }) {
  return (
    <>
      {says} <code>{command}</code>.
    </>
  )
}

export function Endpoints() {
  const why_not = useWhyNot('MAZE', 'list')
  if (why_not) return <NoRight protocol="MAZE" operation="list" />
  return (
    <>
      <EndpointList />
      <PluginList />
    </>
  )
}

function EndpointList() {
  const { whoami } = useSession()
  const served = Map.groupBy(whoami.operations, ({ protocol }) => protocol)
  const pages = usePages<string>()
  const query = useQuery(`endpoints ${pages.cursor}`, (client, signal) =>
    client.maze.list(
      { kind: 'endpoints', limit: page_rows, ...(pages.cursor ? { cursor: pages.cursor } : {}) },
      { signal },
    ),
  )
  return (
    <AnswerOf query={query}>
      {({ endpoints = [], next_cursor }) => (
        <>
          <DataTable
            caption="External endpoints"
            rows={endpoints}
            keyOf={({ id }) => id}
            empty={<Command words={words.empty.endpoints} />}
            columns={[
              { head: 'Protocol', cell: ({ protocol, version }) => `${protocol} ${version}` },
              { head: 'State', cell: ({ state }) => <StateBadge state={state.replace('_', ' ')} /> },
              { head: 'Why', cell: ({ why }) => why },
              { head: 'Kind', cell: ({ kind }) => kind },
              { head: 'Address', cell: ({ endpoint }) => endpoint ?? '–' },
              {
                head: 'Operations',
                is_number: true,
                // An adapter names none of its own: it answers all of its protocol.
                cell: ({ operations, protocol }) => operations.length || served.get(protocol)?.length,
              },
              {
                head: 'Since',
                cell: ({ registered_at }) => (registered_at ? <When at={registered_at} /> : '–'),
              },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}

function PluginList() {
  const pages = usePages<string>()
  const query = useQuery(`plugins ${pages.cursor}`, (client, signal) =>
    client.maze.list(
      { kind: 'plugins', limit: page_rows, ...(pages.cursor ? { cursor: pages.cursor } : {}) },
      { signal },
    ),
  )
  return (
    <AnswerOf query={query}>
      {({ plugins = [], next_cursor }) => (
        <>
          <DataTable
            caption="Plugins"
            rows={plugins}
            keyOf={({ id }) => id}
            empty={<Command words={words.empty.plugins} />}
            columns={[
              { head: 'Plugin', cell: ({ name, version }) => `${name} ${version}` },
              { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
              { head: 'Why', cell: ({ why, reason }) => why ?? reason ?? '' },
              { head: 'Protocol', cell: ({ protocol }) => protocol ?? '–' },
              { head: 'Signed by', cell: ({ signed_by }) => signed_by ?? '–' },
              { head: 'Since', cell: ({ since }) => <When at={since} /> },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}
