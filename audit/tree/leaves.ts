// Records as leaves of the tree: the hash each states, and the hash of its stored text.
import { recordHash } from '@svc/contract/audit/audit-record'
import { readRecords } from '../pages/read-records.ts'
import type { Query } from '../query/client-query.ts'

export interface Leaf {
  readonly seq: number
  readonly record_hash: string
  /** sha256 of the previous hash and its text, recomputed: where it differs, the record was changed. */
  readonly canonical_commitment: string
}

/** In order; missing records are missing in the result. */
export async function leavesOf(
  query: Query,
  tenant_id: string,
  from_seq: number,
  to_seq: number,
): Promise<Leaf[]> {
  const records = await readRecords(query, tenant_id, [{ from_seq, to_seq }])
  return records.map(({ seq, record_hash, previous_hash, body = '' }) => ({
    seq,
    record_hash,
    canonical_commitment: recordHash(previous_hash, body),
  }))
}
