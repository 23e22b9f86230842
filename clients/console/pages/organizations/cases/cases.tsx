// Disputes that the organization filed, has to answer, or judges.

import type { InputOf } from '@svc/sdk'
import { DataTable } from '../../../parts/data-table.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { everyOf } from '../../../parts/every-of.ts'
import { When } from '../../../parts/figure.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { StateBadge } from '../../../parts/words.tsx'
import { hashOf, type Place } from '../../../shell/address.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { words } from '../../../words/en.ts'
import { Listing } from '../listing.tsx'
import { type Case, remedyText, wordsOf } from './case.ts'
import { CaseView } from './case-view.tsx'

const states = everyOf<NonNullable<InputOf<'MOOT', 'list'>['state']>>({
  FILED: true,
  PLEADED: true,
  DEFAULTED: true,
  HEARD: true,
  RULED: true,
  APPEALED: true,
  REMEDIED: true,
  CLOSED: true,
  SETTLED: true,
  WITHDRAWN: true,
  DISMISSED: true,
})

export function Cases({ place }: { place: Place }) {
  const why_not = useWhyNot('MOOT', 'list')
  const [, id] = place.rest
  if (why_not) return <NoRight protocol="MOOT" operation="list" />
  if (id) return <CaseView key={id} case_id={id} />
  return (
    <Listing
      part="cases"
      states={states}
      query={place.query}
      ask={(client, page, signal) => client.moot.list(page, { signal })}
    >
      {(items) => <CaseTable items={items} />}
    </Listing>
  )
}

function CaseTable({ items }: { items: readonly Case[] }) {
  return (
    <DataTable
      caption="Cases, newest first"
      rows={items}
      keyOf={({ case_id }) => case_id}
      empty={<Empty words={words.empty.cases} href={hashOf('playground', ['MOOT', 'file'])} />}
      columns={[
        {
          head: 'Case',
          cell: ({ case_id }) => (
            <a href={hashOf('organizations', ['cases', case_id])} aria-label={`Case ${case_id}`}>
              <code>{case_id.slice(0, 8)}</code>
            </a>
          ),
        },
        { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        { head: 'Claimant', cell: ({ claimant }) => claimant.tenant_id },
        { head: 'Respondent', cell: ({ respondent }) => respondent.tenant_id },
        { head: 'You are', cell: ({ roles }) => roles.join(' and ') },
        { head: 'Requested', cell: ({ requested_remedy }) => remedyText(requested_remedy) },
        { head: 'Filed', cell: ({ filed_at }) => <When at={filed_at} /> },
        { head: 'Ruling', cell: ({ ruling }) => (ruling ? <RulingInShort ruling={ruling} /> : 'none yet') },
      ]}
    />
  )
}

function RulingInShort({ ruling }: { ruling: NonNullable<Case['ruling']> }) {
  return (
    <>
      {wordsOf(ruling.finding)}, <strong>{ruling.dissent} dissent</strong>
    </>
  )
}
