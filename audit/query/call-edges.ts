// Who called which protocol, from the newest records of an audit log: one range of its primary key, however long the log is.
import type { NotNull } from '@svc/database/sql'
import type { Query } from './client-query.ts'

/** Maximum records read; of a busier period only the newest part is shown. */
const records_max = 20_000
const edges_max = 5_000
const probes_max = 64

export interface CallEdge {
  readonly caller_did: string
  readonly protocol: string
  readonly calls: number
  readonly errors: number
  readonly p50_ms: number
}

export interface CallEdges {
  readonly edges: readonly CallEdge[]
  /** False where the period holds more than was read. */
  readonly complete: boolean
}

interface EdgeRow {
  readonly caller_did: string
  readonly protocol: NotNull<string>
  readonly calls: string
  readonly errors: string
  readonly p50_ms: number
}

/** Calls that ended in a half-open period, with any outcome; notes of callers do not count. */
export async function callEdges(
  query: Query,
  tenant_id: string,
  period: { readonly from: string; readonly to: string },
): Promise<CallEdges> {
  const last = await lastBefore(query, tenant_id, period.to)
  const first = Math.max(1, last - records_max + 1)
  // Members are in canonical order, so the engine's facts come before everything supplied.
  const rows = await query<EdgeRow>(
    `WITH ended AS MATERIALIZED (
       SELECT caller_did, protocol, outcome,
         coalesce(substring(body FROM '"latency_ms":([0-9.]+)')::float8, 0) AS ms
       FROM audit_records, split_part(body, '"supplied":', 1) AS told
       WHERE tenant_id = $1 AND seq BETWEEN $2 AND $3 AND at >= $4 AND at < $5 AND protocol IS NOT NULL
         AND event_type NOT LIKE 'custom.%'
         AND (event_type = 'ProtocolInvocation' OR position('"code":"' IN told) > 0)
         AND position('"appended":true' IN told) = 0
     )
     SELECT caller_did, protocol, count(*) AS calls, count(*) FILTER (WHERE outcome = 'error') AS errors,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50_ms
     FROM ended GROUP BY caller_did, protocol ORDER BY count(*) DESC, caller_did, protocol LIMIT ${edges_max + 1}`,
    [tenant_id, first, last, period.from, period.to],
  )
  const edges = rows.map((row) => ({ ...row, calls: Number(row.calls), errors: Number(row.errors) }))
  const all_looked_at = first === 1 || (await momentOf(query, tenant_id, first)) < Date.parse(period.from)
  return { edges: edges.slice(0, edges_max), complete: all_looked_at && edges.length <= edges_max }
}

/** The last record before a given time, by bisection: records are nearly in the order of their times. */
async function lastBefore(query: Query, tenant_id: string, moment: string): Promise<number> {
  const [head] = await query<{ seq: string }>('SELECT seq FROM chain_heads WHERE tenant_id = $1', [tenant_id])
  let [before, past] = [0, Number(head?.seq ?? 0) + 1]
  const at = Date.parse(moment)
  if (past > 1 && (await momentOf(query, tenant_id, past - 1)) < at) return past - 1
  for (let probe = 0; probe < probes_max && past - before > 1; probe++) {
    const middle = Math.floor((before + past) / 2)
    if ((await momentOf(query, tenant_id, middle)) < at) before = middle
    else past = middle
  }
  return before
}

async function momentOf(query: Query, tenant_id: string, seq: number): Promise<number> {
  const [row] = await query<{ at: Date }>('SELECT at FROM audit_records WHERE tenant_id = $1 AND seq = $2', [
    tenant_id,
    seq,
  ])
  return row?.at.getTime() ?? 0
}
