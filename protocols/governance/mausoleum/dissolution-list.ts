// MAUSOLEUM list, an operation of our own: dissolutions, for the organization itself and its successor.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, described, ListOf, OneOf, Ref, TenantId, Timestamp, Uuid } from '@svc/contract/schema'
import { uuid_form } from '@svc/contract/text-form'
import { type Static, Type } from 'typebox'
import { readSeal } from './chain-seal.ts'
import { advance, type Dissolution, type DissolutionState, steps } from './dissolution.ts'
import { type Outlook, outlookOf } from './dissolution-initiating.ts'
import { Creditors, DissolutionStateName, ScheduleInput } from './dissolution-input.ts'
import { requireMourner, SealOutput, sealAnswer } from './dissolution-sealing.ts'
import { type ListedDissolution, listDissolutions, stepTimes } from './dissolution-store.ts'

const concerned_max = 200
const StepName = OneOf(...steps)

export const ListInput = Closed({
  dissolution_id: Type.Optional(described(Uuid, 'Only this dissolution.')),
  state: Type.Optional(described(DissolutionStateName, 'Only dissolutions in this state.')),
  include_detail: Type.Optional(Type.Boolean({ default: false, description: 'Only with dissolution_id.' })),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const Detail = Closed({
  reason: Type.String({ description: 'Why the organization is dissolved.' }),
  authority: described(Ref, 'Verdict that allowed it.'),
  schedule: described(ScheduleInput, 'Who takes over what.'),
  blocked: Type.Optional(
    Closed(
      {
        step: described(StepName, 'Step that failed.'),
        reason: Type.String({ description: 'Why it failed.' }),
      },
      { description: 'Step that failed and is retried; absent where none did.' },
    ),
  ),
  steps: Type.Array(
    Closed({
      step: described(StepName, 'Name of the step.'),
      done_at: Type.Optional(described(Timestamp, 'When it was done; absent until then.')),
    }),
    {
      maxItems: steps.length,
      description: 'In execution order; empty for the successor.',
    },
  ),
  outlook: Type.Optional(
    Closed(
      {
        creditors: described(Creditors, 'Who is paid before anything is distributed, in this order.'),
        blockers: described(
          ListOf(Type.String(), 0, 1_000),
          'What must be resolved before it can go on, in words.',
        ),
        concerned: described(ListOf(TenantId, 0, concerned_max), 'Organizations that are notified.'),
      },
      { description: 'Before the seal: who is paid first, what blocks it, and who is notified.' },
    ),
  ),
  seal: Type.Optional(described(SealOutput, 'How the audit log was closed; absent until then.')),
})
type Detail = Static<typeof Detail>

const DissolutionItem = Closed({
  dissolution_id: described(Uuid, 'Names the dissolution.'),
  tenant_id: described(TenantId, 'Organization that is dissolved.'),
  role: described(OneOf('own', 'successor'), 'Whether your organization is dissolved, or takes over.'),
  state: described(DissolutionStateName, 'Where it stands; BLOCKED: a step failed and is retried.'),
  initiated_by: described(Did, 'Who began it.'),
  initiated_at: described(Timestamp, 'When it began.'),
  notice_until: described(Timestamp, 'End of the notice period; until then it can be cancelled.'),
  successor_did: described(Did, 'Who takes over for the organization.'),
  cancelled_by: Type.Optional(described(Did, 'Who cancelled it; absent where nobody did.')),
  cancelled_at: Type.Optional(described(Timestamp, 'When it was cancelled; absent where it was not.')),
  detail: Type.Optional(described(Detail, 'Only with include_detail.')),
})
type DissolutionItem = Static<typeof DissolutionItem>

export const ListOutput = Closed({
  items: described(
    ListOf(DissolutionItem, 0, page_max),
    'Dissolutions of your organization, or in which it is the successor.',
  ),
  next_cursor,
})

export function listOwn(input: ListInput, context: OperationContext<'charter' | 'engine'>) {
  const { db, tenant_id } = context
  const { dissolution_id, state } = input
  const now = new Date(context.now)
  return listing(input, context, {
    own: 'the dissolutions',
    id_form: uuid_form,
    read: (bounds) => listDissolutions(db, tenant_id, { ...bounds, dissolution_id }),
    placeOf: ({ initiated_at, dissolution_id: id }) => ({ at: initiated_at.toISOString(), id }),
    isWanted: (row) => state === undefined || stateNamed(row, now) === state,
    view: (rows) => rows.map((row) => dissolutionItem(row, tenant_id, now)),
    detail: { by: 'dissolution_id', of: (row) => wholeOf(row, context) },
  })
}

/** BLOCKED takes precedence over the progress. */
function stateNamed(dissolution: Dissolution, at: Date): DissolutionState | 'BLOCKED' {
  return dissolution.blocked ? 'BLOCKED' : advance(dissolution, at)
}

export function dissolutionItem(
  listed_dissolution: ListedDissolution,
  tenant_id: string,
  at: Date,
): DissolutionItem {
  const { dissolution_id, initiated_by, schedule, cancelled_by, cancelled_at } = listed_dissolution
  return {
    dissolution_id,
    tenant_id: listed_dissolution.tenant_id,
    role: listed_dissolution.tenant_id === tenant_id ? 'own' : 'successor',
    state: stateNamed(listed_dissolution, at),
    initiated_by,
    initiated_at: listed_dissolution.initiated_at.toISOString(),
    notice_until: listed_dissolution.notice_until.toISOString(),
    successor_did: schedule.successor_did,
    ...(cancelled_by !== null && { cancelled_by }),
    ...(cancelled_at && { cancelled_at: cancelled_at.toISOString() }),
  }
}

const living: ReadonlySet<DissolutionState> = new Set([
  'INITIATED',
  'DISTRIBUTING',
  'TRANSFERRING',
  'READY_TO_SEAL',
])

/** Only for those who may seal it: the schedule is confidential. */
async function wholeOf(
  listed_dissolution: ListedDissolution,
  context: OperationContext<'charter' | 'engine'>,
): Promise<Detail> {
  await requireMourner(listed_dissolution, context, 'read the details of')
  const { db, tenant_id } = context
  const is_own = listed_dissolution.tenant_id === tenant_id
  const times = is_own ? await stepTimes(db, listed_dissolution.dissolution_id) : undefined
  // Only the organization itself sees its assets and debts.
  const outlook =
    is_own && living.has(listed_dissolution.state)
      ? await outlookOf(context, listed_dissolution.schedule)
      : undefined
  const is_sealed = listed_dissolution.state === 'SEALED' || listed_dissolution.state === 'ARCHIVED'
  const sealed = is_sealed ? await readSeal(db, listed_dissolution.tenant_id) : undefined
  return dissolutionDetail(
    listed_dissolution,
    times,
    outlook,
    sealed && (await sealAnswer(listed_dissolution, sealed, context)),
  )
}

export function dissolutionDetail(
  { reason, authority, schedule, blocked }: Dissolution,
  times: ReadonlyMap<string, Date> | undefined,
  outlook: Outlook | undefined,
  seal: SealOutput | undefined,
): Detail {
  const { asset_distribution, obligation_transfer, successor_did } = schedule
  return {
    reason,
    authority,
    schedule: {
      asset_distribution: [...asset_distribution],
      obligation_transfer: [...obligation_transfer],
      successor_did,
    },
    ...(blocked && { blocked }),
    steps: times
      ? steps.map((step) => {
          const done_at = times.get(step)
          return { step, ...(done_at && { done_at: done_at.toISOString() }) }
        })
      : [],
    ...(outlook && { outlook: { ...outlook } }),
    ...(seal && { seal }),
  }
}
