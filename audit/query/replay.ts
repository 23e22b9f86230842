// Verifies another tenant's audit log: readable records are checked without seeing the ones around them.
import { type AuditRecord, recordHash } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { isSignedBy, readKey, readNote } from '@svc/sdk/verify/note'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import { seqOfHash } from '../pages/read-hashes.ts'
import { recordsToCheck, type StoredRecord } from '../pages/read-records.ts'
import { inclusionProof } from '../tree/tree-store.ts'
import type { Query } from './client-query.ts'
import { queryOf } from './query.ts'
import { findRecords, newestCheckpoint, publicKeys, type RecordFilter } from './records.ts'
import { unsoundAmong } from './span.ts'

/** A record with the result of its proofs. */
export interface ReplayedRecord {
  readonly record: AuditRecord
  readonly hash_ok: boolean
  readonly signature_ok: boolean
}

/** Records of a chain this tenant may read, each with its true predecessor, rehashed and checked against the signed tree. */
export async function replayRecords(
  db: Database,
  tenant_id: string,
  filter: RecordFilter,
): Promise<ReplayedRecord[]> {
  const records = await findRecords(db, tenant_id, filter)
  return await replayed(db, tenant_id, records)
}

/** One record by its hash; undefined where there is none that this tenant may read. */
export async function replayRecord(
  db: Database,
  tenant_id: string,
  record_hash: string,
): Promise<ReplayedRecord | undefined> {
  const seq = await seqOfHash(queryOf(db), tenant_id, record_hash)
  if (seq === undefined) return undefined
  return (await replayRecords(db, tenant_id, { after_seq: seq - 1, before_seq: seq + 1, limit: 1 }))[0]
}

async function replayed(
  db: Database,
  tenant_id: string,
  records: readonly AuditRecord[],
): Promise<ReplayedRecord[]> {
  if (records.length === 0) return []
  const query = queryOf(db)
  const seqs = records.map(({ seq }) => seq)
  const unsound = new Set(await unsoundAmong(query, tenant_id, seqs))
  const keys = (await publicKeys(db, tenant_id)).map(({ public_key }) => public_key)
  const replayed_records: ReplayedRecord[] = []
  for (const record of records) {
    const hash_ok = !unsound.has(record.seq)
    replayed_records.push({ record, hash_ok, signature_ok: hash_ok && (await isSigned(query, record, keys)) })
  }
  return replayed_records
}

async function isSigned(query: Query, record: AuditRecord, keys: readonly string[]): Promise<boolean> {
  const [checkpoint] = await query<{ size: string; note: string }>(
    'SELECT size, note FROM audit_checkpoints WHERE tenant_id = $1 AND size >= $2 ORDER BY size LIMIT 1',
    [record.tenant_id, record.seq],
  )
  if (!checkpoint) return false
  const tree_size = Number(checkpoint.size)
  try {
    const inclusion_path = await inclusionProof(query, record.tenant_id, record.seq - 1, tree_size)
    const receipt = { record, inclusion_path, tree_size, checkpoint: checkpoint.note }
    return (await verifyReceipt(receipt, keys)).ok
  } catch (error) {
    // A missing leaf leaves nothing to prove with; a failing database is another matter.
    if ((error as { code?: string }).code !== undefined) throw error
    return false
  }
}

const faults_max = 100
const records_at_once = 1_024

/** Consecutive records whose links are checked at once. Longer spans need an offline verifier. */
export const span_max = 100_000

/** The first breaks of the chain between two records; empty where there is none. */
export async function spanFaults(
  db: Database,
  tenant_id: string,
  first_seq: number,
  last_seq: number,
): Promise<number[]> {
  const query = queryOf(db)
  const faults: number[] = []
  let previous: StoredRecord | undefined
  let expected = Math.max(first_seq, last_seq - span_max + 1)
  while (expected <= last_seq && faults.length < faults_max) {
    const to_seq = Math.min(last_seq, expected + records_at_once - 1)
    const { records } = await recordsToCheck(query, tenant_id, [{ from_seq: expected, to_seq }])
    const by_seq = new Map(records.map((record) => [record.seq, record]))
    for (; expected <= to_seq; expected++) {
      const record = by_seq.get(expected)
      const follows = record && (previous === undefined || record.previous_hash === previous.record_hash)
      if (!record || !follows || recordHash(record.previous_hash, record.body ?? '') !== record.record_hash)
        faults.push(expected)
      previous = record
    }
  }
  return faults.slice(0, faults_max)
}

/** Whether the newest note of a log is signed by one of its keys; false where this tenant may not see it. */
export async function isAuditLogSigned(db: Database, tenant_id: string): Promise<boolean> {
  const newest = await newestCheckpoint(db, tenant_id)
  const note = newest && readNote(newest.note)
  const origin = `svc/${tenant_id}`
  if (!note || note.origin !== origin) return false
  const keys = await publicKeys(db, tenant_id)
  for (const { public_key } of keys)
    if (await isSignedBy(note, await readKey(origin, public_key))) return true
  return false
}
