import { Progress } from '@mantine/core'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Money, When } from '../../parts/figure.tsx'
import { plural } from '../../parts/figures.ts'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'

const page_rows = 25

export function Envelopes() {
  const why_not = useWhyNot('MANA', 'list')
  if (why_not) return <NoRight protocol="MANA" operation="list" />
  return (
    <>
      <EnvelopeList />
      <HoldList />
      <p>
        Budgets are allocated with <a href={hashOf('playground', ['MANA', 'allocate'])}>MANA allocate</a>,
        frozen and released with <a href={hashOf('playground', ['MANA', 'hold'])}>MANA hold</a>.
      </p>
    </>
  )
}

function EnvelopeList() {
  const pages = usePages<string>()
  const query = useQuery(`envelopes ${pages.cursor}`, (client, signal) =>
    client.mana.list(
      { kind: 'envelopes', limit: page_rows, ...(pages.cursor ? { cursor: pages.cursor } : {}) },
      { signal },
    ),
  )
  return (
    <AnswerOf query={query}>
      {({ envelopes = [], next_cursor }) => (
        <>
          <DataTable
            caption="Envelopes"
            rows={envelopes}
            keyOf={({ envelope_id }) => envelope_id}
            empty={<Empty words={words.empty.envelopes} href={hashOf('playground', ['MANA', 'allocate'])} />}
            columns={[
              { head: 'Department', cell: ({ department }) => department },
              { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
              { head: 'Today', is_number: true, cell: ({ day }) => <Used {...day} /> },
              {
                head: 'This month',
                is_number: true,
                cell: ({ month }) => <Used {...month} />,
              },
              {
                head: 'Left this month',
                is_number: true,
                cell: ({ month }) => <Money usd={month.remaining} />,
              },
              { head: 'Members', is_number: true, cell: ({ members }) => members.length },
              {
                head: 'Slowed',
                cell: ({ throttle }) => (throttle ? plural(throttle.rules.length, 'rule') : 'no'),
              },
              { head: 'Held', cell: ({ held_by }) => held_by.map(({ reason }) => reason).join(', ') || 'no' },
              { head: 'Envelope', cell: ({ envelope_id }) => <Id text={envelope_id} /> },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}

/** The share of a limit that is spent, as a bar with its sums. */
function Used({ spent, limit }: { spent: string; limit: string }) {
  const share = Number(limit) > 0 ? (Number(spent) / Number(limit)) * 100 : 0
  return (
    <>
      <Money usd={spent} /> of <Money usd={limit} />
      <Progress
        value={share}
        color={share > 90 ? 'red' : 'indigo'}
        size="sm"
        aria-label="Share that is spent"
      />
    </>
  )
}

function HoldList() {
  const pages = usePages<string>()
  const query = useQuery(`holds ${pages.cursor}`, (client, signal) =>
    client.mana.list(
      { kind: 'holds', limit: page_rows, ...(pages.cursor ? { cursor: pages.cursor } : {}) },
      { signal },
    ),
  )
  return (
    <AnswerOf query={query}>
      {({ holds = [], next_cursor }) => (
        <>
          <DataTable
            caption="Holds"
            rows={holds}
            keyOf={({ hold_id }) => hold_id}
            empty={<Empty words={words.empty.holds} href={hashOf('playground', ['MANA', 'hold'])} />}
            columns={[
              { head: 'What', cell: ({ scope }) => <code>{scope}</code> },
              { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
              { head: 'Why', cell: ({ reason }) => reason },
              { head: 'By', cell: ({ placed_by }) => <Id text={placed_by} /> },
              { head: 'Since', cell: ({ placed_at }) => <When at={placed_at} /> },
              { head: 'Until', cell: ({ until, released_at }) => <When at={released_at ?? until} /> },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}
