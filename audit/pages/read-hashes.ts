// Record hashes by their places: a quarter of reading the records, and open to whoever may check a log.
import type { Query } from '../query/client-query.ts'
import { pagesOfPeriod, placesOfKeys } from './find-pages.ts'
import { page_records } from './page.ts'
import type { SeqRange } from './read-records.ts'
import { hashKey } from './summary.ts'

const hash_bytes = 32
/** One of 16 million keys is in one page of 16 million records by chance; a log would need 160 billion records to reach this. */
const pages_max = 10_000

const hashes_sql = `
  SELECT piece.first_seq, piece.hashes
  FROM unnest($2::bigint[], $3::bigint[]) AS wanted(from_seq, to_seq) CROSS JOIN LATERAL (
    SELECT cut.first_seq, substring(p.hashes FROM (32 * (cut.first_seq - 1 - p.page * 256) + 1)::integer
      FOR (32 * (least(wanted.to_seq, p.last_seq) - cut.first_seq + 1))::integer) AS hashes
    FROM audit_pages p CROSS JOIN LATERAL (SELECT greatest(wanted.from_seq, p.page * 256 + 1) AS first_seq) cut
    WHERE p.tenant_id = $1 AND p.page BETWEEN (wanted.from_seq - 1) / 256 AND (wanted.to_seq - 1) / 256
    UNION ALL
    SELECT t.first_seq, t.hashes FROM audit_tail t
    WHERE t.tenant_id = $1 AND t.last_seq BETWEEN wanted.from_seq AND (wanted.to_seq + 255) / 256 * 256
      AND t.first_seq <= wanted.to_seq
  ) AS piece`

/** By seq; missing records are missing. */
export async function readHashes(
  query: Query,
  tenant_id: string,
  ranges: readonly SeqRange[],
): Promise<Map<number, Buffer>> {
  const rows = await query<{ first_seq: string; hashes: Buffer }>(hashes_sql, [
    tenant_id,
    ranges.map(({ from_seq }) => from_seq),
    ranges.map(({ to_seq }) => to_seq),
  ])
  const hashes = new Map<number, Buffer>()
  for (const row of rows)
    for (let at = 0; at < row.hashes.length; at += hash_bytes)
      hashes.set(Number(row.first_seq) + at / hash_bytes, row.hashes.subarray(at, at + hash_bytes))
  return hashes
}

export async function hashAt(query: Query, tenant_id: string, seq: number): Promise<string | undefined> {
  const hashes = await readHashes(query, tenant_id, [{ from_seq: seq, to_seq: seq }])
  return hashes.get(seq)?.toString('hex')
}

/** Undefined where this log has no such record. */
export async function seqOfHash(
  query: Query,
  tenant_id: string,
  record_hash: string,
): Promise<number | undefined> {
  const { first_page, last_page, last_full } = await pagesOfPeriod(query, tenant_id, {})
  const pages = { first_page, last_page }
  const places = await placesOfKeys(query, tenant_id, [hashKey(record_hash)], pages, true, pages_max)
  const tail = { from_seq: (last_full + 1) * page_records + 1, to_seq: Number.MAX_SAFE_INTEGER }
  const hashes = await readHashes(query, tenant_id, [
    ...places.map((seq) => ({ from_seq: seq, to_seq: seq })),
    tail,
  ])
  for (const [seq, hash] of hashes) if (hash.toString('hex') === record_hash) return seq
  return undefined
}
