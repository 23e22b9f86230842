import { NativeSelect } from '@mantine/core'
import type { InputOf } from '@svc/sdk'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { everyOf } from '../../parts/every-of.ts'
import { Field } from '../../parts/field.tsx'
import { When } from '../../parts/figure.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { identityText } from '../../parts/shorten.ts'
import { nameIn } from '../../parts/use-agent-names.ts'
import { usePages } from '../../parts/use-pages.ts'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf, type Place } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'

const kinds = everyOf<NonNullable<InputOf<'MARS', 'query_registry'>['kind']>>({
  agent: true,
  treaty: true,
  policy: true,
  asset: true,
  plugin: true,
  report: true,
  verdict: true,
  chain_seal: true,
  schema: true,
  model: true,
  artifact: true,
})
const page_rows = 25
const text = words.registry

export function Registry({ query }: { query: Place['query'] }) {
  const why_not = useWhyNot('MARS', 'query_registry')
  const kind = kinds.find((each) => each === query.kind) ?? 'agent'
  if (why_not) return <NoRight protocol="MARS" operation="query_registry" />
  return (
    <>
      <Field label={text.kind}>
        {(ids) => (
          <NativeSelect
            {...ids}
            value={kind}
            onChange={({ target }) => {
              location.hash = hashOf('mesh', ['registry'], { kind: target.value })
            }}
          >
            {kinds.map((each) => (
              <option key={each} value={each}>
                {text.kinds[each]}
              </option>
            ))}
          </NativeSelect>
        )}
      </Field>
      <Entries key={kind} kind={kind} />
    </>
  )
}

function Entries({ kind }: { kind: (typeof kinds)[number] }) {
  const pages = usePages<string>()
  const query = useQuery(`registry ${kind} ${pages.cursor}`, (client, signal) =>
    client.mars.query_registry(
      { kind, limit: page_rows, ...(pages.cursor ? { cursor: pages.cursor } : {}) },
      { signal },
    ),
  )
  return (
    <AnswerOf query={query}>
      {({ entries, next_cursor }) => (
        <>
          <DataTable
            caption={text.kinds[kind]}
            rows={entries}
            keyOf={({ hash }) => hash}
            empty={
              <Empty words={words.empty.registry} href={hashOf('playground', ['MARS', 'register_agent'])} />
            }
            columns={[
              {
                head: text.subject,
                cell: ({ subject, body }) => <Id text={subject} name={nameOf(subject, body)} />,
              },
              { head: text.state, cell: ({ state }) => <StateBadge state={state} /> },
              { head: text.version, is_number: true, cell: ({ version }) => version },
              { head: text.organization, cell: ({ tenant_id }) => tenant_id },
              { head: text.registered, cell: ({ registered_at }) => <When at={registered_at} /> },
              { head: text.signed, cell: ({ signature }) => signature.method },
              {
                head: text.entry,
                cell: ({ body, hash }) => (
                  <details>
                    <summary>
                      <code>{hash.slice(0, 15)}…</code>
                    </summary>
                    <JsonView label={text.what} value={body} />
                  </details>
                ),
              },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}

function nameOf(subject: string, body: Readonly<Record<string, unknown>>): string | undefined {
  const name = nameIn({ body })
  if (name !== '') return name
  return subject.startsWith('did:') ? identityText(subject) : undefined
}
