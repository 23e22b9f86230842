// A histogram counted in plain arrays: prom-client's looks up labels at each observation, which is noticeable at several a call.
import type { Registry } from 'prom-client'

export interface PlainSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly sum: number
  /** For each bound, and what lies beyond the last. */
  readonly counts: ArrayLike<number>
}

interface Definition {
  readonly name: string
  readonly help: string
  readonly bounds: readonly number[]
}

/** The series are read at each scrape. */
export function registerHistogram(
  registry: Registry,
  { bounds, ...named }: Definition,
  read: () => readonly PlainSeries[],
): void {
  const metric = { ...named, type: 'histogram', aggregator: 'sum' }
  const get = async () => ({ ...metric, values: read().flatMap((one) => linesOf(named.name, bounds, one)) })
  registry.registerMetric({ ...metric, get, reset() {} } as never)
}

function linesOf(name: string, bounds: readonly number[], { labels, sum, counts }: PlainSeries) {
  let running = 0
  const buckets = Array.from(counts, (count, i) => {
    running += count
    return { metricName: `${name}_bucket`, labels: { le: bounds[i] ?? '+Inf', ...labels }, value: running }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: running },
  ]
}
