// How many calls kept a promise.
import type { Database } from '@svc/contract/database'
import { isKept } from '@svc/contract/needs/measurement'
import { countUpTo, type Range, readTotals, resolutionFor, type SeriesQuestion } from '../metrics/api.ts'
import { burnRate, type Stored } from './slo.ts'

const minute_ms = 60_000
/** The short window shows that it goes on: as 5 minutes to an hour, and 6 hours to 3 days. */
const short_share = 12

export interface CallObjective {
  /** As the engine serves them. */
  readonly protocol?: string | undefined
  readonly operation?: string | undefined
  /** Undefined: calls must be answered, or rightly refused. Else also within this time. */
  readonly threshold_ms?: number | undefined
}

/** A late answer and a missing one both violate a latency objective. */
export async function countGood(
  db: Database,
  tenant_id: string | undefined,
  { protocol, operation, threshold_ms }: CallObjective,
  minutes: number,
  now_ms: number,
): Promise<Stored> {
  const from_ms = now_ms - minutes * minute_ms
  const resolution = resolutionFor(from_ms, now_ms)
  const span_ms = resolution.seconds * 1000
  // Rounded up, to include everything measured until now.
  const range: Range = { from_ms, to_ms: Math.ceil(now_ms / span_ms) * span_ms + span_ms }
  const labels = { ...(protocol && { protocol }), ...(operation && { operation }) }
  const question = (metric: string, more: object = {}): SeriesQuestion => ({ metric, labels: { ...labels, ...more }, tenant_id }) // biome-ignore format: kept on one line
  const codes = await readTotals(db, question('svc_dispatch_total'), { range, resolution }, ['code'])
  const total = codes.reduce((sum, { value }) => sum + value, 0)
  if (threshold_ms === undefined)
    return { total, good: codes.reduce((sum, { labels: { code = '' }, value }) => sum + (isKept(code) ? value : 0), 0) } // biome-ignore format: kept on one line
  const timed = await readTotals(db, question('svc_dispatch_seconds', { kept: 'yes' }), { range, resolution }, []) // biome-ignore format: kept on one line
  const soon = timed.reduce((sum, { buckets, bounds }) => sum + countUpTo(threshold_ms / 1000, buckets ?? [], bounds ?? []), 0) // biome-ignore format: kept on one line
  return { good: Math.min(soon, total), total }
}

/** The lower of the window and its last twelfth: what has stopped burning alerts nobody. */
export async function burnNow(
  db: Database,
  tenant_id: string,
  objective: CallObjective & { readonly target: number },
  minutes: number,
  now_ms: number,
): Promise<number> {
  const long = await countGood(db, tenant_id, objective, minutes, now_ms)
  const short = await countGood(db, tenant_id, objective, minutes / short_share, now_ms)
  return Math.min(burnRate(long, objective.target), burnRate(short, objective.target))
}
