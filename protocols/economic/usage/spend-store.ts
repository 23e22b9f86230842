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
      SELECT quanta, calls FROM spend WHERE tenant_id = ${tenant_id} AND budget_counter = ${budget_counter}`.first(
      db,
    )
    return asSpent(row)
  }
  const { kind, from, holder, capability } = parsed
  // What the holder itself used is metered; what others used by its delegation is stored under the counter's name.
  const row = await sql<{ quanta: string; calls: string }>`
    SELECT coalesce(sum(used.quanta), 0) AS quanta, coalesce(sum(used.calls), 0) AS calls FROM (
      SELECT s.quanta, s.calls FROM meter_sums s JOIN meter_names n USING (tenant_id, name_id)
      WHERE s.tenant_id = ${tenant_id} AND s.hour >= ${from} AND s.hour < ${from}::timestamptz + ${span[kind]}
        AND n.caller_did = ${holder} AND n.grant_name = ${capability}
      UNION ALL
      SELECT quanta, calls FROM spend WHERE tenant_id = ${tenant_id} AND budget_counter = ${budget_counter}
    ) used`.first(db)
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
    SELECT budget_counter, quanta, calls FROM spend
    WHERE tenant_id = ${tenant_id} AND budget_counter >= ${prefix} AND budget_counter < ${`${prefix}\u007f`}
    ORDER BY budget_counter LIMIT ${counters_max}`.all(db)
  return new Map(rows.map((row) => [row.budget_counter, asSpent(row)]))
}

function asSpent(row: { quanta: string; calls: string } | undefined): Spent {
  return { quanta: BigInt(row?.quanta ?? 0), calls: BigInt(row?.calls ?? 0) }
}

/** What a tenant, or one of its callers, has spent since a full hour. */
export async function spentSince(
  db: Database,
  tenant_id: string,
  since_hour: Date,
  caller_did?: string,
): Promise<Spent> {
  const by_caller = caller_did === undefined ? sql`` : sql`AND n.caller_did = ${caller_did}`
  const row = await sql<{ quanta: string; calls: string }>`
    SELECT coalesce(sum(s.quanta), 0) AS quanta, coalesce(sum(s.calls), 0) AS calls
    FROM meter_sums s JOIN meter_names n USING (tenant_id, name_id)
    WHERE s.tenant_id = ${tenant_id} AND s.hour >= ${since_hour} ${by_caller}`.first(db)
  return asSpent(row)
}
