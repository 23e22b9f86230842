// Who called which protocol, from the newest records of an audit log, however long it is.
import { type AuditBody, endsCall } from '@svc/contract/audit/audit-record'
import { momentOf } from '../pages/columns.ts'
import { bodyOf } from '../pages/stored-record.ts'
import type { Query } from './client-query.ts'
import { scanRecords, searchRecords } from './search.ts'

/** Maximum records read; of a busier period only the newest part is shown. */
const records_max = 20_000
const edges_max = 5_000

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
  const last_seq = await lastBefore(query, tenant_id, to)
  const from_seq = Math.max(1, last_seq - records_max + 1)
  const [from_ms, to_ms] = [Date.parse(from), Date.parse(to)]
  const calls = new Map<string, Called>()
  let first_ms: number | undefined
  for await (const records of scanRecords(query, tenant_id, { from_seq, to_seq: last_seq }))
    for (const record of records) {
      const body = bodyOf(record)
      if (!body) continue
      const at_ms = momentOf(body.timestamp)
      first_ms ??= at_ms
      if (at_ms >= from_ms && at_ms < to_ms && endsCall(body)) countCall(calls, body)
    }
  const edges = [...calls]
    .map(([key, called]) => ({ key, edge: edgeOf(called) }))
    .sort((a, b) => b.edge.calls - a.edge.calls || (a.key < b.key ? -1 : 1))
    .map(({ edge }) => edge)
  const all_read = from_seq === 1 || (first_ms !== undefined && first_ms < from_ms)
  return { edges: edges.slice(0, edges_max), complete: all_read && edges.length <= edges_max }
}

interface Called {
  readonly caller_did: string
  readonly protocol: string
  readonly latencies_ms: number[]
  errors: number
}

function countCall(
  calls: Map<string, Called>,
  { caller_did, protocol, outcome, latency_ms }: AuditBody,
): void {
  if (protocol === undefined) return
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

/** The last record before a time; 0 where there is none. */
async function lastBefore(query: Query, tenant_id: string, to: string): Promise<number> {
  for await (const [newest] of searchRecords(query, tenant_id, { to, newest_first: true }))
    if (newest) return newest.seq
  return 0
}
