// A tenant's audit log as JSON lines: signers, every record, every checkpoint. Enough to verify it anywhere, offline.
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import type { ClientBase, Pool } from 'pg'
import { hashAt } from '../pages/read-hashes.ts'
import { checkpointOrigin } from '../tree/checkpoint.ts'
import { cosignedNote } from '../witness/cosigned-note.ts'
import type { Query } from './client-query.ts'
import { queryOf } from './query.ts'
import { scanRecords } from './search.ts'

const export_format = 'svc-audit-export/1'
const page_rows = 1_000

export interface ExportSpan {
  readonly from_seq?: number
  /** The export continues to the first signed checkpoint at or after it, so that its end is provable. */
  readonly to_seq?: number
}

export async function* exportChain(
  db: Database | ClientBase | Pool,
  tenant_id: string,
  span: ExportSpan = {},
): AsyncGenerator<string> {
  const query = queryOf(db)
  const from_seq = span.from_seq ?? 1
  const end = await findEnd(query, tenant_id, span.to_seq)
  const to_seq = Number(end.size)
  if (from_seq < 1 || from_seq > to_seq) {
    throw new RangeError(
      `the chain of ${tenant_id} is signed up to record ${to_seq}; there is nothing from ${from_seq} on`,
    )
  }
  const origin = checkpointOrigin(tenant_id)
  const keys = await listKeys(query, tenant_id)
  const previous_hash = await hashBefore(query, tenant_id, from_seq)
  yield JSON.stringify({ format: export_format, tenant_id, origin, keys, from_seq, to_seq, previous_hash })
  for await (const records of scanRecords(query, tenant_id, { from_seq, to_seq }))
    for (const { body, record_hash } of records) yield recordLine(body ?? 'null', record_hash)
  yield* checkpoints(query, tenant_id, from_seq, to_seq - 1)
  // As read at the beginning: while records were written out, a later one may have taken its place.
  yield JSON.stringify({ checkpoint: end.note })
}

/** Built as text: the body stays as it was hashed. */
export function recordLine(body: string, record_hash: string): string {
  return `{"record":${body},"record_hash":"${record_hash}"}`
}

interface CheckpointRow {
  readonly size: string
  readonly note: string
}

const checkpoints_sql = `
  SELECT c.size, ${cosignedNote('c')} AS note FROM audit_checkpoints c
  WHERE c.tenant_id = $1 AND c.size >= $2 AND c.size <= $3 ORDER BY c.size LIMIT ${page_rows}`

async function* checkpoints(
  query: Query,
  tenant_id: string,
  from: number,
  to: number,
): AsyncGenerator<string> {
  for (let next = from; next <= to; ) {
    const rows = await query<CheckpointRow>(checkpoints_sql, [tenant_id, next, to])
    for (const { note } of rows) yield JSON.stringify({ checkpoint: note })
    if (rows.length < page_rows) return
    next = Number(rows.at(-1)!.size) + 1
  }
}

async function findEnd(query: Query, tenant_id: string, to_seq: number | undefined): Promise<CheckpointRow> {
  const [end] = await query<CheckpointRow>(
    `SELECT c.size, ${cosignedNote('c')} AS note FROM (
       (SELECT * FROM audit_checkpoints WHERE tenant_id = $1 AND size >= $2 ORDER BY size LIMIT 1)
       UNION ALL (SELECT * FROM audit_checkpoints WHERE tenant_id = $1 ORDER BY size DESC LIMIT 1)
     ) AS c ORDER BY c.size LIMIT 1`,
    [tenant_id, to_seq ?? Number.MAX_SAFE_INTEGER],
  )
  if (!end) throw new Error(`${tenant_id} has no signed record yet, so there is nothing to export`)
  return end
}

async function listKeys(query: Query, tenant_id: string) {
  const rows = await query<{
    key_id: string
    public_key: Buffer
    from_seq: string
    until_seq: string | null
  }>(
    `SELECT key_id, public_key, from_seq, until_seq FROM audit_keys
     WHERE tenant_id = $1 ORDER BY from_seq, until_seq`,
    [tenant_id],
  )
  return rows.map((row) => ({
    key_id: row.key_id,
    public_key: row.public_key.toString('base64url'),
    from_seq: Number(row.from_seq),
    until_seq: row.until_seq === null ? null : Number(row.until_seq),
  }))
}

async function hashBefore(query: Query, tenant_id: string, seq: number): Promise<string> {
  if (seq === 1) return genesis_hash
  return (await hashAt(query, tenant_id, seq - 1)) ?? genesis_hash
}
