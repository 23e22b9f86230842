// The metrics of several processes as those of one engine: summed, and never decreasing.
import { AggregatorRegistry } from 'prom-client'

/** A metric of one process with its values, as prom-client serializes it. */
interface MeasuredMetric {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly aggregator: string
  readonly values: readonly { readonly value: number; readonly labels: object }[]
}
export type Measured = readonly MeasuredMetric[]

/** States, delays and shared lags are not summed over workers: the worst value is shown. */
const shown_at_worst = new Set([
  'svc_audit_fan_out_lag',
  'svc_audit_state',
  'svc_circuit_state',
  'svc_loop_delay_p99_seconds',
  'svc_log_archive_lag_pages',
  'svc_loop_utilization',
  'svc_rate_limit_degraded',
  'svc_runway_low_tenants',
])

/** Counters outlive a worker; gauges end with it. */
export function foldCounters(gone: Measured, more: Measured): Measured {
  const counted = more.filter(({ type }) => type === 'counter' || type === 'histogram')
  const summed = sumOf([gone, counted]).getMetricsAsArray() as unknown as Measured
  return summed.map(({ name, help, type, aggregator, values }) => ({ name, help, type, aggregator, values }))
}

export async function metricsPage(all: readonly Measured[]): Promise<{ type: string; text: string }> {
  const registry = sumOf(all)
  return { type: registry.contentType, text: await registry.metrics() }
}

/** A metric of the parent process itself. */
export function figure(name: string, help: string, type: 'counter' | 'gauge', value: number): Measured {
  return [{ name, help, type, aggregator: 'sum', values: [{ value, labels: {} }] }]
}

function sumOf(all: readonly Measured[]) {
  const judged = all.map((metrics) =>
    metrics.map((metric) => (shown_at_worst.has(metric.name) ? { ...metric, aggregator: 'max' } : metric)),
  )
  return AggregatorRegistry.aggregate(judged)
}
