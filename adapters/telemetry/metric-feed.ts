// Writes measurements to the tables. A batch that may or may not have arrived is sent again under its number, and
// counts once.
import type { MeasuredPoint } from '@svc/contract/needs/measurement'
import type { Clock } from '@svc/engine/ports'
import type { GatheredMetrics } from './gathered-metrics.ts'
import type { Measured } from './summed-metrics.ts'

const batch_points_max = 5_000
/** Readers wait for recent measurements, but share flushes. */
const fresh_ms = 1_000

export interface PointBatch {
  /** Identifies this process run. */
  readonly source: string
  /** Increasing from 1. */
  readonly number: number
  readonly now_ms: number
  readonly points: readonly MeasuredPoint[]
}

export interface MetricFeed {
  /** Includes the engine's own figures, and writes everything. */
  scrape(): Promise<void>
  /** Writes pending measurements of tenants, so that they see their own. */
  settled(): Promise<void>
}

interface Parts {
  readonly gathered: GatheredMetrics
  readonly clock: Pick<Clock, 'now_ms' | 'monotonic_ms' | 'uuid'>
  readonly operator_tenant_id: string
  measure(): Promise<Measured>
  keep(batch: PointBatch): Promise<void>
}

export function metricFeed({ gathered, clock, operator_tenant_id, measure, keep }: Parts): MetricFeed {
  const source = clock.uuid()
  const waiting: PointBatch[] = []
  let number = 0
  let tail: Promise<void> = Promise.resolve()
  let fresh_until_ms = Number.NEGATIVE_INFINITY
  const bring = async (measured: Measured | undefined) => {
    // While an older batch waits nothing new is taken: new measurements accumulate.
    if (waiting.length === 0) {
      const now_ms = clock.now_ms()
      const points = gathered.take(now_ms, measured && { tenant_id: operator_tenant_id, measured })
      for (let from = 0; from < points.length; from += batch_points_max)
        waiting.push({
          source,
          number: ++number,
          now_ms,
          points: points.slice(from, from + batch_points_max),
        })
    }
    while (waiting.length > 0) {
      await keep(waiting[0]!)
      waiting.shift()
    }
    fresh_until_ms = clock.monotonic_ms() + fresh_ms
  }
  const inTurn = (work: () => Promise<void>) => {
    const turn = tail.then(work)
    tail = turn.catch(() => {})
    return turn
  }
  let next: Promise<void> | undefined
  return {
    scrape: () => inTurn(async () => bring(await measure())),
    settled() {
      if (!gathered.holdsOwn() && clock.monotonic_ms() < fresh_until_ms && waiting.length === 0) return tail
      next ??= inTurn(async () => {
        next = undefined
        await bring(undefined)
      })
      return next
    },
  }
}
