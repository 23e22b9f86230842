// Treaties with other organizations: the list, one treaty, its amendment, and a new one.
import { Button } from '@mantine/core'
import type { InputOf } from '@svc/sdk'
import type { ListDescription } from '../../../list/describe.ts'
import { ListPage } from '../../../list/list-page.tsx'
import { everyOf } from '../../../parts/every-of.ts'
import { When } from '../../../parts/figure.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { stateText } from '../../../parts/shorten.ts'
import { Id, StateBadge } from '../../../parts/words.tsx'
import { hashOf, type Place } from '../../../shell/address.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { words } from '../../../words/en.ts'
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
  if (why_not) return <NoRight protocol="MOAT" operation="list" />
  if (id === 'new') return <ProposeTreaty />
  if (id && action === 'amend') return <AmendTreaty key={id} treaty_id={id} />
  if (id) return <TreatyView key={id} treaty_id={id} />
  return <TreatyList />
}

function TreatyList() {
  const why_not = useWhyNot('MOAT', 'propose')
  return (
    <>
      {!why_not && (
        <p>
          <Button component="a" href={hashOf('organizations', ['treaties', 'new'])}>
            Draft a new treaty
          </Button>
        </p>
      )}
      <ListPage list={list} />
    </>
  )
}

const page_items = 50

/** The engine searches and pages: an organization may have thousands. */
const list: ListDescription<Treaty> = {
  name: 'Treaties and amendments',
  columns: [
    {
      key: 'with',
      head: 'With',
      cell: (treaty) => <TreatyLink {...treaty} />,
      text: ({ partner }) => partner,
    },
    { key: 'kind', head: 'Kind', cell: ({ kind }) => stateText(kind), text: ({ kind }) => kind },
    {
      key: 'state',
      head: 'State',
      cell: ({ state }) => <StateBadge state={state} />,
      text: ({ state }) => state,
    },
    {
      key: 'signed',
      head: 'Signed by',
      is_extra: true,
      cell: ({ signed }) => signed.join(', ') || 'nobody',
      text: ({ signed }) => signed.join(' '),
    },
    {
      key: 'missing',
      head: 'Missing',
      cell: ({ missing }) => missing.join(', ') || words.none,
      text: ({ missing }) => missing.join(' '),
    },
    {
      key: 'they',
      head: 'They may',
      is_number: true,
      cell: ({ grants_to_partner }) => grants_to_partner,
      text: ({ grants_to_partner }) => grants_to_partner,
    },
    {
      key: 'you',
      head: 'You may',
      is_number: true,
      cell: ({ grants_to_own }) => grants_to_own,
      text: ({ grants_to_own }) => grants_to_own,
    },
    {
      key: 'proposed',
      head: 'Proposed',
      cell: ({ proposed_at }) => <When at={proposed_at} />,
      text: ({ proposed_at }) => proposed_at,
    },
    {
      key: 'until',
      head: 'Until',
      cell: ({ expires_at }) => <When at={expires_at} />,
      text: ({ expires_at }) => expires_at,
    },
    {
      key: 'id',
      head: 'Id',
      is_extra: true,
      cell: ({ treaty_id }) => <Id text={treaty_id} />,
      text: ({ treaty_id }) => treaty_id,
    },
  ],
  filters: [
    { field: 'partner', label: 'With', kind: 'text', placeholder: 'Name of an organization' },
    {
      field: 'state',
      label: 'State',
      kind: 'choice',
      choices: states.map((state) => [state, state.toLowerCase().replaceAll('_', ' ')]),
    },
    {
      field: 'kind',
      label: 'Kind',
      kind: 'choice',
      choices: [
        ['treaty', 'treaty'],
        ['amendment', 'amendment'],
      ],
    },
  ],
  views: [
    { name: 'In force', query: { state: 'ACTIVE' } },
    { name: 'Waiting for signatures', query: { state: 'PARTIALLY_SIGNED' } },
  ],
  keyOf: ({ treaty_id }) => treaty_id,
  async read(query, cursor, client, signal) {
    const { partner, state, kind } = query as Pick<InputOf<'MOAT', 'list'>, 'partner' | 'state' | 'kind'>
    const input = { ...(partner && { partner }), ...(state && { state }), ...(kind && { kind }) }
    const { items, next_cursor } = await client.moat.list(
      { limit: page_items, ...input, ...(cursor && { cursor }) },
      { signal },
    )
    return { rows: items, next: next_cursor }
  },
  empty: 'No treaties match. A treaty lets two organizations call each other: draft one.',
}

function TreatyLink({ treaty_id, partner, kind }: Treaty) {
  return (
    <a
      href={hashOf('organizations', ['treaties', treaty_id])}
      title={treaty_id}
      aria-label={`The ${kind} with ${partner}, ${treaty_id.slice(0, 15)}`}
    >
      {partner}
    </a>
  )
}
