// MAXIM approval_decide: gives or refuses consent to one call of somebody else.
import { isConsented, isKin } from '@svc/contract/authority/approval'
import { hasHiddenText } from '@svc/contract/foreign/tool'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, OneOf, Text, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  type ApprovalRow,
  findApproval,
  keepDecision,
  lockApprovals,
  type StoredDecision,
} from '../approvals/api.ts'
import { maySee } from './approval-list.ts'
import {
  type ApprovalWhole,
  countsFor,
  hasDecided,
  note_length_max,
  noteBox,
  stateAt,
  type Viewer,
  viewerOf,
  wholeOf,
} from './approval-view.ts'

export const DecideInput = Closed({
  approval_id: described(Uuid, 'The request to decide.'),
  decision: described(OneOf('approve', 'refuse'), 'Your decision; it cannot be changed.'),
  note: Type.Optional(Text(note_length_max, { description: 'Why, for whoever asked.' })),
})
type DecideInput = Static<typeof DecideInput>

export async function decide(
  input: DecideInput,
  context: OperationContext<'authority' | 'charter' | 'notify' | 'vault'>,
): Promise<ApprovalWhole> {
  const { approval_id, decision, note } = input
  requireReadable(note)
  const { db, tenant_id, now } = context
  const viewer = await viewerOf(context)
  await lockApprovals(db, tenant_id)
  const row = await findApproval(db, tenant_id, approval_id)
  if (!row || !(await maySee(row, viewer, context))) throw notFound('approval', approval_id)
  requireMayDecide(row, viewer, now)
  const decisions = [...row.decisions, decisionOf(input, row, viewer, context)]
  const approvals = decisions.filter((one) => one.decision === 'approve')
  const is_given = decision === 'approve' && isConsented(row.demands, approvals)
  const state = decision === 'refuse' ? 'REFUSED' : is_given ? 'APPROVED' : 'PENDING'
  const decided = {
    state,
    decisions,
    use_until: is_given ? new Date(Date.parse(now) + Number(row.use_ms)) : null,
    ended_at: decision === 'refuse' ? new Date(now) : null,
  } as const
  await keepDecision(db, tenant_id, approval_id, decided)
  record(input, row, is_given, context)
  const { protocol, operation, caller_did, caller_tenant } = row
  // The mailbox of a caller of another organization is there.
  if (state !== 'PENDING' && caller_tenant === tenant_id)
    context.notify(caller_did, `approval decided ${approval_id}`, { approval_id, state, protocol, operation })
  return wholeOf({ ...row, ...decided }, viewer, context)
}

/** Others read it beside what the engine says. */
function requireReadable(note: string | undefined): void {
  if (note === undefined || (note.isWellFormed() && !hasHiddenText(note))) return
  throw refuse(
    'invalid_payload',
    'The note holds invisible or direction-changing characters, which would mislead its readers; remove them.',
    { reason: 'hidden text', faults: [{ pointer: '/note', message: 'holds invisible characters' }] },
  )
}

function requireMayDecide(row: ApprovalRow, viewer: Viewer, now: string): void {
  const state = stateAt(row, now)
  if (state !== 'PENDING')
    throw cannot(
      `it is ${state} and no longer waits for a decision; whoever asked can ask again`,
      'not pending',
    )
  if (isKin(viewer.kin, row.caller_kin))
    throw cannot(
      'it is a call of your own, or of an identity with the same root; somebody else must decide it',
      'own call',
    )
  if (countsFor(row, viewer).length === 0)
    throw cannot('it asks others than you; see who can decide it with MAXIM approval_get', 'not an approver')
  if (hasDecided(row, viewer))
    throw cannot(
      'you, or an identity with the same root, have decided it already; somebody else must decide',
      'already decided',
    )
}

function cannot(why: string, reason: string): Refusal {
  return refuse('policy_denied', `This approval cannot be decided by you: ${why}.`, {
    reason,
    denying_policy: 'MAXIM approvals',
  })
}

function decisionOf(
  { approval_id, decision, note }: DecideInput,
  row: ApprovalRow,
  viewer: Viewer,
  { caller, now, vault }: OperationContext<'vault'>,
): StoredDecision {
  const box = note === undefined ? undefined : vault.seal(noteBox(approval_id, row.decisions.length), note)
  return {
    did: viewer.did,
    name: caller.name ?? null,
    kin: viewer.kin,
    decision,
    counts_for: countsFor(row, viewer),
    at: now,
    ...(box && { note: { sealed: box.sealed.toString('base64'), key: box.wrapped_key.toString('base64') } }),
  }
}

/** Both organizations see it where the caller is of another. */
function record(
  { approval_id, decision, note }: DecideInput,
  { protocol, operation, caller_did, caller_tenant, correlation_id }: ApprovalRow,
  is_given: boolean,
  context: OperationContext,
): void {
  const event_type = decision === 'approve' ? 'ApprovalGiven' : 'ApprovalRefused'
  const facts = { approval_id, protocol, operation, caller: caller_did, call: correlation_id }
  context.audit(event_type, decision === 'approve' ? { ...facts, complete: is_given } : facts, {
    ...(caller_tenant !== context.tenant_id && { also: [caller_tenant] }),
    ...(note !== undefined && { supplied: { note_length: note.length } }),
  })
}
