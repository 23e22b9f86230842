import type { Receipt } from '../answer.ts'
import { toHex } from './bytes.ts'
import { canonicalText } from './canonical.ts'
import { isObject, wordsOf } from './fault.ts'
import { isSignedBy, readKey, readNote } from './note.ts'
import { type Primitives, platformPrimitives } from './primitives.ts'
import { rootOfPath } from './tree.ts'

/** Whether a receipt proves its record, and if not, why. */
export interface ReceiptVerdict {
  ok: boolean
  reason?: string
}

type ReadonlyReceipt = Omit<Receipt, 'inclusion_path'> & { readonly inclusion_path: readonly string[] }

/**
 * Checks one receipt offline: the record's hash, its path to the root of the tree, and the signature over that root.
 * `publicKeys` (base64url) are those you trust for the tenant. Never throws: whatever is wrong is the verdict.
 *
 * @example
 * ```ts
 * import { createClient, verifyReceipt } from '@svc/sdk'
 *
 * const client = createClient()
 * const shift = { event_type: 'custom.shift_started', meta: { shift: 'night' } }
 * const { metadata } = await client.dispatch('MAX', 'audit_log_entry', shift, { waitForAudit: true })
 * // Read and store the keys once: a stored key proves more than one that came with the receipt.
 * const { keys = [] } = await client.max.audit_query({ after_seq: 0, limit: 1, include_checkpoints: true })
 * const verdict = await verifyReceipt(metadata.receipt, keys.map((key) => key.public_key))
 * console.log(verdict.ok, verdict.reason)
 * ```
 *
 * ```output
 * true undefined
 * ```
 */
export async function verifyReceipt(
  receipt: ReadonlyReceipt | undefined,
  publicKeys: readonly string[],
): Promise<ReceiptVerdict> {
  return await judgeReceipt(receipt, publicKeys, platformPrimitives())
}

export async function judgeReceipt(
  receipt: unknown,
  public_keys: readonly string[],
  primitives: Primitives,
): Promise<ReceiptVerdict> {
  try {
    const reason = await findFault(receipt, public_keys, primitives)
    return reason === undefined ? { ok: true } : { ok: false, reason }
  } catch (error) {
    return { ok: false, reason: `the receipt cannot be read: ${wordsOf(error)}` }
  }
}

async function findFault(
  receipt: unknown,
  public_keys: readonly string[],
  primitives: Primitives,
): Promise<string | undefined> {
  if (!isObject(receipt) || !isObject(receipt.record)) return 'the receipt holds no record'
  const { record, tree_size, inclusion_path, checkpoint } = receipt
  const { previous_hash, record_hash, ...body } = record as Record<string, unknown>
  const { seq, tenant_id } = body
  const previous = typeof previous_hash === 'string' ? previous_hash : ''
  const digest = await primitives.sha256(`${previous}${canonicalText(body)}`)
  if (typeof record_hash !== 'string' || toHex(digest) !== record_hash)
    return 'the record does not have the hash it states'
  const note = readNote(checkpoint)
  if (!note) return 'the checkpoint is no signed note'
  const tenant = typeof tenant_id === 'string' ? tenant_id : 'no tenant'
  const origin = `svc/${tenant}`
  if (note.origin !== origin) return `the checkpoint is not of the chain of ${tenant}`
  if (note.size !== tree_size) return 'the checkpoint is of another size than the receipt'
  const place = { index: typeof seq === 'number' ? seq - 1 : -1, size: note.size }
  const root = await rootOfPath(record_hash, place, inclusion_path, primitives)
  if (root !== note.root) return 'the path does not lead from the record to the signed root'
  for (const public_key of public_keys) {
    if (await isSignedBy(note, await readKey(origin, public_key, primitives))) return undefined
  }
  return 'the checkpoint is not signed by a key you trust'
}
