// One change of keys without the rest of its log, as a witness gets it: the rules are those for an export.
import { Fault, isObject, wordsOf } from './fault.ts'
import type { ChainKey } from './header.ts'
import { KeyChanges } from './key-changes.ts'
import { readKey, type SigningKey } from './note.ts'
import { platformPrimitives } from './primitives.ts'
import { judgeReceipt } from './receipt.ts'

/** A record with its path to the root of a signed checkpoint, as in a receipt. */
export interface RotationProof {
  readonly record: Record<string, unknown>
  readonly inclusion_path: unknown
  readonly tree_size: number
  readonly checkpoint: string
}

export interface Rotation {
  /** The record of the change, the last one that the old key signs. */
  readonly seq: number
  readonly record_hash: string
  readonly new_key: ChainKey
}

/** The key that follows `old_key` of this log. Throws a Fault if the proof does not show that. */
export async function readRotation(proof: RotationProof, old_key: SigningKey): Promise<Rotation> {
  const { ok, reason } = await judgeReceipt(proof, [old_key.public_key], platformPrimitives())
  if (!ok) throw new Fault(reason ?? 'the receipt is not valid')
  // The receipt is valid, so these have their types.
  const { tenant_id, seq, record_hash } = proof.record as {
    tenant_id: string
    seq: number
    record_hash: string
  }
  const meta = isObject(proof.record.meta) ? proof.record.meta : {}
  const origin = old_key.name
  const after = await readKey(origin, meta.new_public_key).catch((error: unknown) => {
    throw new Fault(wordsOf(error))
  })
  if (after.public_key === old_key.public_key) throw new Fault('the change of keys names the same key again')
  const keys: ChainKey[] = [
    { ...old_key, from_seq: 1, until_seq: seq },
    { ...after, from_seq: seq + 1, until_seq: Infinity },
  ]
  const changes = new KeyChanges({ tenant_id, origin, keys, from_seq: seq, to_seq: seq, previous_hash: '' })
  await changes.takeRecord(seq, proof.record)
  changes.takeCheckpoint(proof.tree_size)
  changes.finish()
  return { seq, record_hash, new_key: keys[1]! }
}
