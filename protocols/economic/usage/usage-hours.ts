// The events of ended hours are hashed once, so that a statement over a year reads hours, not events.
import type { Database } from '@svc/contract/database'
import { runway_counter } from '@svc/contract/money/budget-counter'
import { sql } from '@svc/database/sql'
import { HourIds } from './hour-ids.ts'
import { eventsOf } from './usage-store.ts'
import { rootOfHour } from './usage-tree.ts'

const hour_ms = 3_600_000
/** Hours of one tenant stored per round. */
const hours_max = 800

/** Returns how many were stored. Runs as the engine's role. */
export async function keepHours(db: Database, tenant_id: string, now_ms: number): Promise<number> {
  const until = new Date(Math.floor(now_ms / hour_ms) * hour_ms)
  let hours = 0
  for (const hour of await openHours(db, tenant_id, until)) {
    if (!(await keepHour(db, tenant_id, hour, 'kept_until'))) break
    hours++
  }
  for (const hour of await staleHours(db, tenant_id)) if (await keepHour(db, tenant_id, hour, 'hour')) hours++
  return hours
}

/** Hours with usage that are not hashed yet, oldest first. */
async function openHours(db: Database, tenant_id: string, until: Date): Promise<Date[]> {
  const rows = await sql<{ hour: Date }>`
    WITH RECURSIVE hours AS (
      SELECT (SELECT min(hour) FROM meter_sums WHERE tenant_id = ${tenant_id} AND hour < ${until} AND hour >= coalesce(
        (SELECT kept_until FROM billing WHERE tenant_id = ${tenant_id}), '-infinity')) AS hour
      UNION ALL
      SELECT (SELECT min(hour) FROM meter_sums
        WHERE tenant_id = ${tenant_id} AND hour < ${until} AND hour > h.hour)
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
async function keepHour(db: Database, tenant_id: string, hour: Date, since: Since): Promise<boolean> {
  const next = new Date(hour.getTime() + hour_ms)
  const calls = await callsUntil(db, tenant_id, hour, since)
  const ids = new HourIds()
  const span = { from_ms: hour.getTime(), to_ms: next.getTime() }
  for await (const events of eventsOf(db, tenant_id)(span)) ids.add(events)
  const events = ids.countOf(span.from_ms)
  const [[, root] = [0, await rootOfHour(no_ids)]] = await ids.takeRoots(db)
  return db.transaction(async (transaction) => {
    await lockUsage(transaction, tenant_id)
    if ((await callsUntil(transaction, tenant_id, hour, since)) !== calls) return false
    await sql`
      INSERT INTO meter_hours (tenant_id, hour, events, root) VALUES (${tenant_id}, ${hour}, ${events}, ${root})
      ON CONFLICT (tenant_id, hour) DO UPDATE SET events = excluded.events, root = excluded.root`.execute(
      transaction,
    )
    if (since === 'hour') return true
    await sql`
      INSERT INTO billing (tenant_id, kept_until) VALUES (${tenant_id}, ${next})
      ON CONFLICT (tenant_id) DO UPDATE SET kept_until = excluded.kept_until`.execute(transaction)
    return true
  })
}

const no_ids = Buffer.alloc(0)
/** An hour that is kept for the first time also keeps those before it, so nothing may be added to them either. */
type Since = 'kept_until' | 'hour'

async function callsUntil(
  db: Database,
  tenant_id: string,
  hour: Date,
  since: Since,
): Promise<string | undefined> {
  const kept_until = sql`(SELECT kept_until FROM billing WHERE tenant_id = ${tenant_id})`
  const row = await sql<{ calls: string }>`
    SELECT coalesce(sum(calls), 0) AS calls FROM meter_sums WHERE tenant_id = ${tenant_id} AND hour <= ${hour}
      AND hour >= ${since === 'hour' ? sql`${hour}::timestamptz` : sql`coalesce(${kept_until}, '-infinity')`}`.first(
    db,
  )
  return row?.calls
}

/** Blocks metering of this tenant until the transaction ends. Returns the newest metered record. */
export async function lockUsage(db: Database, tenant_id: string): Promise<bigint> {
  await sql`
    INSERT INTO spend (tenant_id, budget_counter, quanta, calls, seq) VALUES (${tenant_id}, ${runway_counter}, 0, 0, 0)
    ON CONFLICT DO NOTHING`.execute(db)
  const row = await sql<{ seq: string }>`
    SELECT seq FROM spend WHERE tenant_id = ${tenant_id} AND budget_counter = ${runway_counter} FOR UPDATE`.first(
    db,
  )
  return BigInt(row!.seq)
}
