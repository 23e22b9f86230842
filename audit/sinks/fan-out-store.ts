// Reads due records from the committed chains, and stores how far they were sent. The chain itself is the buffer.
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { PageArchive } from '@svc/contract/audit/page-archive'
import type { Pool } from 'pg'
import { readTenants } from '../pages/read-records.ts'
import { clientQuery } from '../query/client-query.ts'
import { recordLine } from '../query/export.ts'

/** A tenant with records to send, and its cursor. */
export interface DueTenant {
  readonly tenant_id: string
  readonly seq: number
  readonly record_hash: string
}

/** One record to send. */
export interface HandedRecord {
  readonly tenant_id: string
  readonly seq: number
  readonly event_type: string
  readonly record_id: string
  readonly previous_hash: string
  readonly record_hash: string
  /** The line of an export. */
  readonly line: string
}

export interface PageLimits {
  readonly rows_max: number
  readonly bytes_max: number
}

// Polled twice a second by every waiting engine: while the lease is held, nothing is locked or written.
const take_lease = `
  INSERT INTO audit_fan_out_leases AS l (topic, epoch, held_until)
  SELECT $1, 1, clock_timestamp() + $2 * interval '1 ms'
  WHERE NOT EXISTS (SELECT FROM audit_fan_out_leases WHERE topic = $1 AND held_until >= clock_timestamp())
  ON CONFLICT (topic) DO UPDATE SET epoch = l.epoch + 1, held_until = excluded.held_until
  WHERE l.held_until < clock_timestamp() RETURNING epoch`

/** This engine's lease number; undefined while another holds it. */
export async function takeLease(db: Pool, topic: string, lease_ms: number): Promise<string | undefined> {
  const { rows } = await db.query<{ epoch: string }>(take_lease, [topic, lease_ms])
  return rows[0]?.epoch
}

/** False where another engine has taken over. */
export async function renewLease(db: Pool, topic: string, epoch: string, lease_ms: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE audit_fan_out_leases SET held_until = clock_timestamp() + $3 * interval '1 ms'
     WHERE topic = $1 AND epoch = $2`,
    [topic, epoch, lease_ms],
  )
  return rowCount === 1
}

export async function releaseLease(db: Pool, topic: string, epoch: string): Promise<void> {
  await db.query(`UPDATE audit_fan_out_leases SET held_until = '-infinity' WHERE topic = $1 AND epoch = $2`, [
    topic,
    epoch,
  ])
}

const due_tenants = `
  SELECT d.tenant_id, coalesce(c.seq, 0) AS seq, encode(c.record_hash, 'hex') AS record_hash
  FROM audit_fan_out_due d LEFT JOIN audit_fan_out_cursors c ON c.topic = $1 AND c.tenant_id = d.tenant_id
  WHERE d.tenant_id > $2 AND d.tenant_id <> ALL($3::text[]) ORDER BY d.tenant_id LIMIT $4`

export async function findDue(
  db: Pool,
  topic: string,
  after_tenant: string,
  aside: readonly string[],
  tenants_max: number,
): Promise<DueTenant[]> {
  const values = [topic, after_tenant, aside, tenants_max]
  const { rows } = await db.query<{ tenant_id: string; seq: string; record_hash: string | null }>(
    due_tenants,
    values,
  )
  return rows.map(({ tenant_id, seq, record_hash }) => ({
    tenant_id,
    seq: Number(seq),
    record_hash: record_hash ?? genesis_hash,
  }))
}

/**
 * The next records of these tenants, each chain without a gap from its cursor: of every tenant its share of the rows. At least one
 * record, so that a large one does not block.
 */
export async function readDue(
  db: Pool,
  due: readonly DueTenant[],
  { rows_max, bytes_max }: PageLimits,
  page_archive?: PageArchive,
): Promise<HandedRecord[]> {
  const share = Math.max(1, Math.floor(rows_max / due.length))
  const ranges = due
    .slice(0, rows_max)
    .map(({ tenant_id, seq }) => ({ tenant_id, from_seq: seq + 1, to_seq: seq + share }))
  const at = new Map(due.map(({ tenant_id, seq, record_hash }) => [tenant_id, { seq, record_hash }]))
  const handed: HandedRecord[] = []
  let bytes = 0
  for (const { tenant_id, seq, record_hash, body } of await readTenants(
    clientQuery(db, page_archive),
    ranges,
  )) {
    const before = at.get(tenant_id)!
    if (seq !== before.seq + 1)
      throw new Error(`the chain of ${tenant_id} goes from record ${before.seq} to ${seq}`)
    if (body === undefined)
      throw new Error(`record ${seq} of ${tenant_id} cannot be read; check the audit log`)
    if (bytes >= bytes_max) break
    bytes += Buffer.byteLength(body)
    at.set(tenant_id, { seq, record_hash })
    handed.push({
      tenant_id,
      seq,
      event_type: eventTypeOf(body),
      record_id: idOf(body),
      previous_hash: before.record_hash,
      record_hash,
      line: recordLine(body, record_hash),
    })
  }
  return handed
}

/** Only strings precede it in a canonical body, and inside a string its quotes would be escaped. */
function idOf(body: string): string {
  return /,"id":"([0-9a-f-]{36})"/.exec(body)?.[1] ?? ''
}

function eventTypeOf(body: string): string {
  return /,"event_type":"([^"]*)"/.exec(body)?.[1] ?? ''
}

const move_cursors = `
  INSERT INTO audit_fan_out_cursors AS c (topic, tenant_id, seq, record_hash)
  SELECT $1, n.tenant_id, n.seq, decode(n.hash, 'hex')
  FROM unnest($2::text[], $3::bigint[], $4::text[]) AS n(tenant_id, seq, hash)
  WHERE true ON CONFLICT (topic, tenant_id) DO UPDATE SET seq = excluded.seq, record_hash = excluded.record_hash
  WHERE c.seq < excluded.seq`

/** Acknowledged records stay so, whoever sent them: a cursor only moves forward. */
export async function moveCursors(db: Pool, topic: string, handed: readonly HandedRecord[]): Promise<void> {
  const last = new Map(handed.map((record) => [record.tenant_id, record]))
  const ends = [...last.keys()].sort().map((tenant_id) => last.get(tenant_id)!)
  await db.query(move_cursors, [
    topic,
    ends.map(({ tenant_id }) => tenant_id),
    ends.map(({ seq }) => seq),
    ends.map(({ record_hash }) => record_hash),
  ])
}

// A row locked by a commit is left for the next round, so that neither waits for the other.
const clear_due = `
  WITH done AS (
    SELECT d.tenant_id FROM audit_fan_out_due d
    JOIN audit_fan_out_cursors c ON c.topic = $1 AND c.tenant_id = d.tenant_id
    WHERE d.tenant_id = ANY($2) AND d.seq <= c.seq ORDER BY d.tenant_id FOR UPDATE OF d SKIP LOCKED
  )
  DELETE FROM audit_fan_out_due d USING done WHERE d.tenant_id = done.tenant_id`

export async function clearDue(db: Pool, topic: string, tenant_ids: readonly string[]): Promise<void> {
  await db.query(clear_due, [topic, tenant_ids])
}

const find_missed = `
  WITH page AS (SELECT tenant_id, seq FROM chain_heads WHERE tenant_id > $2 ORDER BY tenant_id LIMIT $3),
  missed AS (
    INSERT INTO audit_fan_out_due (tenant_id, seq)
    SELECT p.tenant_id, p.seq FROM page p
    LEFT JOIN audit_fan_out_cursors c ON c.topic = $1 AND c.tenant_id = p.tenant_id
    WHERE p.seq > coalesce(c.seq, 0)
      AND NOT EXISTS (SELECT FROM audit_fan_out_due d WHERE d.tenant_id = p.tenant_id AND d.seq >= p.seq)
    ORDER BY p.tenant_id ON CONFLICT (tenant_id) DO UPDATE SET seq = excluded.seq
      WHERE audit_fan_out_due.seq < excluded.seq
  )
  SELECT max(tenant_id) AS last FROM page`

/** Marks chains that grew unmarked: by engines without a fan-out, a command, or a renamed topic. Page by page. */
export async function noteMissed(
  db: Pool,
  topic: string,
  after_tenant: string,
  tenants_max: number,
): Promise<string | undefined> {
  const { rows } = await db.query<{ last: string | null }>(find_missed, [topic, after_tenant, tenants_max])
  return rows[0]?.last ?? undefined
}

/** Committed records that were not yet sent. */
export async function measureLag(db: Pool, topic: string): Promise<number> {
  const { rows } = await db.query<{ lag: string }>(
    `SELECT coalesce(sum(greatest(d.seq - coalesce(c.seq, 0), 0)), 0) AS lag FROM audit_fan_out_due d
     LEFT JOIN audit_fan_out_cursors c ON c.topic = $1 AND c.tenant_id = d.tenant_id`,
    [topic],
  )
  return Number(rows[0]?.lag)
}
