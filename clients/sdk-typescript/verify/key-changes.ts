// A key change is a record signed by the old and the new key, covered by the old key's last checkpoint.
import { fromBase64url, utf8 } from './bytes.ts'
import { canonicalText } from './canonical.ts'
import { Fault, isObject } from './fault.ts'
import type { ChainKey, Header } from './header.ts'
import type { Later } from './primitives.ts'

const rotation_event = 'AuditKeyRotated'
const signing_domain = 'svc-audit-v1'
const signature_bytes = 64

interface Change {
  readonly before: ChainKey
  readonly after: ChainKey
}

/** Compares the header's keys with the key changes in the chain. */
export class KeyChanges {
  readonly #tenant_id: string
  /** Keyed by the last record of the old key, which must be the key change. */
  readonly #changes = new Map<number, Change>()
  readonly #uncovered = new Set<number>()

  constructor({ tenant_id, keys, from_seq, to_seq }: Header) {
    this.#tenant_id = tenant_id
    keys.slice(1).forEach((after, i) => {
      const before = keys[i]!
      this.#changes.set(before.until_seq, { before, after })
      if (before.until_seq >= from_seq && before.until_seq <= to_seq) this.#uncovered.add(before.until_seq)
    })
  }

  takeRecord(seq: number, record: Record<string, unknown>): Later<void> {
    const change = this.#changes.get(seq)
    const tells = record.event_type === rotation_event
    if (change) return this.#takeChange(seq, record, change, tells)
    if (tells) throw new Fault('the record tells of a change of keys that the header does not know', seq)
  }

  async #takeChange(
    seq: number,
    record: Record<string, unknown>,
    { before, after }: Change,
    tells: boolean,
  ): Promise<void> {
    if (!tells) {
      const who = `the key ${after.key_id} follows ${before.key_id}`
      throw new Fault(`${who}, but no record tells of the change`, seq)
    }
    const meta = isObject(record.meta) ? record.meta : {}
    if (!(await this.#isSignedByBoth(seq, before, after, meta))) {
      throw new Fault('the change of keys is not signed by the key before it and the key after it', seq)
    }
  }

  takeCheckpoint(size: number): void {
    this.#uncovered.delete(size)
  }

  /** Without the old key's last checkpoint, a thief of the new key could rewrite earlier records. */
  finish(): void {
    for (const seq of this.#uncovered) {
      throw new Fault('no checkpoint of the old key covers the change of keys', seq)
    }
  }

  async #isSignedByBoth(
    seq: number,
    before: ChainKey,
    after: ChainKey,
    meta: Record<string, unknown>,
  ): Promise<boolean> {
    const { old_key_id, new_key_id, new_public_key, old_signature, new_signature } = meta
    if (old_key_id !== before.key_id || new_key_id !== after.key_id) return false
    // An id is only four bytes of a digest, so the whole key is compared.
    if (new_public_key !== after.public_key) return false
    const place = { seq, tenant_id: this.#tenant_id }
    return (
      (await isStatementOf(before, { ...place, old_key_id, new_public_key }, old_signature)) &&
      (await isStatementOf(after, { ...place, new_key_id, old_key_id }, new_signature))
    )
  }
}

async function isStatementOf(key: ChainKey, statement: object, signature: unknown): Promise<boolean> {
  const bytes = typeof signature === 'string' ? fromBase64url(signature) : undefined
  if (bytes?.length !== signature_bytes) return false
  return await key.isSigned(utf8(`${signing_domain}\n${canonicalText(statement)}`), bytes)
}
