// Records as leaves of the tree: the hash each states, and the hash of its stored text.
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { Query } from '../query/client-query.ts'

export interface Leaf {
  readonly seq: number
  readonly record_hash: string
  /** sha256 of the previous hash and its text, recomputed: where it differs, the row was changed. */
  readonly canonical_commitment: string
}

/** In order; missing records are missing in the result. */
export async function leavesOf(
  query: Query,
  tenant_id: string,
  from_seq: number,
  to_seq: number,
): Promise<Leaf[]> {
  const rows = await query<{ seq: string; record_hash: string; commitment: string }>(
    // One range of the primary key: a join to the previous record would be planned as a scan of the whole chain.
    `SELECT seq, encode(record_hash, 'hex') AS record_hash,
       encode(sha256(convert_to(coalesce(encode(before, 'hex'), $4) || body, 'UTF8')), 'hex') AS commitment
     FROM (
       SELECT seq, record_hash, body,
         CASE WHEN lag(seq) OVER by_seq = seq - 1 THEN lag(record_hash) OVER by_seq END AS before
       FROM audit_records WHERE tenant_id = $1 AND seq BETWEEN $2::bigint - 1 AND $3::bigint
       WINDOW by_seq AS (ORDER BY seq)
     ) AS linked WHERE seq >= $2::bigint ORDER BY seq`,
    [tenant_id, from_seq, to_seq, genesis_hash],
  )
  return rows.map(({ seq, record_hash, commitment }) => ({
    seq: Number(seq),
    record_hash,
    canonical_commitment: commitment,
  }))
}

/** Undefined where this tenant has no such record. */
export async function seqOfHash(
  query: Query,
  tenant_id: string,
  record_hash: string,
): Promise<number | undefined> {
  const rows = await query<{ seq: string }>(
    'SELECT seq FROM audit_records WHERE record_hash = $2 AND tenant_id = $1',
    [tenant_id, Buffer.from(record_hash, 'hex')],
  )
  return rows[0] && Number(rows[0].seq)
}
