// The organization's policies: their versions and text, and a form to write new ones.
import { Button } from '@mantine/core'
import type { InputOf } from '@svc/sdk'
import { DataTable } from '../../../parts/data-table.tsx'
import { everyOf } from '../../../parts/every-of.ts'
import { When } from '../../../parts/figure.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { Who } from '../../../parts/who.tsx'
import { Id, StateBadge } from '../../../parts/words.tsx'
import { hashOf, type Place } from '../../../shell/address.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { words } from '../../../words/en.ts'
import { Listing } from '../listing.tsx'
import type { Policy } from './policy.ts'
import { NextPolicy, PolicyDraft } from './policy-draft.tsx'
import { PolicyView } from './policy-view.tsx'

const states = everyOf<NonNullable<InputOf<'MAXIM', 'list'>['state']>>({
  SCHEDULED: true,
  ACTIVE: true,
  SUPERSEDED: true,
  RETIRED: true,
})

export function Policies({ place }: { place: Place }) {
  const why_not = useWhyNot('MAXIM', 'list')
  const [, id, action] = place.rest
  const { query } = place
  if (why_not) return <NoRight protocol="MAXIM" operation="list" />
  if (id && action === 'next') return <NextPolicy key={id} policy_id={id} retire={query.retire === 'yes'} />
  if (id) return <PolicyView key={`${id} ${query.version}`} policy_id={id} version={query.version} />
  if (query.write === 'new') return <PolicyDraft />
  return <PolicyList query={query} />
}

function PolicyList({ query }: { query: Place['query'] }) {
  const why_not = useWhyNot('MAXIM', 'backtest')
  return (
    <>
      {!why_not && (
        <p>
          <Button component="a" href={hashOf('organizations', ['policies'], { write: 'new' })}>
            Write a new policy
          </Button>
        </p>
      )}
      <Listing
        part="policies"
        states={states}
        query={query}
        ask={(client, page, signal) => client.maxim.list(page, { signal })}
      >
        {(items) => <PolicyTable items={items} />}
      </Listing>
    </>
  )
}

function PolicyTable({ items }: { items: readonly Policy[] }) {
  return (
    <DataTable
      caption="Policies by version, newest first"
      rows={items}
      keyOf={({ policy_id, version }) => `${policy_id} ${version}`}
      empty="No policies match. A policy forbids or permits calls with a Cedar rule: write one."
      columns={[
        {
          head: 'Policy',
          cell: ({ policy_id, version }) => (
            <a
              href={hashOf('organizations', ['policies', policy_id], { version })}
              aria-label={`${policy_id}, version ${version}`}
            >
              {policy_id}
            </a>
          ),
        },
        { head: 'Version', cell: ({ version }) => version },
        { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        { head: 'In force from', cell: ({ active_from }) => <When at={active_from} /> },
        {
          head: 'Until',
          cell: ({ active_until }) =>
            active_until ? <When at={active_until} /> : <span className="figure">no end</span>,
        },
        {
          head: 'Why',
          cell: ({ retires, rationale }) => (
            <span className="shortened" title={rationale}>
              {rationale ?? (retires ? 'retired' : words.none)}
            </span>
          ),
        },
        { head: 'Written by', cell: ({ authored_by }) => <Who did={authored_by} /> },
        { head: 'Authority', cell: ({ authority }) => <Id text={authority} chars={24} /> },
      ]}
    />
  )
}
