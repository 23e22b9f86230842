// Reads the audit log. Runs inside the caller's tenant-scoped transaction, under row-level security.
import { type AuditRecord, genesis_hash } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { type Fragment, sql } from '@svc/database/sql'
import { cosignedNote } from '../witness/cosigned-note.ts'
import { type LinkedRow, linked_columns, recordOf } from '../writer/record-row.ts'
import { type SeqBounds, seqBounds } from './time-bounds.ts'

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
  readonly before_seq?: number
  /** From the end of the chain backwards. */
  readonly newest_first?: boolean
  readonly limit: number
}

/** In seq order, each with the hash of the record before it. */
export async function findRecords(
  db: Database,
  tenant_id: string,
  filter: RecordFilter,
): Promise<AuditRecord[]> {
  const bounds = filter.correlation_ids ? {} : await seqBounds(db, tenant_id, filter)
  const rows = await sql<LinkedRow>`
    SELECT ${linked_columns}
    FROM audit_records r
    WHERE ${sql.join([sql`r.tenant_id = ${tenant_id}`, ...conditions({ ...filter, ...bounds })], sql` AND `)}
    ORDER BY ${orderOf(filter)}
    LIMIT ${filter.limit}`.all(db)
  return rows.map(recordOf)
}

/** A request has few records: found by its id they are sorted afterwards, or the planner scans the whole chain in order. */
function orderOf(filter: RecordFilter): Fragment {
  if (filter.correlation_ids) return filter.newest_first ? sql`r.seq + 0 DESC` : sql`r.seq + 0`
  return filter.newest_first ? sql`r.tenant_id DESC, r.seq DESC` : sql`r.tenant_id, r.seq`
}

function conditions(filter: RecordFilter & SeqBounds): Fragment[] {
  const tests: Fragment[] = []
  if (filter.correlation_ids) tests.push(sql`r.correlation_id = ANY(${filter.correlation_ids}::uuid[])`)
  if (filter.event_types) tests.push(eventTest(filter.event_types))
  for (const column of ['protocol', 'operation', 'caller_did'] as const) {
    if (filter[column] !== undefined) tests.push(sql`${sql.ref(`r.${column}`)} = ${filter[column]}`)
  }
  // Inlined, not a parameter: a cached plan must know whether the index of refusals covers it.
  if (filter.outcome !== undefined) tests.push(sql`r.outcome = ${sql.lit(filter.outcome)}`)
  if (filter.from) tests.push(sql`r.at >= ${filter.from}`)
  if (filter.to) tests.push(sql`r.at < ${filter.to}`)
  if (filter.after_seq !== undefined) tests.push(sql`r.seq > ${filter.after_seq}`)
  if (filter.before_seq !== undefined) tests.push(sql`r.seq < ${filter.before_seq}`)
  if (filter.first_seq !== undefined) tests.push(sql`r.seq >= ${filter.first_seq}`)
  if (filter.last_seq !== undefined) tests.push(sql`r.seq <= ${filter.last_seq}`)
  return tests
}

/** A single one is found in the order of its index, several have to be sorted. */
function eventTest(event_types: readonly string[]): Fragment {
  const [first, ...more] = event_types
  const test =
    more.length === 0 ? sql`r.event_type = ${first}` : sql`r.event_type = ANY(${event_types}::text[])`
  if (event_types.includes('ProtocolInvocation')) return test
  return sql`${test} AND r.event_type <> 'ProtocolInvocation'`
}

export interface Head {
  readonly seq: number
  readonly hash: string
}

export async function headOf(db: Database, tenant_id: string): Promise<Head> {
  const row = await sql<{ seq: string; head_hash: Buffer }>`
    SELECT seq, head_hash FROM chain_heads WHERE tenant_id = ${tenant_id}`.first(db)
  return row ? { seq: Number(row.seq), hash: row.head_hash.toString('hex') } : { seq: 0, hash: genesis_hash }
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
  const rows = await sql<{
    key_id: string
    public_key: Buffer
    from_seq: string
    until_seq: string | null
  }>`
    SELECT key_id, public_key, from_seq, until_seq FROM audit_keys
    WHERE tenant_id = ${tenant_id} ORDER BY from_seq DESC`.all(db)
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
  /** Hash of the last record it covers. */
  readonly head: string
}

export async function newestCheckpoint(
  db: Database,
  tenant_id: string,
): Promise<NewestCheckpoint | undefined> {
  // One statement, so that the head matches this checkpoint while others are being written.
  const rows = await sql<{ size: string; root: Buffer; note: string; head: Buffer | null }>`
    SELECT c.size, c.root, ${sql.raw(cosignedNote('c'))} AS note, r.record_hash AS head FROM audit_checkpoints c
    LEFT JOIN audit_records r ON r.tenant_id = c.tenant_id AND r.seq = c.size
    WHERE c.tenant_id = ${tenant_id} ORDER BY c.size DESC LIMIT 1`.all(db)
  const [row_read] = rows
  return (
    row_read && {
      size: Number(row_read.size),
      root: row_read.root.toString('hex'),
      note: row_read.note,
      head: row_read.head?.toString('hex') ?? genesis_hash,
    }
  )
}

/** Requests whose events of these kinds name something, such as a contract; the newest first. */
export async function correlationsNaming(
  db: Database,
  tenant_id: string,
  event_types: readonly string[],
  name: string,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ correlation_id: string }>`
    SELECT correlation_id FROM audit_records
    WHERE tenant_id = ${tenant_id} AND event_type = ANY(${event_types}::text[]) AND position(${name} IN body) > 0
      AND event_type <> 'ProtocolInvocation'
    GROUP BY correlation_id ORDER BY max(seq) DESC LIMIT ${limit}`.all(db)
  return rows.map(({ correlation_id }) => correlation_id)
}
