// What budget counters have spent, according to the database. Limits, enforced elsewhere, start from this.
import type { Database } from '@svc/contract/database'
import { parseCounter } from '@svc/contract/money/budget-counter'
import { sql } from '@svc/database/sql'

export interface Spent {
  readonly quanta: bigint
  readonly calls: bigint
}

const span = { week: sql`interval '7 days'`, hour: sql`interval '1 hour'` }

export async function spentOf(db: Database, tenant_id: string, budget_counter: string): Promise<Spent> {
  const parsed = parseCounter(budget_counter)
  if (parsed.kind !== 'week' && parsed.kind !== 'hour') {
    const row = await sql<{ quanta: string; calls: string }>`
      SELECT quanta, calls FROM spend WHERE tenant_id = ${tenant_id} AND purse = ${budget_counter}`.first(db)
    return asSpent(row)
  }
  const { kind, from, did, capability } = parsed
  const row = await sql<{ quanta: string; calls: string }>`
    SELECT coalesce(sum(quanta), 0) AS quanta, count(*) AS calls FROM meter_events
    WHERE tenant_id = ${tenant_id} AND at >= ${from} AND at < ${from}::timestamptz + ${span[kind]}
      AND caller_did = ${did} AND grant_name = ${capability}`.first(db)
  return asSpent(row)
}

const counters_max = 1_000

/** What each budget counter with this prefix has spent, by name; limited by row-level security. */
export async function spentByCounter(
  db: Database,
  tenant_id: string,
  prefix: string,
): Promise<ReadonlyMap<string, Spent>> {
  const rows = await sql<{ budget_counter: string; quanta: string; calls: string }>`
    SELECT purse AS budget_counter, quanta, calls FROM spend
    WHERE tenant_id = ${tenant_id} AND purse >= ${prefix} AND purse < ${`${prefix}\u007f`}
    ORDER BY purse LIMIT ${counters_max}`.all(db)
  return new Map(rows.map((row) => [row.budget_counter, asSpent(row)]))
}

function asSpent(row: { quanta: string; calls: string } | undefined): Spent {
  return { quanta: BigInt(row?.quanta ?? 0), calls: BigInt(row?.calls ?? 0) }
}

/** What a tenant, or one of its callers, has spent since a full hour: from stored hours, else from events. */
export async function spentSince(
  db: Database,
  tenant_id: string,
  since_hour: Date,
  caller_did?: string,
): Promise<Spent> {
  const by = (table: 's' | 'e') =>
    caller_did === undefined ? sql`` : sql`AND ${sql.ref(table)}.caller_did = ${caller_did}`
  const row = await sql<{ quanta: string; calls: string }>`
    SELECT coalesce(sum(quanta), 0) AS quanta, coalesce(sum(calls), 0) AS calls FROM (
      SELECT s.quanta, s.calls FROM meter_hours h JOIN meter_sums s USING (tenant_id, hour)
      WHERE h.tenant_id = ${tenant_id} AND h.hour >= ${since_hour} AND h.root IS NOT NULL ${by('s')}
      UNION ALL
      SELECT e.quanta, 1 FROM meter_hours h JOIN meter_events e ON e.tenant_id = h.tenant_id
        AND e.at >= h.hour AND e.at < h.hour + interval '1 hour'
      WHERE h.tenant_id = ${tenant_id} AND h.hour >= ${since_hour} AND h.root IS NULL ${by('e')}
      UNION ALL
      SELECT e.quanta, 1 FROM meter_events e
      WHERE e.tenant_id = ${tenant_id} ${by('e')} AND e.at >= greatest(${since_hour}::timestamptz,
        (SELECT kept_until FROM billing WHERE tenant_id = ${tenant_id}))
    ) spent`.first(db)
  return asSpent(row)
}
