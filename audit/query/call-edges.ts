// Who called which protocol, from the newest records of an audit log, however long it is.
import { type AuditBody, endsCall } from '@svc/contract/audit/audit-record'
import { boundOf, columnText, momentOf } from '../pages/columns.ts'
import { readRecords } from '../pages/read-records.ts'
import { bodyOf } from '../pages/stored-record.ts'
import type { Query } from './client-query.ts'
import { scanRecords } from './search.ts'

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

/** Calls that ended in a half-open period, with any outcome; notes of callers do not count. */
export async function callEdges(
  query: Query,
  tenant_id: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<CallEdges> {
  const [from_ms, to_ms] = [boundOf(from), boundOf(to)]
  const last_seq = await lastBefore(query, tenant_id, to_ms)
  const from_seq = Math.max(1, last_seq - records_max + 1)
  const calls = new Map<string, Called>()
  let first_ms: number | undefined
  for await (const records of scanRecords(query, tenant_id, { from_seq, to_seq: last_seq }))
    for (const record of records) {
      const body = bodyOf(record)
      if (!body) continue
      const at_ms = momentOf(body.timestamp)
      first_ms ??= at_ms
      if (at_ms >= from_ms && at_ms < to_ms && isCall(body)) countCall(calls, body)
    }
  const edges = [...calls]
    .map(([key, called]) => ({ key, edge: edgeOf(called) }))
    .sort((a, b) => b.edge.calls - a.edge.calls || (a.key < b.key ? -1 : 1))
    .map(({ edge }) => edge)
  const all_read = from_seq === 1 || (first_ms !== undefined && first_ms < from_ms)
  return { edges: edges.slice(0, edges_max), complete: all_read && edges.length <= edges_max }
}

/** A dry run that was allowed calls nothing. */
function isCall(body: AuditBody): boolean {
  return endsCall(body) && (body.event_type === 'ProtocolInvocation' || body.meta.code !== undefined)
}

interface Called {
  readonly caller_did: string
  readonly protocol: string
  readonly latencies_ms: number[]
  errors: number
}

function countCall(calls: Map<string, Called>, { outcome, latency_ms, ...body }: AuditBody): void {
  if (body.protocol === undefined) return
  const [caller_did, protocol] = [columnText(body.caller_did), columnText(body.protocol)]
  const key = `${caller_did}\n${protocol}`
  const called = calls.get(key) ?? { caller_did, protocol, latencies_ms: [], errors: 0 }
  called.latencies_ms.push(latency_ms)
  if (outcome === 'error') called.errors++
  calls.set(key, called)
}

function edgeOf({ caller_did, protocol, latencies_ms, errors }: Called): CallEdge {
  const sorted = latencies_ms.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const p50_ms = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
  return { caller_did, protocol, calls: sorted.length, errors, p50_ms }
}

/** By bisection: times are nearly in order, and a single record that came late does not decide where a period ends. */
async function lastBefore(query: Query, tenant_id: string, to_ms: number): Promise<number> {
  const [head] = await query<{ seq: string }>('SELECT seq FROM chain_heads WHERE tenant_id = $1', [tenant_id])
  let [before, past] = [0, Number(head?.seq ?? 0) + 1]
  for (let probe = 0; probe < probes_max && past - before > 1; probe++) {
    const middle = Math.floor((before + past) / 2)
    if ((await momentAt(query, tenant_id, middle)) < to_ms) before = middle
    else past = middle
  }
  return before
}

async function momentAt(query: Query, tenant_id: string, seq: number): Promise<number> {
  const [record] = await readRecords(query, tenant_id, [{ from_seq: seq, to_seq: seq }])
  const body = record && bodyOf(record)
  return body ? momentOf(body.timestamp) : (record?.page_at.getTime() ?? 0)
}
