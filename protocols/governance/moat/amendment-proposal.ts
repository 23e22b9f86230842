// Proposes an amendment: the complete new terms with a reference to those they replace.

import { type TreatyBody, treaty_states } from '@svc/contract/authority/treaty'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, Hash, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { diffOf, widens } from './amendment.ts'
import { otherParty, type StoredTreaty } from './treaty.ts'
import { requireHoldings } from './treaty-grantors.ts'
import {
  CapabilitySchedule,
  DisputeClause,
  grantsOf,
  Rates,
  requireSpan,
  SettlementTerms,
} from './treaty-input.ts'
import { openHead, openTreaty, requireHome, requireState, requireVoice, tell } from './treaty-progress.ts'
import { draft, registerTreaty, venueOf } from './treaty-proposal.ts'
import { findPending, findTreaty, keepTreaty } from './treaty-store.ts'

/** Per treaty, at the same time. */
const pending_max = 32

export const AmendInput = Closed({
  treaty_id: Hash,
  changes: Closed(
    {
      capability_schedule: Type.Optional(CapabilitySchedule),
      rate_limits: Type.Optional(Rates),
      settlement_terms: Type.Optional(SettlementTerms),
      dispute_clause: Type.Optional(DisputeClause),
      expires_at: Type.Optional(Timestamp),
    },
    { minProperties: 1 },
  ),
  reason: Text(2000),
})
type AmendInput = Static<typeof AmendInput>

export const Diff = ListOf(
  Closed({
    op: OneOf('add', 'remove', 'replace'),
    path: Type.String({ description: 'JSON Pointer into the body of the parent.' }),
    value: Type.Optional(Type.Unknown()),
  }),
  1,
  2048,
)

export const AmendOutput = Closed({
  amendment_id: Hash,
  parent: Hash,
  diff: Diff,
  widening: Type.Boolean({ description: 'Signing it needs a charter-level verdict.' }),
  state: OneOf(...treaty_states),
})

export async function proposeAmendment(
  input: AmendInput,
  context: OperationContext<'authority' | 'charter' | 'register' | 'tenants'>,
): Promise<Static<typeof AmendOutput>> {
  requireHome(context, 'propose_amendment')
  const named = await openTreaty(context, input.treaty_id)
  await requireVoice(context, named, 'amend')
  requireState(named, 'propose_amendment', ['ACTIVE', 'SUSPENDED'])
  const head = await openHead(context, named.root_id)
  if (!head) throw notFound('treaty', input.treaty_id)
  const body = await amended(input.changes, head, context)
  const diff = diffOf(head.body, body)
  if (diff.length === 0) throw nothingNew()
  requireSpan(body.effective_from, body.expires_at, context.now)
  await requireHoldings(context, body, 'proposer')
  await requireRoom(context, head)
  const amendment = { ...draft(body, context, head.root_id), open_cases: head.open_cases }
  const { id: amendment_id, root_id, proposed_by } = amendment
  const parent = head.id
  const widening = widens(head.body, body)
  if (!(await keepTreaty(context.db, amendment, otherParty(head, context.tenant_id).tenant, input.reason))) {
    const treaty = await findTreaty(context.db, amendment_id)
    return { amendment_id, parent, diff, widening, state: treaty?.state ?? 'PROPOSED' }
  }
  await registerTreaty(context, amendment)
  const sign_by = amendment.sign_by.toISOString()
  const meta = { treaty_id: amendment_id, root_id, parent, state: 'PROPOSED', proposed_by, sign_by, widening }
  tell(context, amendment, { type: 'TreatyProposed', meta })
  return { amendment_id, parent, diff, widening, state: 'PROPOSED' }
}

async function amended(
  changes: AmendInput['changes'],
  { id, body }: StoredTreaty,
  context: OperationContext<'tenants'>,
): Promise<TreatyBody> {
  const { capability_schedule, rate_limits, settlement_terms, dispute_clause, expires_at } = changes
  const sides = { proposer: context.tenant_id, counterparty: otherParty({ body }, context.tenant_id).tenant }
  return {
    ...body,
    parent: id,
    grants: capability_schedule ? grantsOf(capability_schedule, sides) : body.grants,
    rate_limits: rate_limits ?? body.rate_limits,
    settlement: { ...body.settlement, ...settlement_terms },
    dispute_resolution: dispute_clause ? await venueOf(dispute_clause, context) : body.dispute_resolution,
    expires_at: expires_at ?? body.expires_at,
    nonce: context.idempotency_key ?? context.invoke.correlation_id,
  }
}

async function requireRoom({ db }: OperationContext, { root_id, id }: StoredTreaty): Promise<void> {
  if ((await findPending(db, root_id, id)).length < pending_max) return
  throw refuse(
    'policy_denied',
    `This treaty already has ${pending_max} unsigned amendments; sign or terminate some of them first.`,
    { reason: 'too many amendments', denying_policy: 'MOAT lineage' },
  )
}

function nothingNew() {
  return refuse('invalid_payload', 'These are the current terms; change at least one of them.', {
    reason: 'nothing changes',
    faults: [{ pointer: '/changes', message: 'changes nothing' }],
  })
}
