// Reading the book. Runs inside the caller's tenant-scoped transaction, so row-level security stands behind every line.
import { type AuditRecord, genesis_hash, recordHash } from '@svc/contract/audit-record'
import type { Database } from '@svc/contract/operation-context'
import { type RawBuilder, sql } from 'kysely'

export interface RecordFilter {
  readonly correlation_ids?: readonly string[]
  readonly event_types?: readonly string[]
  readonly protocol?: string
  readonly operation?: string
  readonly outcome?: string
  readonly caller_did?: string
  readonly from?: string
  readonly to?: string
  readonly after_seq?: number
  readonly limit: number
}

interface Row {
  seq: string
  body: string
  record_hash: Buffer
  previous_hash: Buffer | null
}

/** In seq order, each with the hash of the record before it. */
export async function findRecords(
  db: Database,
  tenant_id: string,
  filter: RecordFilter,
): Promise<AuditRecord[]> {
  const { rows } = await sql<Row>`
    SELECT r.seq, r.body, r.record_hash, (
      SELECT p.record_hash FROM audit_records p WHERE p.tenant_id = r.tenant_id AND p.seq = r.seq - 1
    ) AS previous_hash
    FROM audit_records r
    WHERE ${sql.join([sql`r.tenant_id = ${tenant_id}`, ...conditions(filter)], sql` AND `)}
    ORDER BY ${orderOf(filter)}
    LIMIT ${filter.limit}`.execute(db)
  return rows.map(recordOf)
}

/** A request has few records: sought by its id they are sorted afterwards, or the planner walks the whole chain in order. */
function orderOf(filter: RecordFilter): RawBuilder<unknown> {
  return filter.correlation_ids ? sql`r.seq + 0` : sql`r.tenant_id, r.seq`
}

function conditions(filter: RecordFilter): RawBuilder<unknown>[] {
  const tests: RawBuilder<unknown>[] = []
  if (filter.correlation_ids) tests.push(sql`r.correlation_id = ANY(${filter.correlation_ids}::uuid[])`)
  if (filter.event_types) tests.push(sql`r.event_type = ANY(${filter.event_types}::text[])`)
  for (const column of ['protocol', 'operation', 'outcome', 'caller_did'] as const) {
    if (filter[column] !== undefined) tests.push(sql`${sql.ref(`r.${column}`)} = ${filter[column]}`)
  }
  if (filter.from) tests.push(sql`r.at >= ${filter.from}`)
  if (filter.to) tests.push(sql`r.at < ${filter.to}`)
  if (filter.after_seq !== undefined) tests.push(sql`r.seq > ${filter.after_seq}`)
  return tests
}

function recordOf(row: Row): AuditRecord {
  return {
    ...JSON.parse(row.body),
    previous_hash: row.previous_hash?.toString('hex') ?? genesis_hash,
    record_hash: row.record_hash.toString('hex'),
  }
}

export interface Head {
  readonly seq: number
  readonly hash: string
}

export async function headOf(db: Database, tenant_id: string): Promise<Head> {
  const { rows } = await sql<{ seq: string; head_hash: Buffer }>`
    SELECT seq, head_hash FROM chain_heads WHERE tenant_id = ${tenant_id}`.execute(db)
  return rows[0]
    ? { seq: Number(rows[0].seq), hash: rows[0].head_hash.toString('hex') }
    : { seq: 0, hash: genesis_hash }
}

export interface Span {
  readonly first_seq: number
  readonly last_seq: number
}

/** The records whose time lies in a half-open period; undefined where there are none. */
export async function spanOf(
  db: Database,
  tenant_id: string,
  from: string,
  to: string,
): Promise<Span | undefined> {
  const { rows } = await sql<{ first_seq: string | null; last_seq: string | null }>`
    SELECT min(seq) AS first_seq, max(seq) AS last_seq FROM audit_records
    WHERE tenant_id = ${tenant_id} AND at >= ${from} AND at < ${to}`.execute(db)
  const [found] = rows
  if (!found?.first_seq) return undefined
  return { first_seq: Number(found.first_seq), last_seq: Number(found.last_seq) }
}

export interface SpanCount {
  readonly outcome: string
  readonly event_type: string
  readonly count: number
}

export async function countSpan(db: Database, tenant_id: string, span: Span): Promise<SpanCount[]> {
  const { rows } = await sql<{ outcome: string; event_type: string; count: string }>`
    SELECT outcome, event_type, count(*) AS count FROM audit_records
    WHERE tenant_id = ${tenant_id} AND seq BETWEEN ${span.first_seq} AND ${span.last_seq}
    GROUP BY outcome, event_type ORDER BY event_type, outcome`.execute(db)
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

export interface SpanVerdict {
  readonly ok: boolean
  readonly first_bad_seq?: number
  readonly gaps: readonly number[]
}

const page_size = 2000
const gaps_max = 100

/** Recomputes every hash of a span and its link to the record before it. */
export async function verifySpan(
  db: Database,
  tenant_id: string,
  span: Span,
  signal?: AbortSignal,
): Promise<SpanVerdict> {
  const gaps: number[] = []
  let first_bad_seq: number | undefined
  let previous = await hashBefore(db, tenant_id, span.first_seq)
  let expected = span.first_seq
  while (expected <= span.last_seq) {
    signal?.throwIfAborted()
    const { rows } = await sql<Row>`
      SELECT seq, body, record_hash FROM audit_records
      WHERE tenant_id = ${tenant_id} AND seq BETWEEN ${expected} AND ${span.last_seq}
      ORDER BY seq LIMIT ${page_size}`.execute(db)
    if (rows.length === 0) break
    for (const row of rows) {
      const seq = Number(row.seq)
      noteGaps(gaps, expected, seq - 1)
      const stored = row.record_hash.toString('hex')
      if (seq !== expected || !isSound(row, seq, previous, stored)) first_bad_seq ??= Math.min(expected, seq)
      previous = stored
      expected = seq + 1
    }
  }
  noteGaps(gaps, expected, span.last_seq)
  const bad = first_bad_seq ?? gaps[0]
  return bad === undefined ? { ok: true, gaps } : { ok: false, first_bad_seq: bad, gaps }
}

function noteGaps(gaps: number[], from: number, to: number): void {
  for (let missing = from; missing <= to && gaps.length < gaps_max; missing++) gaps.push(missing)
}

function isSound(row: Row, seq: number, previous: string, stored: string): boolean {
  return recordHash(previous, row.body) === stored && JSON.parse(row.body).seq === seq
}

async function hashBefore(db: Database, tenant_id: string, seq: number): Promise<string> {
  if (seq <= 1) return genesis_hash
  const { rows } = await sql<{ record_hash: Buffer }>`
    SELECT record_hash FROM audit_records WHERE tenant_id = ${tenant_id} AND seq = ${seq - 1}`.execute(db)
  return rows[0]?.record_hash.toString('hex') ?? genesis_hash
}

export interface PublicKey {
  readonly key_id: string
  /** base64url, 32 bytes. */
  readonly public_key: string
  readonly from_seq: number
  readonly until_seq: number | null
}

/** The keys a tenant's checkpoints are signed with, newest first. */
export async function publicKeys(db: Database, tenant_id: string): Promise<PublicKey[]> {
  const { rows } = await sql<{
    key_id: string
    public_key: Buffer
    from_seq: string
    until_seq: string | null
  }>`
    SELECT key_id, public_key, from_seq, until_seq FROM audit_keys
    WHERE tenant_id = ${tenant_id} ORDER BY from_seq DESC`.execute(db)
  return rows.map((row) => ({
    key_id: row.key_id,
    public_key: row.public_key.toString('base64url'),
    from_seq: Number(row.from_seq),
    until_seq: row.until_seq === null ? null : Number(row.until_seq),
  }))
}

export interface NewestCheckpoint {
  readonly size: number
  readonly root: string
  readonly note: string
}

export async function newestCheckpoint(
  db: Database,
  tenant_id: string,
): Promise<NewestCheckpoint | undefined> {
  const { rows } = await sql<{ size: string; root: Buffer; note: string }>`
    SELECT size, root, note FROM audit_checkpoints
    WHERE tenant_id = ${tenant_id} ORDER BY size DESC LIMIT 1`.execute(db)
  return rows[0] && { size: Number(rows[0].size), root: rows[0].root.toString('hex'), note: rows[0].note }
}
