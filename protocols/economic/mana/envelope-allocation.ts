// Allocates, changes or closes a department's budget and capabilities, by the organization's decision.

import { envelopeDay, envelopeMonth } from '@svc/contract/money/budget-counter'
import { usdText } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { tellBooks } from '../ledger/api.ts'
import {
  type EnvelopeInput,
  type EnvelopeState,
  isHeldAt,
  type Limits,
  limitsOf,
  requireHeld,
  requireOwnMembers,
  stateAt,
} from './envelope.ts'
import {
  addVersion,
  type EnvelopeVersion,
  envelopes_active_max,
  findActiveOf,
  findEnvelope,
  lockEnvelopes,
  sumActive,
} from './envelope-store.ts'

export interface AllocationInput {
  readonly envelope: EnvelopeInput
  readonly capabilities_granted: readonly string[]
  readonly authority: string
}

export async function allocate(
  { envelope, ...input }: AllocationInput,
  context: OperationContext<'authority' | 'budgets' | 'requireAuthority'>,
) {
  const { db, tenant_id, now } = context
  const limits = limitsOf(envelope)
  const members = envelope.members && requireOwnMembers(envelope.members, tenant_id)
  const granted = requireHeld(input.capabilities_granted, (await context.authority.ofCaller()).held)
  const authority = await context.requireAuthority('MANA.allocate', envelope.department, input.authority)
  await lockEnvelopes(db, tenant_id)
  const before = await findChanged(envelope, context)
  const added: EnvelopeVersion = {
    envelope_id: before?.envelope_id ?? context.newId(),
    version: (before?.version ?? 0) + 1,
    department: envelope.department,
    state: envelope.close ? 'CLOSED' : 'ACTIVE',
    ...limits,
    granted,
    members: members ?? before?.members ?? [],
    authority,
    allocated_by: context.caller.did,
    created_at: before?.created_at ?? new Date(now),
    effective_at: new Date(now),
  }
  await addVersion(db, tenant_id, added)
  await tellBooks(db, tenant_id)
  const { month_limits_micro_usd } = await sumActive(db, tenant_id)
  tell(context, added, before)
  return {
    envelope_id: added.envelope_id,
    version: added.version,
    state: await stateOf(added, limits, context),
    granted: [...granted],
    members: added.members.length,
    effective_at: now,
    tenant_committed_usd: usdText(month_limits_micro_usd),
    tenant_committed_micro_usd: String(month_limits_micro_usd),
  }
}

/** Undefined if the department has no active envelope yet. */
async function findChanged(
  { department, envelope_id, close }: EnvelopeInput,
  { db, tenant_id }: OperationContext,
): Promise<EnvelopeVersion | undefined> {
  if (envelope_id !== undefined) {
    const envelope = await findEnvelope(db, tenant_id, envelope_id)
    // The authority is for this department, so it does not cover another one's envelope.
    if (!envelope || envelope.department !== department)
      throw notFound(`envelope of ${department}`, envelope_id)
    if (envelope.state === 'ACTIVE') return envelope
    throw refuse(
      'policy_denied',
      `Envelope ${envelope_id} is CLOSED for good; allocate ${department} a new one without envelope_id.`,
      { reason: 'envelope is CLOSED; allocate needs ACTIVE' },
    )
  }
  if (close) {
    throw refuse('invalid_payload', 'Only an envelope that exists can be closed; name its envelope_id.', {
      reason: 'envelope_id required',
      faults: [{ pointer: '/envelope/envelope_id', message: 'is required with close' }],
    })
  }
  const active = await findActiveOf(db, tenant_id, department)
  if (active) {
    throw refuse(
      'policy_denied',
      `${department} has the envelope ${active.envelope_id} already; change that one by naming its envelope_id.`,
      { reason: 'department has an active envelope', envelope_id: active.envelope_id },
    )
  }
  if ((await sumActive(db, tenant_id)).active < envelopes_active_max) return undefined
  throw refuse(
    'policy_denied',
    `A tenant may have ${envelopes_active_max} active envelopes; close one with close: true first.`,
    { reason: 'too many active envelopes' },
  )
}

async function stateOf(
  { envelope_id, state }: EnvelopeVersion,
  limits: Limits,
  context: OperationContext<'budgets'>,
): Promise<EnvelopeState> {
  const { holds } = await context.budgets.rules()
  return stateAt(state, limits, {
    is_held: isHeldAt(holds, envelope_id, Date.parse(context.now)),
    day: await context.budgets.counter(envelopeDay(envelope_id, context.now)),
    month: await context.budgets.counter(envelopeMonth(envelope_id, context.now)),
  })
}

function tell(context: OperationContext, added: EnvelopeVersion, before: EnvelopeVersion | undefined): void {
  const { envelope_id, version, department, state, authority, granted, members } = added
  context.audit('EnvelopeAllocated', {
    envelope_id,
    version,
    department,
    state,
    authority,
    day_limit_usd: usdText(added.day_limit_micro_usd),
    month_limit_usd: usdText(added.month_limit_micro_usd),
    members: members.length,
  })
  const is_same = (a: readonly string[], b: readonly string[] = []) => a.join() === b.join()
  if (is_same(granted, before?.granted) && is_same(members, before?.members) && state === 'ACTIVE') return
  const effective = state === 'ACTIVE' ? granted : []
  context.audit('CapabilityGrant', {
    source: 'envelope',
    envelope_id,
    department,
    granted: effective,
    members,
  })
}
