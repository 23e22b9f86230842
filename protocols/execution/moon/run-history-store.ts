// Rows of the history of a run, and how long the steps of earlier runs took.
import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'
import type { StepState } from '../recipes/api.ts'

/** Earlier attempts of one page of steps. */
const attempts_max = 10_000
/** So many runs tell how long steps usually take. */
const measured_runs_max = 20
const measured_steps_max = 20_000

export interface HistoryRow {
  readonly path: string
  readonly state: StepState
  readonly attempt: number
  readonly started_at: Date
  readonly ended_at: Date | null
  readonly elapsed_ms: number
  readonly error_code: string | null
  readonly skip_reason: string | null
  readonly record_id: string | null
  readonly input: Buffer | null
  readonly result: Buffer | null
  readonly long_input: boolean
  readonly long_result: boolean
}

interface Question extends Bounds {
  readonly path?: string | undefined
  /** Longer inputs and results are left out; null: none are. */
  readonly bytes_max: number | null
}

/** The last begun first. */
export async function readHistory(
  db: Database,
  tenant_id: string,
  run_id: string,
  { path, bytes_max, ...bounds }: Question,
): Promise<HistoryRow[]> {
  const of_path = path === undefined ? [] : [sql`path = ${path}`]
  const page = pageOf(bounds, sql`started_at`, sql`path`, of_path)
  return sql<HistoryRow>`
    SELECT path, state, attempt, started_at, ended_at, elapsed_ms, error_code, skip_reason, record_id,
      CASE WHEN octet_length(input) > ${bytes_max}::int THEN NULL ELSE input END AS input,
      CASE WHEN octet_length(result) > ${bytes_max}::int THEN NULL ELSE result END AS result,
      coalesce(octet_length(input) > ${bytes_max}::int, false) AS long_input,
      coalesce(octet_length(result) > ${bytes_max}::int, false) AS long_result
    FROM moon_step WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} AND ${page}`.all(db)
}

export interface AttemptRow {
  readonly path: string
  readonly seq: number
  readonly attempt: number
  readonly started_at: Date
  readonly ended_at: Date
  readonly elapsed_ms: number
  readonly error_code: string
  readonly record_id: string | null
  readonly result: Buffer | null
}

/** By step, oldest first. */
export async function readAttempts(
  db: Database,
  tenant_id: string,
  run_id: string,
  paths: readonly string[],
  bytes_max: number,
): Promise<Map<string, AttemptRow[]>> {
  const rows = await sql<AttemptRow>`
    SELECT path, seq::float8 AS seq, attempt, started_at, ended_at, elapsed_ms, error_code, record_id,
      CASE WHEN octet_length(result) > ${bytes_max}::int THEN NULL ELSE result END AS result
    FROM moon_attempt WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} AND path = ANY(${[...paths]})
    ORDER BY seq LIMIT ${attempts_max}`.all(db)
  return Map.groupBy(rows, ({ path }) => path)
}

/** By path: the median of what the last runs of this name took that succeeded, with what steps waited for. */
export async function usualDurations(
  db: Database,
  tenant_id: string,
  name: string,
): Promise<Map<string, number>> {
  const rows = await sql<{ path: string; usual_ms: number }>`
    WITH runs AS (
      SELECT r.run_id FROM moon_run r JOIN moon_manifest m ON m.tenant_id = r.tenant_id AND m.ref = r.manifest_ref
      WHERE r.tenant_id = ${tenant_id} AND m.name = ${name} AND r.state = 'succeeded'
      ORDER BY r.created_at DESC LIMIT ${measured_runs_max}),
    steps AS (
      SELECT s.path, greatest(s.elapsed_ms, extract(epoch FROM s.ended_at - s.started_at) * 1000) AS elapsed_ms
      FROM runs JOIN moon_step s ON s.tenant_id = ${tenant_id} AND s.run_id = runs.run_id
      WHERE s.state = 'succeeded' AND s.path NOT LIKE '%@%' LIMIT ${measured_steps_max})
    SELECT path, percentile_cont(0.5) WITHIN GROUP (ORDER BY elapsed_ms) AS usual_ms FROM steps GROUP BY path`.all(
    db,
  )
  return new Map(rows.map(({ path, usual_ms }) => [path, usual_ms]))
}
