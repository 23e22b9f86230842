// MERIT list, our own operation: the credentials an organization issued, and their states.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, described, ListOf, OneOf, Ref, Timestamp } from '@svc/contract/schema'
import { uuid_form } from '@svc/contract/text-form'
import { type Static, Type } from 'typebox'
import { CredentialRef, credentialRef } from './credential.ts'
import { type ListedCredential, listCredentials, type Withdrawal } from './credential-store.ts'
import { purposes, status_bits, statusListRef } from './status-list.ts'

const credential_states = ['valid', 'suspended', 'revoked', 'expired'] as const
type CredentialState = (typeof credential_states)[number]
const State = described(
  OneOf(...credential_states),
  'The worst that applies; suspended may become valid again.',
)

export const ListInput = Closed({
  credential_ref: Type.Optional(described(CredentialRef, 'Only this credential.')),
  subject_did: Type.Optional(described(Did, 'Only credentials of this identity.')),
  state: Type.Optional(described(State, 'Only credentials in this state now.')),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const withdrawal = {
  at: described(Timestamp, 'When it was withdrawn.'),
  reason: Type.String({ description: 'Why.' }),
  authority: Type.String({ description: 'What authorized it.' }),
  by: described(Did, 'Who did it.'),
}

const CredentialItem = Closed({
  credential_ref: described(CredentialRef, 'Names the credential.'),
  state: State,
  subject_did: described(Did, 'Who is certified.'),
  issuer_did: described(Did, 'Who certifies.'),
  evaluation_ref: described(Ref, 'Evaluation it rests on.'),
  issued_at: described(Timestamp, 'When it was issued.'),
  valid_until: described(Timestamp, 'It is valid until then.'),
  status_lists: described(ListOf(Ref, 2, 2), 'Public lists of revoked and of suspended credentials.'),
  index: Type.Integer({
    minimum: 0,
    maximum: status_bits - 1,
    description: 'Place of this credential in both lists.',
  }),
  revoked: Type.Optional(Closed(withdrawal, { description: 'How it was revoked; absent: it was not.' })),
  suspended: Type.Optional(
    Closed(
      { ...withdrawal, until: described(Timestamp, 'When the suspension ends or ended.') },
      { description: 'The last suspension, even if it has ended.' },
    ),
  ),
})
type CredentialItem = Static<typeof CredentialItem>

export const ListOutput = Closed({
  items: described(ListOf(CredentialItem, 0, page_max), 'Credentials of your organization, newest first.'),
  next_cursor,
})

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
