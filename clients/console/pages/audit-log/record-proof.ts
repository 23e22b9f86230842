// Checks one record against its hash, the previous record and a signed checkpoint, all in this page.
import { type ReceiptVerdict, verifyReceipt } from '@svc/sdk'
import { toHex } from '@svc/sdk/verify/bytes'
import { canonicalText } from '@svc/sdk/verify/canonical'
import { platformPrimitives } from '@svc/sdk/verify/primitives'
import type { AuditLogPage, AuditLogRecord } from './search.ts'

export interface HashedRecord {
  /** The hashed text; undefined if the record has no canonical form because it was tampered with. */
  readonly text: string | undefined
  readonly computed: string | undefined
  readonly is_sound: boolean
}

/** The canonical text of a record, and whether it matches the stated hash. */
export async function hashRecord({
  previous_hash,
  record_hash,
  ...body
}: AuditLogRecord): Promise<HashedRecord> {
  try {
    const text = canonicalText(body)
    const computed = toHex(await platformPrimitives().sha256(previous_hash + text))
    return { text, computed, is_sound: computed === record_hash }
  } catch {
    return { text: undefined, computed: undefined, is_sound: false }
  }
}

export interface ProvedRecord extends HashedRecord {
  readonly record: AuditLogRecord
  readonly receipt: ReceiptVerdict
  /** `consistent`: signed by a key that only the engine vouches for. */
  readonly state: 'verified' | 'consistent' | 'broken'
  readonly tree_size: number | undefined
}

/** Proves each record of a page that includes paths and notes; `trusted` are the auditor's own keys, if any. */
export async function proveRecords(page: AuditLogPage, trusted: readonly string[]): Promise<ProvedRecord[]> {
  const named = (page.keys ?? []).map(({ public_key }) => public_key)
  // A record may be signed by an older key of this log; only the whole log proves that a trusted key succeeded it.
  const keys = trusted.length === 0 || trusted.some((key) => named.includes(key)) ? named : trusted
  const notes = new Map((page.checkpoints ?? []).map(({ size, note }) => [size, note]))
  const proofs = new Map((page.proofs ?? []).map((proof) => [proof.seq, proof]))
  const proved: ProvedRecord[] = []
  for (const record of page.records) {
    const proof = proofs.get(record.seq)
    const checkpoint = proof && notes.get(proof.tree_size)
    const judge = async (accepted: readonly string[]): Promise<ReceiptVerdict> =>
      proof && checkpoint !== undefined
        ? await verifyReceipt({ record, ...proof, checkpoint }, accepted)
        : { ok: false, reason: 'the answer has no path to a signed checkpoint' }
    const receipt = await judge(keys)
    const is_trusted = receipt.ok && (await judge(trusted)).ok
    const state = is_trusted ? 'verified' : receipt.ok ? 'consistent' : 'broken'
    proved.push({ record, ...(await hashRecord(record)), receipt, state, tree_size: proof?.tree_size })
  }
  return proved
}

const others_max = 8

/** The other organizations that the records of a request name; each may have records of it too. */
export function othersNamedIn(records: readonly AuditLogRecord[], own_tenant: string): string[] {
  const named = records.flatMap(({ meta }) => [
    meta.target_tenant,
    meta.caller_tenant,
    meta.from_tenant,
    counterpartOf(meta)?.tenant_id,
  ])
  const others = new Set(named.filter((name): name is string => typeof name === 'string'))
  others.delete(own_tenant)
  return [...others].slice(0, others_max)
}

export interface Counterpart {
  readonly tenant_id: string
  readonly record_hash: string
}

/** The record of the other organization that this one refers to by hash. */
export function counterpartOf(meta: AuditLogRecord['meta']): Counterpart | undefined {
  const { tenant_id, record_hash } = Object(meta.counterpart) as Partial<Counterpart>
  if (typeof tenant_id !== 'string' || typeof record_hash !== 'string') return undefined
  return { tenant_id, record_hash }
}
