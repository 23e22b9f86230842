// Signs a document for a caller who did not: with its key if in custody, else with the audit log's.
import { publicKeys } from '@svc/audit/query/records'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { type DataIntegrityProof, proveDocument } from '@svc/contract/signing/data-integrity'

const rotations_max = 3

/** Names the caller as controller; the verification method names the key. */
export async function proveAsCaller(
  context: OperationContext<'audit_log' | 'custody'>,
  document: Readonly<Record<string, unknown>>,
): Promise<DataIntegrityProof> {
  const { custody, caller, now } = context
  const public_key = await custody.publicKeyOf(caller.did)
  if (public_key === undefined) return proveByAuditLog(context, document)
  const sign = async (bytes: Uint8Array) => (await custody.sign(caller.did, bytes))!.signature
  return proveDocument(document, { public_key, sign }, { created: now, controller: caller.did })
}

/** The signed document contains the key's name, so a rotation in between is retried. */
async function proveByAuditLog(
  context: OperationContext<'audit_log'>,
  document: Readonly<Record<string, unknown>>,
): Promise<DataIntegrityProof> {
  const { audit_log, db, tenant_id, now, caller } = context
  const [newest] = await publicKeys(db, tenant_id)
  let public_key = newest?.public_key ?? (await audit_log.sign(Buffer.from('which key'))).public_key
  for (let attempt = 0; attempt < rotations_max; attempt++) {
    let signed_with = public_key
    const sign = async (bytes: Uint8Array) => {
      const made = await audit_log.sign(bytes)
      signed_with = made.public_key
      return made.signature
    }
    const proof = await proveDocument(
      document,
      { public_key, sign },
      { created: now, controller: caller.did },
    )
    if (signed_with === public_key) return proof
    public_key = signed_with
  }
  throw refuse('adapter_error', "The audit log's key was rotated while it was signing; try again.", {
    reason: 'key rotated',
  })
}
