// Metrics in Prometheus form. Label values come from the catalogue or pass a cap, so the number of series is bounded.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { bucketOfValue } from '@svc/contract/needs/measurement'
import type { Telemetry } from '@svc/contract/needs/telemetry'
import type { Log, Meters } from '@svc/engine/ports'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { type CallLabels, type GatheredMetrics, gatheredMetrics } from './gathered-metrics.ts'
import { type LiveCalls, liveCalls } from './live-calls.ts'
import { registerHistogram } from './plain-histogram.ts'
import { type StageTimes, stageTimes } from './stage-times.ts'
import { type TenantSeries, tenantSeries } from './tenant-series.ts'

const loop_sample_ms = 10
const latency_buckets_s = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30]

export interface Prometheus extends Meters, Telemetry {
  readonly registry: Registry
  /** The same by tenant and time, for the tables. */
  readonly gathered: GatheredMetrics
  /** The last minute, for live feeds. */
  readonly live: LiveCalls
  readonly stages: StageTimes
  /** A gauge read at scrape time. */
  gauge(name: string, help: string, read: () => number): void
  /** A running total stored elsewhere, read at scrape time. */
  counter(name: string, help: string, read: () => number): void
}

export function prometheus(log: Log): Prometheus {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'svc_' })
  const counters = {
    audit_unknown_event: 'Records whose event tag was not registered; stored as Error.',
    svc_registry_hash_mismatch_total:
      'Registry entries left out because they no longer hash to their address.',
    svc_meal_unbalanced_total: 'Reconciliations that found the books out of balance.',
  }
  const counted = new Map(
    Object.entries(counters).map(([name, help]) => [
      name,
      new Counter({ name, help, registers: [registry] }),
    ]),
  )
  const gathered = gatheredMetrics()
  const live = liveCalls()
  const stages = stageTimes(registry)
  const prometheus: Prometheus = {
    registry,
    gathered,
    live,
    stages,
    timed: stages.timed,
    dispatched: countDispatches(registry, gathered, live),
    metric: takeSignals(tenantSeries(registry), gathered),
    log: (tenant_id, entry) => log.info({ tenant_id, signal: entry }, 'signal'),
    span: (tenant_id, span) => log.debug({ tenant_id, span }, 'span'),
    count: (name) => counted.get(name)?.inc(),
    gauge(name, help, read) {
      new Gauge({ name, help, registers: [registry], collect() { this.set(read()) } }) // biome-ignore format: one thought
    },
    counter(name, help, read) {
      new Counter({ name, help, registers: [registry], collect() { this.reset(); this.inc(read()) } }) // biome-ignore format: one thought
    },
  }
  addLoopGauges(prometheus)
  return prometheus
}

function addLoopGauges(prometheus: Prometheus): void {
  const loop_delay = monitorEventLoopDelay({ resolution: loop_sample_ms })
  loop_delay.enable()
  prometheus.gauge(
    'svc_loop_delay_p99_seconds',
    'How much later than asked the event loop ran, 99th percentile since the last scrape.',
    () => {
      const since_last_s = loop_delay.percentile(99) / 1e9
      loop_delay.reset()
      // The measured time between samples includes the sampling interval.
      return Math.max(0, since_last_s - loop_sample_ms / 1000)
    },
  )
  let before = performance.eventLoopUtilization()
  prometheus.gauge(
    'svc_loop_utilization',
    'Share of time the event loop was busy since the last scrape.',
    () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      return utilization
    },
  )
}

function takeSignals(series: TenantSeries, gathered: GatheredMetrics): Telemetry['metric'] {
  return (tenant_id, signal) => {
    if (!gathered.hasRoom(tenant_id))
      return { rejected: 'the engine is behind with what was measured; send it again', created: false }
    const taken = series.take(tenant_id, signal)
    if (taken.rejected === undefined) gathered.emitted(tenant_id, signal, Date.parse(signal.at))
    return taken
  }
}

/** Counted here and read at each scrape: prom-client hashes an object per label lookup. The set of series is bounded. */
function countDispatches(
  registry: Registry,
  gathered: GatheredMetrics,
  live: LiveCalls,
): Meters['dispatched'] {
  const calls = new Map<string, { readonly labels: CallLabels; count: number }>()
  const times = new Map<string, { readonly labels: { protocol: string }; sum: number; counts: number[] }>()
  new Counter({
    name: 'svc_dispatch_total',
    help: 'Dispatches by protocol, operation, outcome and refusal code.',
    labelNames: ['protocol', 'operation', 'outcome', 'code'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels, count } of calls.values()) this.inc({ ...labels }, count)
    },
  })
  const latency = {
    name: 'svc_dispatch_seconds',
    help: 'Time from receipt to the recorded outcome.',
    bounds: latency_buckets_s,
  }
  registerHistogram(registry, latency, () => [...times.values()])
  return (protocol, operation, outcome, code, latency_ms, tenant_id) => {
    live.called(protocol, outcome, code, latency_ms, tenant_id)
    const key = `${protocol}|${operation}|${outcome}|${code}`
    let called = calls.get(key)
    if (!called) {
      called = { labels: { protocol, operation, outcome, code }, count: 0 }
      calls.set(key, called)
    }
    called.count++
    gathered.called(tenant_id, called.labels, latency_ms)
    let timed = times.get(protocol)
    if (!timed) {
      const counts = new Array<number>(latency_buckets_s.length + 1).fill(0)
      timed = { labels: { protocol }, sum: 0, counts }
      times.set(protocol, timed)
    }
    timed.sum += latency_ms / 1000
    timed.counts[bucketOfValue(latency_ms / 1000, latency_buckets_s)]!++
  }
}
