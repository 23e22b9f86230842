// What the tail has of a page, read back to fill the page.
import { type AuditBody, recordHash } from '@svc/contract/audit/audit-record'
import type { ClientBase } from 'pg'
import { openBodies } from './bodies.ts'
import { type PageRecord, page_records, pageOf } from './page.ts'

/** What is known of a page that is not full. */
export interface OpenPage {
  readonly records: readonly PageRecord[]
  /** The latest time of any record before this page. */
  readonly latest_before_ms: number
}

interface TailRow {
  readonly first_seq: string
  readonly before_hash: Buffer
  readonly hashes: Buffer
  readonly format: number
  readonly bytes: Buffer
}

/** The records of the page of `next_seq` that come before it. Undefined where the tail was changed: then it stays as it is, as evidence. */
export async function readOpenPage(
  client: ClientBase,
  tenant_id: string,
  next_seq: number,
): Promise<OpenPage | undefined> {
  const page = pageOf(next_seq)
  const tail = await client.query<TailRow>(
    `SELECT first_seq, before_hash, hashes, format, bytes FROM audit_tail
     WHERE tenant_id = $1 AND last_seq > $2::bigint * 256 AND last_seq < $3 ORDER BY last_seq`,
    [tenant_id, page, next_seq],
  )
  const before = await client.query<{ latest_at: Date }>(
    'SELECT latest_at FROM audit_pages WHERE tenant_id = $1 AND page < $2 ORDER BY page DESC LIMIT 1',
    [tenant_id, page],
  )
  try {
    const records = tail.rows.flatMap((row) => recordsOf(tenant_id, row))
    if (records.length !== (next_seq - 1) % page_records) return undefined
    return { records, latest_before_ms: before.rows[0]?.latest_at.getTime() ?? 0 }
  } catch {
    return undefined
  }
}

function recordsOf(
  tenant_id: string,
  { first_seq, before_hash, hashes, format, bytes }: TailRow,
): PageRecord[] {
  let previous_hash = before_hash.toString('hex')
  return openBodies(bytes, format, page_records).map((body, index) => {
    const record_hash = hashes.toString('hex', index * 32, (index + 1) * 32)
    if (recordHash(previous_hash, body) !== record_hash)
      throw new Error(`record ${first_seq} + ${index} was changed`)
    const fields = JSON.parse(body) as AuditBody
    const record = { tenant_id, seq: Number(first_seq) + index, body, fields, previous_hash, record_hash }
    previous_hash = record_hash
    return record
  })
}
