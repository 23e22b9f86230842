// Shared by tests: what a superuser of the database can do to stored records, with triggers off. None of our code can.
import type { Client } from 'pg'
import { openBodies, packBodies } from './pages/bodies.ts'
import { OpenPages } from './pages/open-pages.ts'
import { type PageRecord, page_records, part_records } from './pages/page.ts'
import { insertPages, insertTail } from './pages/page-sql.ts'
import { readRecords, type StoredRecord } from './pages/read-records.ts'
import { clientQuery } from './query/client-query.ts'

/** Everything that is stored of a log, in order. */
export function storedRecords(client: Client, tenant_id: string): Promise<StoredRecord[]> {
  return readRecords(clientQuery(client), tenant_id, [{ from_seq: 1, to_seq: Number.MAX_SAFE_INTEGER }])
}

/** Stores records as the writer does, whatever their hashes. */
export async function storeRecords(client: Client, records: readonly PageRecord[]): Promise<void> {
  const { pages, pieces } = await new OpenPages().add(client, records)
  if (pages.length > 0) await insertPages(client, pages)
  if (pieces.length > 0) await insertTail(client, pieces)
}

export interface Change {
  readonly body?: string
  readonly record_hash?: string
}

/** Overwrites one record where it is stored. */
export async function overwrite(
  client: Client,
  tenant_id: string,
  seq: number,
  change: (stored: StoredRecord) => Change,
): Promise<void> {
  const [stored] = await readRecords(clientQuery(client), tenant_id, [{ from_seq: seq, to_seq: seq }])
  if (!stored) throw new Error(`${tenant_id} has no record ${seq}`)
  const { body = stored.body ?? '', record_hash = stored.record_hash } = change(stored)
  const { rows } = await client.query<PieceRow>(
    `SELECT first_seq, bytes, hashes, ARRAY[octet_length(bytes)] AS part_ends, last_seq, 'audit_tail' AS name FROM audit_tail
     WHERE tenant_id = $1 AND $2 BETWEEN first_seq AND last_seq
     UNION ALL SELECT page * 256 + 1, bytes, hashes, part_ends, last_seq, 'audit_pages' FROM audit_pages
     WHERE tenant_id = $1 AND page = ($2::bigint - 1) / 256`,
    [tenant_id, seq],
  )
  const [row] = rows
  const place = seq - Number(row!.first_seq)
  const parts = row!.part_ends.map((end, part) => row!.bytes.subarray(row!.part_ends[part - 1] ?? 0, end))
  const part = parts.length === 1 ? 0 : Math.floor(place / part_records)
  const bodies = openBodies(parts[part]!, 1, page_records)
  bodies[parts.length === 1 ? place : place % part_records] = body
  parts[part] = packBodies(bodies)
  row!.hashes.write(record_hash, place * 32, 'hex')
  await client.query('SET session_replication_role = replica')
  const values = [tenant_id, row!.last_seq, Buffer.concat(parts), row!.hashes]
  if (row!.name === 'audit_tail') {
    const text = 'UPDATE audit_tail SET bytes = $3, hashes = $4 WHERE tenant_id = $1 AND last_seq = $2'
    await client.query(text, values)
  } else {
    const part_ends = parts.map((_, at) => Buffer.concat(parts.slice(0, at + 1)).length)
    await client.query(
      `UPDATE audit_pages SET bytes = $3, hashes = $4, part_ends = $5, sha256 = sha256($3::bytea)
       WHERE tenant_id = $1 AND last_seq = $2`,
      [...values, part_ends],
    )
  }
  await client.query('RESET session_replication_role')
}

interface PieceRow {
  readonly first_seq: string
  readonly last_seq: string
  readonly bytes: Buffer
  readonly hashes: Buffer
  readonly part_ends: number[]
  readonly name: string
}

/** Overwrites the text of the records of one request. */
export async function overwriteRequest(
  client: Client,
  tenant_id: string,
  correlation_id: string,
  change: (body: string) => string,
): Promise<void> {
  for (const { seq, body } of await storedRecords(client, tenant_id))
    if (body?.includes(`"correlation_id":"${correlation_id}"`))
      await overwrite(client, tenant_id, seq, () => ({ body: change(body) }))
}

/** Removes one record of the tail, so that the chain has a gap. */
export async function remove(client: Client, tenant_id: string, seq: number): Promise<void> {
  await client.query('SET session_replication_role = replica')
  const { rows } = await client.query<{
    first_seq: string
    bytes: Buffer
    hashes: Buffer
    before_hash: Buffer
  }>(
    `DELETE FROM audit_tail WHERE tenant_id = $1 AND $2 BETWEEN first_seq AND last_seq
     RETURNING first_seq, bytes, hashes, before_hash`,
    [tenant_id, seq],
  )
  const [row] = rows
  if (!row) throw new Error(`${tenant_id} has no record ${seq} in its tail`)
  const bodies = openBodies(row.bytes, 1, page_records)
  const first = Number(row.first_seq)
  for (const [from, to] of [
    [0, seq - first],
    [seq - first + 1, bodies.length],
  ] as const) {
    if (from === to) continue
    const before = from === 0 ? row.before_hash : row.hashes.subarray((from - 1) * 32, from * 32)
    const hashes = row.hashes.subarray(from * 32, to * 32)
    await client.query(`INSERT INTO audit_tail VALUES ($1, $2, $3, $4, $5, now(), now(), 1, $6)`, [
      tenant_id,
      first + from,
      first + to - 1,
      before,
      hashes,
      packBodies(bodies.slice(from, to)),
    ])
  }
  await client.query('RESET session_replication_role')
}
