// The state of a chain at a given time: head, tree size, and the note signed over both.
import { queryOf } from '@svc/audit/query/query'
import { findRecords, headOf, newestCheckpoint } from '@svc/audit/query/records'
import { notesCovering } from '@svc/audit/tree/signed-notes'
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'

export interface ChainMoment {
  readonly chain_head: string
  readonly tree_size: number
  /** C2SP signed note; undefined if the log is empty. */
  readonly checkpoint: string | undefined
}

const nothing_written: ChainMoment = { chain_head: genesis_hash, tree_size: 0, checkpoint: undefined }

export async function chainNow(db: Database, tenant_id: string): Promise<ChainMoment> {
  const newest = await newestCheckpoint(db, tenant_id)
  return newest
    ? { chain_head: newest.head, tree_size: newest.size, checkpoint: newest.note }
    : nothing_written
}

/** The first signed note covering the last record of that time. Commit order is nearly the order of times. */
export async function chainAt(db: Database, tenant_id: string, at: string): Promise<ChainMoment> {
  const seq = await lastSeqAt(db, tenant_id, Date.parse(at))
  const note = seq > 0 ? (await notesCovering(queryOf(db), tenant_id, [seq])).get(seq) : undefined
  if (!note) return nothing_written
  const [last] = await findRecords(db, tenant_id, { after_seq: note.size - 1, limit: 1 })
  return { chain_head: last?.record_hash ?? genesis_hash, tree_size: note.size, checkpoint: note.note }
}

/** Binary search: each step is one index lookup, whatever the chain's length. */
async function lastSeqAt(db: Database, tenant_id: string, at_ms: number): Promise<number> {
  let [low, high] = [0, (await headOf(db, tenant_id)).seq]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const [record] = await findRecords(db, tenant_id, { after_seq: middle - 1, limit: 1 })
    if (record && Date.parse(record.timestamp) <= at_ms) low = middle
    else high = middle - 1
  }
  return low
}
