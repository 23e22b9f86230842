// Treaties with other organizations: the list, one treaty, its amendment, and a new one.
import type { InputOf } from '@svc/sdk'
import { DataTable } from '../../../parts/data-table.tsx'
import { everyOf } from '../../../parts/every-of.ts'
import { When } from '../../../parts/words.tsx'
import { hashOf, type Place } from '../../../shell/address.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { Listing } from '../listing.tsx'
import { StandingMark } from '../standing-mark.tsx'
import { AmendTreaty } from './amend-treaty.tsx'
import { ProposeTreaty } from './propose-treaty.tsx'
import type { Treaty } from './term-lines.ts'
import { TreatyView } from './treaty-view.tsx'

const states = everyOf<NonNullable<InputOf<'MOAT', 'list'>['state']>>({
  PROPOSED: true,
  PARTIALLY_SIGNED: true,
  SIGNED: true,
  ACTIVE: true,
  SUSPENDED: true,
  EXPIRED: true,
  TERMINATED: true,
  SUPERSEDED: true,
  WITHDRAWN: true,
  LAPSED: true,
})

export function Treaties({ place }: { place: Place }) {
  const why_not = useWhyNot('MOAT', 'list')
  const [, id, action] = place.rest
  if (why_not) return <p className="note">{why_not}</p>
  if (id === 'new') return <ProposeTreaty />
  if (id && action === 'amend') return <AmendTreaty key={id} treaty_id={id} />
  if (id) return <TreatyView key={id} treaty_id={id} />
  return <TreatyList query={place.query} />
}

function TreatyList({ query }: { query: Place['query'] }) {
  const why_not = useWhyNot('MOAT', 'propose')
  return (
    <>
      {!why_not && (
        <p>
          <a href={hashOf('institutions', ['treaties', 'new'])}>Draft a new treaty</a>
        </p>
      )}
      <Listing
        part="treaties"
        states={states}
        query={query}
        ask={(client, page, signal) => client.moat.list(page, { signal })}
      >
        {(items) => <TreatyTable items={items} />}
      </Listing>
    </>
  )
}

function TreatyTable({ items }: { items: readonly Treaty[] }) {
  return (
    <DataTable
      caption="Treaties and amendments, newest first"
      rows={items}
      keyOf={({ treaty_id }) => treaty_id}
      empty="No treaties match. A treaty lets two organizations call each other: draft one."
      columns={[
        { head: 'With', cell: (treaty) => <TreatyLink {...treaty} /> },
        { head: 'Kind', cell: ({ kind }) => kind },
        { head: 'State', cell: ({ state }) => <StandingMark state={state} /> },
        { head: 'Signed by', cell: ({ signed }) => signed.join(', ') || 'nobody' },
        { head: 'Missing', cell: ({ missing }) => missing.join(', ') || '–' },
        { head: 'They may', is_number: true, cell: ({ grants_to_partner }) => grants_to_partner },
        { head: 'You may', is_number: true, cell: ({ grants_to_own }) => grants_to_own },
        { head: 'Proposed', cell: ({ proposed_at }) => <When at={proposed_at} /> },
        { head: 'Until', cell: ({ expires_at }) => <When at={expires_at} /> },
      ]}
    />
  )
}

function TreatyLink({ treaty_id, partner, kind }: Treaty) {
  return (
    <a
      href={hashOf('institutions', ['treaties', treaty_id])}
      title={treaty_id}
      aria-label={`The ${kind} with ${partner}, ${treaty_id.slice(0, 15)}`}
    >
      {partner}
    </a>
  )
}
