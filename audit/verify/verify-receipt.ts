// Checks one receipt offline: the record's hash, its path to the root, and the signature over that root.

import type { Receipt } from '@svc/contract/needs/audit-log'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { isSignedBy, parseNote, readPublicKey } from './verify-note.ts'
import { rootFromInclusion } from './verify-proof.ts'

export interface ReceiptVerdict {
  readonly ok: boolean
  readonly reason?: string
}

/** `public_keys` (base64url) are those the reader trusts for this tenant. Never throws. */
export function verifyReceipt(receipt: Receipt, public_keys: readonly string[]): ReceiptVerdict {
  try {
    const reason = findFault(receipt, public_keys)
    return reason === undefined ? { ok: true } : { ok: false, reason }
  } catch (error) {
    return { ok: false, reason: `the receipt cannot be read: ${(error as Error).message}` }
  }
}

function findFault(receipt: Receipt, public_keys: readonly string[]): string | undefined {
  const { previous_hash, record_hash, ...body } = receipt.record
  if (sha256Hex(previous_hash + canonicalJson(body)) !== record_hash) {
    return 'the record does not have the hash it states'
  }
  const note = parseNote(receipt.checkpoint)
  if (!note) return 'the checkpoint is no signed note'
  const origin = `svc/${body.tenant_id}`
  if (note.origin !== origin) return `the checkpoint is not of the chain of ${body.tenant_id}`
  if (note.size !== receipt.tree_size) return 'the checkpoint is of another size than the receipt'
  const root = rootFromInclusion(record_hash, body.seq - 1, receipt.tree_size, receipt.inclusion_path)
  if (root !== note.root) return 'the path does not lead from the record to the signed root'
  if (!public_keys.some((key) => isSignedBy(note, readPublicKey(origin, key)))) {
    return 'the checkpoint is not signed by a key you trust'
  }
  return undefined
}
