// The verifier's own reading of key changes: each stands in the chain, signed by both keys, under the old key's last checkpoint.
import { type KeyObject, verify } from 'node:crypto'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type ExportHeader, type ExportKey, Fault, isRecord } from './verify-header.ts'

const rotation_event = 'AuditKeyRotated'
const signing_domain = 'svc-audit-v1'

interface KeyChange {
  readonly from: ExportKey
  readonly to: ExportKey
}

/** What the header says of its keys against what the chain says of them. */
export class KeyChanges {
  readonly #tenant_id: string
  /** By the seq of the record that must tell of it: the last one of the old key. */
  readonly #expected = new Map<number, KeyChange>()
  readonly #unsigned: Set<number>

  constructor({ tenant_id, keys, from_seq, to_seq }: ExportHeader) {
    this.#tenant_id = tenant_id
    for (const [i, from] of keys.entries()) {
      const to = keys[i + 1]
      if (to && from.until_seq !== null) this.#expected.set(from.until_seq, { from, to })
    }
    const in_span = [...this.#expected.keys()].filter((seq) => seq >= from_seq && seq <= to_seq)
    this.#unsigned = new Set(in_span)
  }

  takeRecord(seq: number, record: Record<string, unknown>): void {
    const change = this.#expected.get(seq)
    const tells = record.event_type === rotation_event
    if (!change && !tells) return
    if (!change) {
      throw new Fault('the record tells of a change of keys that the header does not know', seq)
    }
    if (!tells) {
      const { from, to } = change
      throw new Fault(`the key ${to.key_id} follows ${from.key_id}, but no record tells of the change`, seq)
    }
    const meta = isRecord(record.meta) ? record.meta : {}
    if (!this.#isSignedByBoth(seq, change, meta)) {
      throw new Fault('the change of keys is not signed by the key before it and the key after it', seq)
    }
  }

  /** Called with checkpoints whose signer is known to be the key of their time. */
  takeCheckpoint(size: number): void {
    this.#unsigned.delete(size)
  }

  /** Without the old key's last checkpoint a thief of the new key could write anew what stood before it. */
  finish(): void {
    for (const seq of this.#unsigned) {
      throw new Fault('no checkpoint of the old key covers the change of keys', seq)
    }
  }

  #isSignedByBoth(seq: number, { from, to }: KeyChange, meta: Record<string, unknown>): boolean {
    const { old_key_id, new_key_id, new_public_key, old_signature, new_signature } = meta
    // Ids are four bytes of a digest: only the whole key says which one is meant.
    const is_this_change =
      old_key_id === from.key_id && new_key_id === to.key_id && new_public_key === to.public_key
    if (!is_this_change) return false
    const place = { seq, tenant_id: this.#tenant_id }
    return (
      isStatementOf(from.key, { ...place, old_key_id, new_public_key }, old_signature) &&
      isStatementOf(to.key, { ...place, new_key_id, old_key_id }, new_signature)
    )
  }
}

function isStatementOf(key: KeyObject, statement: object, signature: unknown): boolean {
  if (typeof signature !== 'string') return false
  const bytes = Buffer.from(signature, 'base64url')
  if (bytes.length !== 64 || bytes.toString('base64url') !== signature) return false
  return verify(null, Buffer.from(`${signing_domain}\n${canonicalJson(statement)}`), key, bytes)
}
