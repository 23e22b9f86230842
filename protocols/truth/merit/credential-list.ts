// MERIT list, our own operation: the credentials an organization issued, and their states.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, ListOf, OneOf, Ref, Timestamp } from '@svc/contract/schema'
import { uuid_form } from '@svc/contract/text-form'
import { type Static, Type } from 'typebox'
import { CredentialRef, credentialRef } from './credential.ts'
import { type ListedCredential, listCredentials, type Withdrawal } from './credential-store.ts'
import { purposes, status_bits, statusListRef } from './status-list.ts'

const credential_states = ['valid', 'suspended', 'revoked', 'expired'] as const
type CredentialState = (typeof credential_states)[number]
const State = OneOf(...credential_states)

export const ListInput = Closed({
  credential_ref: Type.Optional(CredentialRef),
  subject_did: Type.Optional(Did),
  state: Type.Optional(State),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const withdrawal = { at: Timestamp, reason: Type.String(), authority: Type.String(), by: Did }

const CredentialItem = Closed({
  credential_ref: CredentialRef,
  state: State,
  subject_did: Did,
  issuer_did: Did,
  evaluation_ref: Ref,
  issued_at: Timestamp,
  valid_until: Timestamp,
  status_lists: ListOf(Ref, 2, 2),
  index: Type.Integer({ minimum: 0, maximum: status_bits - 1 }),
  revoked: Type.Optional(Closed(withdrawal)),
  suspended: Type.Optional(
    Closed(
      { ...withdrawal, until: Timestamp },
      { description: 'The last suspension, even if it has ended.' },
    ),
  ),
})
type CredentialItem = Static<typeof CredentialItem>

export const ListOutput = Closed({ items: ListOf(CredentialItem, 0, page_max), next_cursor })

export function listOwn(input: ListInput, context: OperationContext): Promise<Static<typeof ListOutput>> {
  const { subject_did, state } = input
  const credential_id = input.credential_ref?.slice('merit://credential/'.length)
  const at = new Date(context.now)
  return listing(input, context, {
    own: 'the credentials',
    id_form: uuid_form,
    read: (bounds) => listCredentials(context, { ...bounds, credential_id, subject_did }),
    placeOf: (row) => ({ at: row.issued_at.toISOString(), id: row.credential_id }),
    isWanted: (row) => state === undefined || stateOf(row, at) === state,
    view: (rows) => rows.map((row) => credentialItem(row, context.tenant_id, at)),
  })
}

/** The worst state first, as an offline check finds it. */
export function stateOf(
  row: Pick<ListedCredential, 'revoked_at' | 'valid_until' | 'is_suspended' | 'suspended_until'>,
  at: Date,
): CredentialState {
  if (row.revoked_at) return 'revoked'
  if (row.valid_until <= at) return 'expired'
  return row.is_suspended && row.suspended_until && row.suspended_until > at ? 'suspended' : 'valid'
}

function credentialItem(row: ListedCredential, tenant_id: string, at: Date): CredentialItem {
  const { list_no, revoked_at, revoked_by, suspended_at, suspended_until, suspended_by } = row
  const { subject_did, issuer_did, evaluation_ref, list_index: index } = row
  return {
    credential_ref: credentialRef(row.credential_id),
    state: stateOf(row, at),
    subject_did,
    issuer_did,
    evaluation_ref,
    issued_at: row.issued_at.toISOString(),
    valid_until: row.valid_until.toISOString(),
    status_lists: purposes.map((purpose) => statusListRef({ tenant_id, list_no, purpose })),
    index,
    ...(revoked_at && revoked_by && { revoked: withdrawn(revoked_at, revoked_by) }),
    ...(suspended_at &&
      suspended_until &&
      suspended_by && {
        suspended: { ...withdrawn(suspended_at, suspended_by), until: suspended_until.toISOString() },
      }),
  }
}

function withdrawn(at: Date, { reason, authority, by }: Withdrawal) {
  return { at: at.toISOString(), reason, authority, by }
}
