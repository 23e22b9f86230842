// Proposes an amendment: the complete new terms with a reference to those they replace.

import { type TreatyBody, TreatyState } from '@svc/contract/authority/treaty'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, Hash, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
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
  treaty_id: described(Hash, 'Any treaty of the line; its newest version in force is amended.'),
  changes: Closed(
    {
      capability_schedule: Type.Optional(described(CapabilitySchedule, 'Replaces all grants.')),
      rate_limits: Type.Optional(described(Rates, 'Replaces all rate limits.')),
      settlement_terms: Type.Optional(described(SettlementTerms, 'Replaces the fields it names.')),
      dispute_clause: Type.Optional(described(DisputeClause, 'Replaces where disputes are heard.')),
      expires_at: Type.Optional(described(Timestamp, 'New end; at most five years ahead.')),
    },
    { minProperties: 1, description: 'New terms; what is absent stays as it is.' },
  ),
  reason: Text(2000, { description: 'Why, for the other party; visible to both.' }),
})
type AmendInput = Static<typeof AmendInput>

export const Diff = ListOf(
  Closed({
    op: described(OneOf('add', 'remove', 'replace'), 'JSON Patch operation.'),
    path: Type.String({ description: 'JSON Pointer into the body of the parent.' }),
    value: Type.Optional(Type.Unknown({ description: 'New value; absent for remove.' })),
  }),
  1,
  2048,
)

export const AmendOutput = Closed({
  amendment_id: described(Hash, 'Hash of the new terms; sign it with sign_amendment.'),
  parent: described(Hash, 'Treaty it would replace.'),
  diff: described(Diff, 'What changes, as JSON Patch.'),
  widening: Type.Boolean({ description: 'Signing it needs a charter-level verdict.' }),
  state: TreatyState,
})

export async function proposeAmendment(
  input: AmendInput,
  context: OperationContext<'authority' | 'charter' | 'register' | 'served' | 'tenants'>,
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
  context: OperationContext<'served' | 'tenants'>,
): Promise<TreatyBody> {
  const { capability_schedule, rate_limits, settlement_terms, dispute_clause, expires_at } = changes
  const sides = { proposer: context.tenant_id, counterparty: otherParty({ body }, context.tenant_id).tenant }
  return {
    ...body,
    parent: id,
    grants: capability_schedule ? grantsOf(capability_schedule, sides, context.served) : body.grants,
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
