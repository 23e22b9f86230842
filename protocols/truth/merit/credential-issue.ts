// Issues a credential for a passed evaluation: signed, listed, and stored as erasable content.
import type { OperationContext } from '@svc/contract/operation-context'
import { keepContent, linkContent } from '../../cognition/content/api.ts'
import { proveAsCaller } from '../opinions/api.ts'
import { type Credential, credentialDocument, type UnsignedCredential } from './credential.ts'
import { insertCredential, lockCredentials } from './credential-store.ts'
import { clearEnded, takePlace } from './status-list-store.ts'

export async function issueCredential(
  context: OperationContext<'audit_log' | 'custody' | 'embedder' | 'register' | 'vault'>,
  subject: UnsignedCredential['credentialSubject'],
): Promise<Credential> {
  const { tenant_id, caller, now } = context
  await lockCredentials(context)
  await clearEnded(context)
  const { list_no, list_index } = await takePlace(context)
  const credential_id = context.newId()
  const list = { tenant_id, list_no }
  const terms = { credential_id, issuer: caller.did, now, subject, list, index: list_index }
  const document = credentialDocument(terms)
  const proof = await proveAsCaller(context, document)
  const credential = { ...document, proof } as Credential
  const { id, validUntil: valid_until } = document
  await insertCredential(context, {
    credential_id,
    subject_did: subject.id,
    issuer_did: caller.did,
    evaluation_ref: subject.evaluation,
    list_no,
    list_index,
    valid_until,
  })
  const { commitment } = await keepContent(context, {
    ref: id,
    kind: 'credential',
    body: credential,
    subject_did: subject.id,
  })
  await linkContent(context, id, [{ ref: subject.evaluation }], 'derived_from')
  context.audit('CredentialIssued', {
    credential_ref: id,
    evaluation_ref: subject.evaluation,
    commitment,
    subject_did: subject.id,
    status_lists: document.credentialStatus.map(({ statusListCredential }) => statusListCredential),
    index: list_index,
    valid_until,
    signed_with: proof.verificationMethod,
  })
  return credential
}
