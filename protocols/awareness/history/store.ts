// Reads the history of calls, summed per window and group, and deletes what is too old. Row-level security applies.
import type { Database } from '@svc/contract/database'
import { type Fragment, sql } from '@svc/database/sql'
import { history_resolutions } from './resolutions.ts'

const hour_s = 3600
const deleted_at_once_max = 20_000
const sweep_rounds_max = 100

export const history_groups = [
  'protocol',
  'operation',
  'agent',
  'department',
  'outcome',
  'code',
  'reason',
  'tenant',
] as const
export type HistoryGroup = (typeof history_groups)[number]
export const ranks = ['calls', 'refused', 'failed', 'spend'] as const
export type Rank = (typeof ranks)[number]

export interface HistoryFilter {
  readonly protocol?: string | undefined
  readonly operation?: string | undefined
  readonly caller_did?: string | undefined
  readonly outcome?: string | undefined
  readonly code?: string | undefined
  readonly reason?: string | undefined
  readonly envelope_ids?: readonly string[] | undefined
}

export interface HistoryQuestion {
  /** Undefined for all visible tenants. */
  readonly tenant_id: string | undefined
  readonly filter: HistoryFilter
  /** Before `from_ms` is the period to compare with. */
  readonly before_ms: number
  readonly from_ms: number
  readonly to_ms: number
  readonly step_ms: number
  readonly resolution: number
  readonly by: HistoryGroup | undefined
  readonly top: number
  readonly rank: Rank
}

export interface HistoryRow {
  /** Index from the start of the period; -1 for all of the period before. */
  readonly slot: number
  /** Null where not grouped, and for what is left beside the largest groups. */
  readonly name: string | null
  readonly calls: string
  readonly refused: string
  readonly failed: string
  readonly quanta: string
  readonly buckets: readonly string[]
}

const group_columns: Readonly<Record<HistoryGroup, Fragment>> = {
  protocol: sql`n.protocol`,
  operation: sql`CASE WHEN n.protocol = '' THEN '' ELSE n.protocol || '.' || n.operation END`,
  agent: sql`n.caller_did`,
  department: sql`n.envelope_id`,
  outcome: sql`n.outcome`,
  code: sql`n.code`,
  reason: sql`n.reason`,
  tenant: sql`n.tenant_id`,
}

const rank_sums: Readonly<Record<Rank, Fragment>> = {
  calls: sql`sum(calls)`,
  refused: sql`sum(calls) FILTER (WHERE outcome = 'refused')`,
  failed: sql`sum(calls) FILTER (WHERE outcome = 'error')`,
  spend: sql`sum(quanta)`,
}

/** One for each of `latency_bounds_ms`, and one above. */
const bucket_sums = sql.raw(`
  coalesce(sum(c.buckets[1]), 0), coalesce(sum(c.buckets[2]), 0), coalesce(sum(c.buckets[3]), 0),
  coalesce(sum(c.buckets[4]), 0), coalesce(sum(c.buckets[5]), 0), coalesce(sum(c.buckets[6]), 0),
  coalesce(sum(c.buckets[7]), 0), coalesce(sum(c.buckets[8]), 0), coalesce(sum(c.buckets[9]), 0),
  coalesce(sum(c.buckets[10]), 0), coalesce(sum(c.buckets[11]), 0), coalesce(sum(c.buckets[12]), 0),
  coalesce(sum(c.buckets[13]), 0), coalesce(sum(c.buckets[14]), 0), coalesce(sum(c.buckets[15]), 0),
  coalesce(sum(c.buckets[16]), 0), coalesce(sum(c.buckets[17]), 0), coalesce(sum(c.buckets[18]), 0),
  coalesce(sum(c.buckets[19]), 0), coalesce(sum(c.buckets[20]), 0), coalesce(sum(c.buckets[21]), 0),
  coalesce(sum(c.buckets[22]), 0), coalesce(sum(c.buckets[23]), 0), coalesce(sum(c.buckets[24]), 0),
  coalesce(sum(c.buckets[25]), 0), coalesce(sum(c.buckets[26]), 0), coalesce(sum(c.buckets[27]), 0)`)

export async function readHistory(db: Database, question: HistoryQuestion): Promise<HistoryRow[]> {
  const { by, top, rank, from_ms, step_ms } = question
  const slot = sql`CASE WHEN s.at < ${new Date(from_ms)} THEN -1
    ELSE ((extract(epoch FROM s.at) * 1000)::bigint - ${from_ms}::bigint) / ${step_ms}::bigint END::integer`
  return sql<HistoryRow>`
    WITH counted AS MATERIALIZED (
      SELECT ${slot} AS slot, ${by ? group_columns[by] : sql`''`} AS name, n.outcome, s.calls, s.quanta, s.buckets
      FROM call_sums s JOIN call_names n ON n.tenant_id = s.tenant_id AND n.name_id = s.name_id
      WHERE s.resolution = ${question.resolution}::integer AND s.at >= ${new Date(question.before_ms)}
        AND s.at < ${new Date(question.to_ms)} AND ${conditions(question)}
    ), largest AS (
      SELECT name FROM counted WHERE slot >= 0 AND ${by ? sql`true` : sql`false`} GROUP BY name
      ORDER BY coalesce(${rank_sums[rank]}, 0) DESC, name LIMIT ${top}
    )
    SELECT c.slot, l.name, sum(c.calls) AS calls, coalesce(sum(c.calls) FILTER (WHERE c.outcome = 'refused'), 0) AS refused,
      coalesce(sum(c.calls) FILTER (WHERE c.outcome = 'error'), 0) AS failed, sum(c.quanta) AS quanta,
      ARRAY[${bucket_sums}] AS buckets
    FROM counted c LEFT JOIN largest l ON l.name = c.name GROUP BY 1, 2 ORDER BY 1, 2`.all(db)
}

function conditions({ tenant_id, filter }: HistoryQuestion): Fragment {
  const { protocol, operation, caller_did, outcome, code, reason, envelope_ids } = filter
  return sql`${tenant_id === undefined ? sql`true` : sql`s.tenant_id = ${tenant_id}`}
    AND (${protocol ?? null}::text IS NULL OR n.protocol = ${protocol ?? null}::text)
    AND (${operation ?? null}::text IS NULL OR n.operation = ${operation ?? null}::text)
    AND (${caller_did ?? null}::text IS NULL OR n.caller_did = ${caller_did ?? null}::text)
    AND (${outcome ?? null}::text IS NULL OR n.outcome = ${outcome ?? null}::text)
    AND (${code ?? null}::text IS NULL OR n.code = ${code ?? null}::text)
    AND (${reason ?? null}::text IS NULL OR n.reason = ${reason ?? null}::text)
    AND (${envelope_ids ?? null}::text[] IS NULL OR n.envelope_id = ANY(${envelope_ids ?? null}::text[]))`
}

export interface TenantCalls {
  readonly tenant_id: string
  readonly calls: string
  readonly refused: string
  readonly failed: string
}

/** By whole hours; only tenants that called. */
export async function callsOfTenants(
  db: Database,
  tenant_ids: readonly string[],
  since: Date,
): Promise<TenantCalls[]> {
  return sql<TenantCalls>`
    SELECT s.tenant_id, sum(s.calls) AS calls,
      coalesce(sum(s.calls) FILTER (WHERE n.outcome = 'refused'), 0) AS refused,
      coalesce(sum(s.calls) FILTER (WHERE n.outcome = 'error'), 0) AS failed
    FROM call_sums s JOIN call_names n ON n.tenant_id = s.tenant_id AND n.name_id = s.name_id
    WHERE s.tenant_id = ANY(${tenant_ids}) AND s.resolution = ${hour_s}::integer AND s.at >= ${since}
    GROUP BY s.tenant_id`.all(db)
}

/** Deletes sums past their retention, and names that no sum uses, in batches until none is left. */
export async function forgetOldCalls(db: Database, now_ms: number): Promise<void> {
  for (const { seconds, kept_ms } of history_resolutions)
    for (let round = 0; round < sweep_rounds_max; round++) {
      // Rows another engine is deleting are skipped.
      const { numAffectedRows = 0n } = await sql`
        DELETE FROM call_sums WHERE ctid IN (
          SELECT ctid FROM call_sums WHERE resolution = ${seconds} AND at < ${new Date(now_ms - kept_ms)}
          LIMIT ${deleted_at_once_max} FOR UPDATE SKIP LOCKED)`.execute(db)
      if (numAffectedRows < deleted_at_once_max) break
    }
  const { kept_ms } = history_resolutions.at(-1)!
  await sql`DELETE FROM call_names WHERE seen_on < ${new Date(now_ms - kept_ms).toISOString()}::date`.execute(
    db,
  )
}
