// Verifies another tenant's audit log: readable records are checked without seeing the ones around them.
import { type AuditRecord, genesis_hash } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { app_role, engine_role, type Migration, tenant_setting } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import { isSignedBy, readKey, readNote } from '@svc/sdk/verify/note'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import { inclusionProof } from '../tree/tree-store.ts'
import { isSound, type RecordRow, row_columns } from '../writer/record-row.ts'
import type { Query } from './client-query.ts'
import { queryOf } from './query.ts'
import { findRecords, newestCheckpoint, publicKeys, type RecordFilter } from './records.ts'

const me = `current_setting('${tenant_setting}', true)`
const may_check = `(owner = ${me} OR svc_may_check(owner))`
const faults_max = 100

const definers = [
  'svc_hashes_before(text, bigint[])',
  'svc_tree_nodes(text, integer[], bigint[], bigint[])',
  'svc_span_faults(text, bigint, bigint)',
]

// Hashes do not reveal what was hashed, so anybody who may check a log may have those of records it may not read.
export const replay_migrations: readonly Migration[] = [
  {
    name: '2026-11-16-50-replay',
    sql: `
      -- Evidence names a record by its hash alone.
      CREATE INDEX audit_records_by_hash ON audit_records USING hash (record_hash);
      CREATE FUNCTION svc_hashes_before(owner text, wanted bigint[]) RETURNS TABLE (seq bigint, previous_hash bytea)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $before$
        SELECT p.seq + 1, p.record_hash FROM audit_records p
        WHERE p.tenant_id = owner AND p.seq = ANY(SELECT w - 1 FROM unnest(wanted) w) AND ${may_check}
      $before$;
      CREATE FUNCTION svc_tree_nodes(owner text, levels integer[], firsts bigint[], pasts bigint[])
        RETURNS TABLE (level integer, index bigint, hash bytea)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $nodes$
        SELECT n.level, n.index, n.hash FROM unnest(levels, firsts, pasts) AS wanted(level, first, past)
        CROSS JOIN LATERAL (
          SELECT t.level::integer, t.index, t.hash FROM audit_tree t
            WHERE t.tenant_id = owner AND t.level = wanted.level AND t.index >= wanted.first AND t.index < wanted.past
          UNION ALL
          SELECT 0, r.seq - 1, r.record_hash FROM audit_records r
            WHERE wanted.level = 0 AND r.tenant_id = owner AND r.seq > wanted.first AND r.seq <= wanted.past
        ) AS n WHERE ${may_check}
      $nodes$;
      -- Where a chain is broken between two of its records: gaps, and rows that do not have the hash they state.
      CREATE FUNCTION svc_span_faults(owner text, first_seq bigint, last_seq bigint) RETURNS TABLE (seq bigint)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $faults$
        SELECT place FROM generate_series(first_seq, last_seq) AS place
        LEFT JOIN audit_records r ON r.tenant_id = owner AND r.seq = place
        LEFT JOIN audit_records p ON p.tenant_id = owner AND p.seq = place - 1
        WHERE ${may_check} AND (r.seq IS NULL OR (p.seq IS NULL AND place > 1) OR r.record_hash <>
          sha256(convert_to(coalesce(encode(p.record_hash, 'hex'), '${genesis_hash}') || r.body, 'UTF8')))
        ORDER BY place LIMIT ${faults_max}
      $faults$;
      GRANT CREATE ON SCHEMA public TO ${engine_role};
      ${definers
        .map(
          (name) => `
      ALTER FUNCTION ${name} OWNER TO ${engine_role};
      REVOKE ALL ON FUNCTION ${name} FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION ${name} TO ${app_role}, ${engine_role};`,
        )
        .join('')}
      REVOKE CREATE ON SCHEMA public FROM ${engine_role};
    `,
  },
]

/** A record with the result of its proofs. */
export interface ReplayedRecord {
  readonly record: AuditRecord
  readonly hash_ok: boolean
  readonly signature_ok: boolean
}

/** Records of a chain this tenant may read, each with its true predecessor, rehashed and checked against the signed tree. */
export async function replayRecords(
  db: Database,
  tenant_id: string,
  filter: RecordFilter,
): Promise<ReplayedRecord[]> {
  const records = await findRecords(db, tenant_id, filter)
  return await replayed(db, tenant_id, records)
}

/** One record by its hash; undefined where there is none that this tenant may read. */
export async function replayRecord(
  db: Database,
  tenant_id: string,
  record_hash: string,
): Promise<ReplayedRecord | undefined> {
  const row = await sql<{ seq: string }>`
    SELECT seq FROM audit_records
    WHERE record_hash = ${Buffer.from(record_hash, 'hex')} AND tenant_id = ${tenant_id}`.first(db)
  if (!row) return undefined
  const after_seq = Number(row.seq) - 1
  return (await replayRecords(db, tenant_id, { after_seq, limit: 1 }))[0]
}

async function replayed(
  db: Database,
  tenant_id: string,
  records: readonly AuditRecord[],
): Promise<ReplayedRecord[]> {
  if (records.length === 0) return []
  const query = queryOf(db)
  const before = await hashesBefore(query, tenant_id, records)
  const unsound = await unsoundAmong(db, tenant_id, before, records)
  const keys = (await publicKeys(db, tenant_id)).map(({ public_key }) => public_key)
  const replayed_records: ReplayedRecord[] = []
  for (const shown of records) {
    const record = { ...shown, previous_hash: before.get(shown.seq) ?? genesis_hash }
    const hash_ok = !unsound.has(record.seq)
    replayed_records.push({ record, hash_ok, signature_ok: hash_ok && (await isSigned(query, record, keys)) })
  }
  return replayed_records
}

/** Checked against their rows: the exact hashed text, and the columns they were found by. */
async function unsoundAmong(
  db: Database,
  tenant_id: string,
  before: ReadonlyMap<number, string>,
  records: readonly AuditRecord[],
): Promise<Set<number>> {
  const rows = await sql<RecordRow>`
    SELECT ${row_columns} FROM audit_records r
    WHERE r.tenant_id = ${tenant_id} AND r.seq = ANY(${records.map(({ seq }) => seq)}::bigint[])`.all(db)
  const unsound = rows.filter((row) => !isSound(row, before.get(Number(row.seq)) ?? genesis_hash))
  return new Set(unsound.map(({ seq }) => Number(seq)))
}

async function hashesBefore(
  query: Query,
  tenant_id: string,
  records: readonly AuditRecord[],
): Promise<Map<number, string>> {
  const rows = await query<{ seq: string; previous_hash: Buffer }>(
    'SELECT seq, previous_hash FROM svc_hashes_before($1, $2)',
    [tenant_id, records.map(({ seq }) => seq)],
  )
  return new Map(rows.map(({ seq, previous_hash }) => [Number(seq), previous_hash.toString('hex')]))
}

async function isSigned(query: Query, record: AuditRecord, keys: readonly string[]): Promise<boolean> {
  const [checkpoint] = await query<{ size: string; note: string }>(
    'SELECT size, note FROM audit_checkpoints WHERE tenant_id = $1 AND size >= $2 ORDER BY size LIMIT 1',
    [record.tenant_id, record.seq],
  )
  if (!checkpoint) return false
  const tree_size = Number(checkpoint.size)
  // The proof needs the same nodes, but of a log whose leaves it cannot see itself.
  const nodesOf: Query = (_sql, values) =>
    query('SELECT level, index, hash FROM svc_tree_nodes($1, $2, $3, $4)', values)
  try {
    const inclusion_path = await inclusionProof(nodesOf, record.tenant_id, record.seq - 1, tree_size)
    const receipt = { record, inclusion_path, tree_size, checkpoint: checkpoint.note }
    return (await verifyReceipt(receipt, keys)).ok
  } catch (error) {
    // A missing leaf leaves nothing to prove with; a failing database is another matter.
    if ((error as { code?: string }).code !== undefined) throw error
    return false
  }
}

/** Consecutive records whose links are checked at once. Longer spans need an offline verifier. */
export const span_max = 100_000

/** The first breaks of the chain between two records; empty where there is none. */
export async function spanFaults(
  db: Database,
  tenant_id: string,
  first_seq: number,
  last_seq: number,
): Promise<number[]> {
  const rows = await queryOf(db)<{ seq: string }>('SELECT seq FROM svc_span_faults($1, $2, $3)', [
    tenant_id,
    Math.max(first_seq, last_seq - span_max + 1),
    last_seq,
  ])
  return rows.map(({ seq }) => Number(seq))
}

/** Whether the newest note of a log is signed by one of its keys; false where this tenant may not see it. */
export async function isAuditLogSigned(db: Database, tenant_id: string): Promise<boolean> {
  const newest = await newestCheckpoint(db, tenant_id)
  const note = newest && readNote(newest.note)
  const origin = `svc/${tenant_id}`
  if (!note || note.origin !== origin) return false
  const keys = await publicKeys(db, tenant_id)
  for (const { public_key } of keys)
    if (await isSignedBy(note, await readKey(origin, public_key))) return true
  return false
}
