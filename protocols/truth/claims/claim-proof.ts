// The proof of a claim: by its issuer's own key, or by the organization's audit log on its behalf.
import { publicKeys } from '@svc/audit/query/records'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type DataIntegrityProof, verifyProof } from '@svc/contract/signing/data-integrity'
import { isCurrentKey, wasKeyOf } from '../../identity/keys/api.ts'
import { proveAsCaller } from '../opinions/api.ts'
import type { ClaimDocument } from './claim-document.ts'

/** The given proof if it is valid, or one made here. */
export async function requireProof(
  context: OperationContext<'audit_log' | 'custody'>,
  document: ClaimDocument,
  data_integrity_proof: DataIntegrityProof | undefined,
  pointer: string,
): Promise<DataIntegrityProof> {
  if (data_integrity_proof === undefined) return await proveAsCaller(context, document)
  const { did } = context.caller
  const key = verifyProof(document, data_integrity_proof)
  const is_own = key !== undefined && (await isCurrentKey(context.db, did, key))
  if (is_own && (data_integrity_proof.controller ?? did) === did) return data_integrity_proof
  context.alarm('signature invalid', { signed_by: did, domain: 'MavenClaim' })
  throw refuse(
    'invalid_payload',
    `The proof is not a signature of ${did} over this claim; sign the document in the fault with its key (eddsa-jcs-2022).`,
    { reason: 'bad_proof', faults: [{ pointer: `${pointer}/proof`, message: canonicalJson(document) }] },
  )
}

/** Valid now: signed with the issuer's own key, or a past or present key of this organization's audit log. */
export async function isProven(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  document: ClaimDocument,
  proof: unknown,
): Promise<boolean> {
  const key = verifyProof(document, proof)
  if (key === undefined) return false
  if (await wasKeyOf(db, document.issuer, key)) return true
  if ((proof as DataIntegrityProof).controller !== document.issuer) return false
  return (await publicKeys(db, tenant_id)).some(({ public_key }) => public_key === key)
}
