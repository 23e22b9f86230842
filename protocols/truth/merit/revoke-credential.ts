// MERIT revoke: revokes or suspends a credential; verifiers see it in the signed list.
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, OneOf, Ref, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { faulty } from '../opinions/api.ts'
import { CredentialRef } from './credential.ts'
import { requireCover, seeRuling } from './credential-authority.ts'
import {
  type CredentialRow,
  findCredential,
  lockCredentials,
  setRevoked,
  setSuspended,
  type Withdrawal,
} from './credential-store.ts'
import { purposes, type StatusPurpose, status_bits, statusListRef } from './status-list.ts'
import { changeBits, clearEnded, registeredList, requireRoom } from './status-list-store.ts'

export const RevokeInput = Closed({
  credential_ref: described(CredentialRef, 'Credential to withdraw.'),
  reason: described(
    OneOf('error', 'misconduct', 'expired_basis', 'superseded', 'order'),
    'expired_basis: what it rests on no longer holds. order: somebody entitled demands it.',
  ),
  authority: Type.Union([Ref, Did], {
    description:
      'The DID of the issuer, who must be the caller; a MACE verdict that binds MERIT.revoke to the credential or its subject; ' +
      'or a final MOOT ruling, as moot://ruling/<id> or moot://case/<id>.',
  }),
  purpose: Type.Optional(
    Type.Enum([...purposes], {
      default: 'revocation',
      description: 'Revocation is for good; suspension ends at until.',
    }),
  ),
  until: Type.Optional(
    Type.String({
      ...Timestamp,
      description: 'When the suspension ends; required for a suspension, not allowed otherwise.',
    }),
  ),
})
type RevokeInput = Static<typeof RevokeInput>

export const RevokeOutput = Closed({
  credential_ref: described(CredentialRef, 'The credential.'),
  status: described(OneOf('revoked', 'suspended'), 'Its status from now on.'),
  status_list_ref: described(Ref, 'Public list that says so.'),
  registered: Type.String({
    ...Ref,
    description: 'The public signed list in MARS query_registry.',
  }),
  index: Type.Integer({ minimum: 0, maximum: status_bits - 1, description: 'Its place in the list.' }),
  revoked_at: described(Timestamp, 'When it was withdrawn; the first time if it was already.'),
  until: Type.Optional(described(Timestamp, 'When the suspension ends.')),
  authority: Type.String({ description: 'What authorized it.' }),
})
type RevokeOutput = Static<typeof RevokeOutput>

export async function revoke(
  input: RevokeInput,
  context: OperationContext<'audit_log' | 'register' | 'requireAuthority'>,
): Promise<RevokeOutput> {
  const { credential_ref, purpose = 'revocation' } = input
  requireUntil(input, purpose, context.now)
  // Before any lock: waiting for another call must not block others.
  const ruling = await seeRuling(context, input.authority)
  await lockCredentials(context)
  await clearEnded(context)
  const before = await requireCredential(context, credential_ref)
  if (isDone(before, input, context)) return await answer(context, before, purpose)
  const authority = await requireCover(context, before, input.authority, ruling)
  if (before.revoked_at && purpose === 'revocation') return await answer(context, before, purpose)
  if (before.revoked_at)
    throw refuse('policy_denied', `${credential_ref} is revoked; it cannot be suspended.`, {
      reason: 'credential is revoked; suspension needs one that stands',
    })
  const by = { reason: input.reason, authority, by: context.caller.did }
  await withdraw(context, before, purpose, input.until, by)
  const done = await answer(context, await requireCredential(context, credential_ref), purpose)
  const { status, status_list_ref, registered, index, until } = done
  const output = {
    credential_ref,
    purpose,
    status,
    reason: input.reason,
    authority,
    status_list_ref,
    registered,
  }
  context.audit('CredentialRevoked', { ...output, index, until, subject_did: before.subject_did })
  return done
}

async function requireCredential(context: OperationContext, ref: string): Promise<CredentialRow> {
  const credential = await findCredential(context, ref.slice('merit://credential/'.length))
  if (!credential) throw notFound('credential', ref)
  return credential
}

function requireUntil({ until }: RevokeInput, purpose: StatusPurpose, now: string): void {
  if (purpose === 'revocation' && until !== undefined)
    throw faulty('until', '/until', 'belongs to a suspension; what is revoked stays revoked')
  if (purpose === 'revocation') return
  if (until === undefined) throw faulty('until', '/until', 'is needed to suspend: when does it end?')
  if (!isMoment(until)) throw faulty('no_such_moment', '/until', 'is no moment that exists')
  if (Date.parse(until) <= Date.parse(now)) throw faulty('until', '/until', 'is over already')
}

/** A repeated request with the same authority: a verdict already consumed is not required again. */
function isDone(
  before: CredentialRow,
  { purpose, until, authority }: RevokeInput,
  { caller }: OperationContext,
) {
  const by = purpose === 'suspension' ? before.suspended_by : before.revoked_by
  if (by?.authority !== authority || by.by !== caller.did) return false
  if (purpose !== 'suspension') return true
  return before.is_suspended && before.suspended_until?.getTime() === Date.parse(until!)
}

async function withdraw(
  context: OperationContext<'audit_log' | 'register'>,
  { credential_id, list_no, list_index, is_suspended }: CredentialRow,
  purpose: StatusPurpose,
  until: string | undefined,
  by: Withdrawal,
): Promise<void> {
  if (purpose === 'suspension') {
    if (!is_suspended) await requireRoom(context, list_no)
    await setSuspended(context, credential_id, until!, by)
  } else {
    await setRevoked(context, credential_id, by)
    // A revoked credential need not stay suspended.
    if (is_suspended) await changeBits(context, 'suspension', list_no, [{ list_index, is_set: false }])
  }
  await changeBits(context, purpose, list_no, [{ list_index, is_set: true }])
}

async function answer(
  context: OperationContext,
  row: CredentialRow,
  purpose: StatusPurpose,
): Promise<RevokeOutput> {
  const { credential_id, list_no, list_index } = row
  const is_revoked = purpose === 'revocation'
  const at = is_revoked ? row.revoked_at! : row.suspended_at!
  return {
    credential_ref: `merit://credential/${credential_id}`,
    status: is_revoked ? 'revoked' : 'suspended',
    status_list_ref: statusListRef({ tenant_id: context.tenant_id, purpose, list_no }),
    registered: await registeredList(context, purpose, list_no),
    index: list_index,
    revoked_at: at.toISOString(),
    ...(!is_revoked && { until: row.suspended_until!.toISOString() }),
    authority: (is_revoked ? row.revoked_by! : row.suspended_by!).authority,
  }
}
