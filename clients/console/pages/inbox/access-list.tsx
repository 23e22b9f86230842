// Requests for access: those of others to decide, and one's own.
import type { Client } from '@svc/sdk'
import { useMemo } from 'react'
import type { ListDescription, ListQuery } from '../../list/describe.ts'
import { ListPage } from '../../list/list-page.tsx'
import { When } from '../../parts/figure.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { type AccessRequest, AccessRequestView, askedOf } from './access-request.tsx'

const states = ['OPEN', 'GRANTED', 'REFUSED', 'EXPIRED'] as const
const text = words.inbox

const columns: ListDescription<AccessRequest>['columns'] = [
  {
    key: 'person',
    head: text.person,
    cell: ({ person }) => person,
    text: ({ person }) => person,
  },
  {
    key: 'asks',
    head: text.asks_for,
    cell: (request) => <code>{askedOf(request)}</code>,
    text: askedOf,
  },
  {
    key: 'state',
    head: text.state,
    cell: ({ state }) => <StateBadge state={state.toLowerCase()} />,
    text: ({ state }) => state,
  },
  {
    key: 'requested',
    head: text.requested,
    cell: ({ requested_at }) => <When at={requested_at} />,
    text: ({ requested_at }) => requested_at,
  },
  {
    key: 'expires',
    head: text.decide_until,
    cell: ({ state, expires_at }) => (state === 'OPEN' ? <When at={expires_at} /> : words.none),
    text: ({ expires_at }) => expires_at,
  },
  {
    key: 'role',
    head: text.role_given,
    cell: ({ role_given }) => role_given ?? words.none,
    text: ({ role_given }) => role_given ?? '',
  },
  {
    key: 'by',
    head: text.decided_by,
    cell: ({ decided_by }) => (decided_by ? <Id text={decided_by} /> : words.none),
    text: ({ decided_by }) => decided_by ?? '',
    is_extra: true,
  },
]

export function AccessList() {
  const may_decide = useWhyNot('MACS', 'decide_access') === undefined
  const list = useMemo((): ListDescription<AccessRequest> => {
    const usual_side = may_decide ? 'to_decide' : 'own'
    return {
      name: text.access_requests,
      columns,
      filters: [
        { field: 'side', label: text.asked_by, kind: 'choice', choices: Object.entries(text.sides) },
        {
          field: 'state',
          label: text.state,
          kind: 'choice',
          choices: states.map((state) => [state, text.request_states[state]] as const),
        },
      ],
      keyOf: ({ request_id }) => request_id,
      read: (query, _, client, signal) => readRequests({ side: usual_side, ...query }, client, signal),
      panel: (_, request) => ({
        title: text.access_request,
        body: request && (
          <AccessRequestView key={request.request_id} request={request} may_decide={may_decide} />
        ),
      }),
      empty: may_decide ? text.nobody_asks : text.you_asked_nothing,
      refresh_ms: 15_000,
    }
  }, [may_decide])
  return <ListPage list={list} />
}

async function readRequests({ side, state }: ListQuery, client: Client, signal: AbortSignal) {
  const in_state = states.find((each) => each === state)
  const { items } = await client.macs.access_requests(
    { side: side === 'own' ? 'own' : 'to_decide', ...(in_state && { state: in_state }) },
    { signal },
  )
  return { rows: items }
}
