// Redaction after its transaction: old row versions in files, and inputs that reach the audit log later.
import { forgetInputs } from '@svc/audit/inputs/forget-inputs'
import { findRecords } from '@svc/audit/query/records'
import type { Database } from '@svc/contract/database'
import { tenant_setting } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import { callsThatBrought } from './redaction.ts'

/** Rewriting blocks searches: a large table waits until enough is due. */
const bytes_at_once_max = 64 * 1024 * 1024
const large_wait_ms = 15 * 60_000
const lock_ms_max = 2_000
const ask_every_s = 0.05
const asks_max = 40
const batch_max = 200
const records_of_call_max = 64
const ask_again_ms_min = 1_000
const ask_again_ms_max = 3_600_000
/** How late an engine that crashed with the record in its journal may return. */
const ask_ms_max = 30 * 86_400_000

/** Before this version only an owner may rewrite a table: there, autovacuum removes dead rows. */
const version_min = 170_000
/** Their dead rows hold words, or keys to words. */
const scrubbed_tables = ['content_index', 'kg_entity_index', 'content_key']

/** Runs as the engine's role. Returns the number of redactions advanced. */
export async function sweepRedactions(db: Database, now: Date): Promise<number> {
  return (await forgetLateInputs(db, now)) + (await scrubFiles(db, now))
}

interface Unforgotten {
  readonly tenant_id: string
  readonly ref: string
  readonly version: number
  readonly correlation_id: string
  readonly record_id: string
  readonly redacted_at: Date
}

async function forgetLateInputs(db: Database, now: Date): Promise<number> {
  const rows = await sql<Unforgotten>`
    SELECT tenant_id, ref, version, correlation_id, record_id, redacted_at FROM content_redaction
    WHERE forget_at <= ${now} ORDER BY forget_at LIMIT ${batch_max}`.all(db)
  for (const [tenant_id, due] of Map.groupBy(rows, (row) => row.tenant_id))
    await db.transaction((transaction) => forgetOf(transaction, tenant_id, due, now))
  return rows.length
}

async function forgetOf(
  db: Database,
  tenant_id: string,
  due: readonly Unforgotten[],
  now: Date,
): Promise<void> {
  await sql`SELECT set_config(${tenant_setting}, ${tenant_id}, true)`.execute(db)
  // Read before forgetInputs, or a record written in between would be missed.
  const correlation_ids = [...new Set(due.map(({ correlation_id }) => correlation_id))]
  const limit = correlation_ids.length * records_of_call_max
  const records = await findRecords(db, tenant_id, { correlation_ids, limit })
  const record_ids = new Set(records.map(({ id }) => id))
  await forgetInputs(db, tenant_id, await callsThatBrought({ db, tenant_id }, due))
  for (const { ref, version, record_id, redacted_at } of due) {
    const age_ms = now.getTime() - redacted_at.getTime()
    const is_over = record_ids.has(record_id) || age_ms > ask_ms_max
    const wait_ms = Math.min(ask_again_ms_max, Math.max(ask_again_ms_min, age_ms / 4))
    await sql`UPDATE content_redaction SET forget_at = ${is_over ? null : new Date(now.getTime() + wait_ms)}
      WHERE tenant_id = ${tenant_id} AND ref = ${ref} AND version = ${version}`.execute(db)
  }
}

/** Every snapshot, also a rewrite's, reaches back to the oldest transaction of the whole server. */
const scrubbable = sql`scrubbed_at IS NULL AND revision < pg_snapshot_xmin(pg_current_snapshot())`

async function scrubFiles(db: Database, now: Date): Promise<number> {
  return await db.connection(async (connection) => {
    const row = await sql<{ newest: string; oldest: Date; bytes: string }>`
      SELECT max(revision)::text AS newest, min(redacted_at) AS oldest,
        pg_total_relation_size('content_index') AS bytes
      FROM content_redaction WHERE ${scrubbable} AND current_setting('server_version_num')::integer >= ${version_min}
      HAVING count(*) > 0`.first(connection)
    const due = row
    if (!due) return 0
    const waited_ms = now.getTime() - due.oldest.getTime()
    if (Number(due.bytes) > bytes_at_once_max && waited_ms < large_wait_ms) return 0
    if (!(await othersEnd(connection))) return 0
    await rewrite(connection)
    const { numAffectedRows } = await sql`UPDATE content_redaction SET scrubbed_at = ${now}
      WHERE scrubbed_at IS NULL AND revision <= ${due.newest}::xid8`.execute(connection)
    return Number(numAffectedRows ?? 0)
  })
}

/** A rewrite keeps rows visible to running transactions: true once all that began before have ended. */
async function othersEnd(connection: Database): Promise<boolean> {
  const rows = await sql<{ virtualxid: string }>`SELECT virtualxid FROM pg_locks
    WHERE locktype = 'virtualxid' AND pid <> pg_backend_pid()`.all(connection)
  const under_way = rows.map(({ virtualxid }) => virtualxid)
  for (let attempt = 1; attempt <= asks_max; attempt++) {
    const left = await sql`SELECT FROM pg_locks
      WHERE locktype = 'virtualxid' AND virtualxid = ANY(${under_way}) LIMIT 1`.execute(connection)
    if (left.rows.length === 0) return true
    await sql`SELECT pg_sleep(${ask_every_s})`.execute(connection)
  }
  return false
}

async function rewrite(connection: Database): Promise<void> {
  await sql`SELECT set_config('lock_timeout', ${String(lock_ms_max)}, false)`.execute(connection)
  try {
    for (const table of scrubbed_tables) await sql`VACUUM FULL ${sql.table(table)}`.execute(connection)
  } finally {
    await sql`SELECT set_config('lock_timeout', '0', false)`.execute(connection)
  }
}
