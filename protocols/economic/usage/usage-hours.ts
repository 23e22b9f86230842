// Closed hours are summed and hashed once, so that a statement over a year reads hours, not events.
import type { Database } from '@svc/contract/database'
import { runway_counter } from '@svc/contract/money/budget-counter'
import { sql } from '@svc/database/sql'
import { rootOfHour } from './usage-tree.ts'

const hour_ms = 3_600_000
/** Hours of one tenant stored per round. */
const hours_max = 800

/** Returns how many were stored. Runs as the engine's role. */
export async function keepHours(db: Database, tenant_id: string, now_ms: number): Promise<number> {
  const until = new Date(Math.floor(now_ms / hour_ms) * hour_ms)
  let hours = 0
  for (const hour of await openHours(db, tenant_id, until)) {
    if (!(await keepHour(db, tenant_id, hour))) break
    hours++
  }
  for (const hour of await staleHours(db, tenant_id)) if (await remakeHour(db, tenant_id, hour)) hours++
  return hours
}

/** Hours with events that are not stored yet, oldest first. */
async function openHours(db: Database, tenant_id: string, until: Date): Promise<Date[]> {
  const rows = await sql<{ hour: Date }>`
    WITH RECURSIVE hours AS (
      SELECT (SELECT date_trunc('hour', min(at), 'UTC') FROM meter_events WHERE tenant_id = ${tenant_id}
        AND at < ${until} AND at >= coalesce(
          (SELECT kept_until FROM billing WHERE tenant_id = ${tenant_id}), '-infinity')) AS hour
      UNION ALL
      SELECT (SELECT date_trunc('hour', min(at), 'UTC') FROM meter_events
        WHERE tenant_id = ${tenant_id} AND at < ${until} AND at >= h.hour + interval '1 hour')
      FROM hours h WHERE h.hour IS NOT NULL
    )
    SELECT hour FROM hours WHERE hour IS NOT NULL LIMIT ${hours_max}`.all(db)
  return rows.map(({ hour }) => hour)
}

async function staleHours(db: Database, tenant_id: string): Promise<Date[]> {
  const rows = await sql<{ hour: Date }>`
    SELECT hour FROM meter_hours WHERE tenant_id = ${tenant_id} AND root IS NULL
    ORDER BY hour LIMIT ${hours_max}`.all(db)
  return rows.map(({ hour }) => hour)
}

/** Computes without blocking the audit writer; locks only at the end, to check that nothing was added. */
function keepHour(db: Database, tenant_id: string, hour: Date): Promise<boolean> {
  return tryTransaction(db, async (transaction) => {
    const made = await makeHour(transaction, tenant_id, hour)
    await lockUsage(transaction, tenant_id)
    const row = await sql<{ events: string }>`
      SELECT count(*) AS events FROM meter_events WHERE tenant_id = ${tenant_id} AND at < ${nextHour(hour)}
        AND at >= coalesce((SELECT kept_until FROM billing WHERE tenant_id = ${tenant_id}), '-infinity')`.first(
      transaction,
    )
    if (Number(row!.events) !== made.events) return false
    await setRoot(transaction, tenant_id, made)
    await sql`
      INSERT INTO billing (tenant_id, kept_until) VALUES (${tenant_id}, ${nextHour(hour)})
      ON CONFLICT (tenant_id) DO UPDATE SET kept_until = excluded.kept_until`.execute(transaction)
    return true
  })
}

/** Only while it is still stale: another engine may have been faster. */
function remakeHour(db: Database, tenant_id: string, hour: Date): Promise<boolean> {
  return tryTransaction(db, async (transaction) => {
    const made = await makeHour(transaction, tenant_id, hour)
    await lockUsage(transaction, tenant_id)
    const row = await sql<{ events: string; stale: boolean }>`
      SELECT count(*) AS events, EXISTS (
        SELECT FROM meter_hours WHERE tenant_id = ${tenant_id} AND hour = ${hour} AND root IS NULL) AS stale
      FROM meter_events
      WHERE tenant_id = ${tenant_id} AND at >= ${hour} AND at < ${nextHour(hour)}`.first(transaction)
    if (!row!.stale || Number(row!.events) !== made.events) return false
    await setRoot(transaction, tenant_id, made)
    return true
  })
}

interface MadeHour {
  readonly hour: Date
  readonly events: number
  readonly root: Buffer
}

/** Events are only added, so an equal count means equal events. */
async function makeHour(db: Database, tenant_id: string, hour: Date): Promise<MadeHour> {
  const row = await sql<{ events: string; ids: Buffer | null }>`
    SELECT count(*) AS events, string_agg(uuid_send(event_id), ''::bytea ORDER BY event_id) AS ids
    FROM meter_events WHERE tenant_id = ${tenant_id} AND at >= ${hour} AND at < ${nextHour(hour)}`.first(db)
  const { events, ids } = row!
  await sql`DELETE FROM meter_sums WHERE tenant_id = ${tenant_id} AND hour = ${hour}`.execute(db)
  await sql`
    INSERT INTO meter_sums (tenant_id, hour, protocol, operation, caller_did, origin, envelope_id, rate, calls,
      tokens, ms, uwh, quanta)
    SELECT tenant_id, ${hour}::timestamptz, protocol, operation, caller_did, origin, envelope_id, rate, count(*),
      sum(tokens_in + tokens_out), sum(ms), sum(uwh), sum(quanta)
    FROM meter_events WHERE tenant_id = ${tenant_id} AND at >= ${hour} AND at < ${nextHour(hour)}
    GROUP BY tenant_id, protocol, operation, caller_did, origin, envelope_id, rate`.execute(db)
  return { hour, events: Number(events), root: rootOfHour(ids ?? Buffer.alloc(0)) }
}

/** Needs the lock on the tenant's usage. */
async function setRoot(db: Database, tenant_id: string, { hour, events, root }: MadeHour): Promise<void> {
  await sql`
    INSERT INTO meter_hours (tenant_id, hour, events, root) VALUES (${tenant_id}, ${hour}, ${events}, ${root})
    ON CONFLICT (tenant_id, hour) DO UPDATE SET events = excluded.events, root = excluded.root`.execute(db)
}

/** Blocks metering of this tenant until the transaction ends. Returns the newest metered record. */
export async function lockUsage(db: Database, tenant_id: string): Promise<bigint> {
  await sql`
    INSERT INTO spend (tenant_id, purse, quanta, calls, seq) VALUES (${tenant_id}, ${runway_counter}, 0, 0, 0)
    ON CONFLICT DO NOTHING`.execute(db)
  const row = await sql<{ seq: string }>`
    SELECT seq FROM spend WHERE tenant_id = ${tenant_id} AND purse = ${runway_counter} FOR UPDATE`.first(db)
  return BigInt(row!.seq)
}

class Undone extends Error {}

/** Rolls back if the work returns false. */
async function tryTransaction(db: Database, work: (db: Database) => Promise<boolean>): Promise<boolean> {
  try {
    await db.transaction(async (transaction) => {
      if (!(await work(transaction))) throw new Undone()
    })
    return true
  } catch (error) {
    if (error instanceof Undone) return false
    throw error
  }
}

function nextHour(hour: Date): Date {
  return new Date(hour.getTime() + hour_ms)
}
