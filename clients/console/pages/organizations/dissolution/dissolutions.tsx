// Dissolutions: their progress, and how to start one. Permanent once sealed.
import type { InputOf } from '@svc/sdk'
import { DataTable } from '../../../parts/data-table.tsx'
import { everyOf } from '../../../parts/every-of.ts'
import { When } from '../../../parts/figure.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { Id, StateBadge } from '../../../parts/words.tsx'
import { hashOf, type Place } from '../../../shell/address.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { Listing } from '../listing.tsx'
import type { Dissolution } from './dissolution.ts'
import { DissolutionView } from './dissolution-view.tsx'
import { InitiateForm } from './initiate-form.tsx'

const states = everyOf<NonNullable<InputOf<'MAUSOLEUM', 'list'>['state']>>({
  INITIATED: true,
  DISTRIBUTING: true,
  TRANSFERRING: true,
  READY_TO_SEAL: true,
  SEALED: true,
  ARCHIVED: true,
  CANCELLED: true,
  BLOCKED: true,
})

export function Dissolutions({ place }: { place: Place }) {
  const why_not = useWhyNot('MAUSOLEUM', 'list')
  const why_not_begin = useWhyNot('MAUSOLEUM', 'initiate')
  const [, id] = place.rest
  if (why_not) return <NoRight protocol="MAUSOLEUM" operation="list" />
  if (id === 'new') return <InitiateForm />
  if (id) return <DissolutionView key={id} dissolution_id={id} />
  return (
    <>
      {!why_not_begin && (
        <p>
          <a href={hashOf('organizations', ['dissolution', 'new'])}>Dissolve the organization …</a>
        </p>
      )}
      <Listing
        part="dissolution"
        states={states}
        query={place.query}
        ask={(client, page, signal) => client.mausoleum.list(page, { signal })}
      >
        {(items) => <DissolutionTable items={items} />}
      </Listing>
    </>
  )
}

function DissolutionTable({ items }: { items: readonly Dissolution[] }) {
  return (
    <DataTable
      caption="Dissolutions, newest first"
      rows={items}
      keyOf={({ dissolution_id }) => dissolution_id}
      empty="No dissolutions match: neither your organization nor one it succeeds is being dissolved."
      columns={[
        {
          head: 'Of',
          cell: ({ dissolution_id, tenant_id }) => (
            <a href={hashOf('organizations', ['dissolution', dissolution_id])} title={dissolution_id}>
              {tenant_id}
            </a>
          ),
        },
        { head: 'You are', cell: ({ role }) => (role === 'own' ? 'dissolving' : 'successor') },
        { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        { head: 'Begun', cell: ({ initiated_at }) => <When at={initiated_at} /> },
        { head: 'Notice until', cell: ({ notice_until }) => <When at={notice_until} /> },
        { head: 'Successor', cell: ({ successor_did }) => <Id text={successor_did} /> },
      ]}
    />
  )
}
