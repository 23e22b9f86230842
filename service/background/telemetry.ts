// Stores metrics every ten seconds, and sends them to an OpenTelemetry collector if one is configured.
import { metricFeed } from '@svc/adapters/telemetry/metric-feed'
import { otlpExporter } from '@svc/adapters/telemetry/otlp-exporter'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { OpenTracer } from '@svc/adapters/telemetry/tracer'
import type { AuditLog } from '@svc/audit/audit-log'
import type { Database } from '@svc/contract/database'
import type { EngineHealth, EngineState } from '@svc/contract/needs/measurement'
import { point_ms } from '@svc/contract/needs/measurement'
import type { Engine } from '@svc/engine/dispatch'
import type { Clock, Log } from '@svc/engine/ports'
import { forgetOldCalls } from '@svc/protocols/awareness/history/api'
import { forgetOldPoints, keepPoints } from '@svc/protocols/awareness/metrics/api'
import { forgetOldSignals } from '@svc/protocols/awareness/motet/api'
import { measure } from '../assembly/metrics.ts'
import type { Config } from '../settings/config.ts'
import { every } from './tick.ts'
import { openTracing } from './tracing.ts'

/** PostgreSQL's data errors: a retry would fail again and block everything behind it. */
const unkeepable = /^2[23]/
const forget_every_ms = 60_000
const forget_signals_every_ms = 300_000

interface Parts {
  readonly db: Database
  readonly clock: Clock
  readonly meters: Prometheus
  readonly log: Log
}

interface Watched {
  readonly engine: Pick<Engine, 'in_flight'>
  readonly audit_log: Pick<AuditLog, 'state' | 'pending_bytes'>
}

export interface OpenHealth extends EngineHealth {
  /** Must be called before `state`. */
  watch(watched: Watched): void
  /** Identifies this process to a collector. */
  readonly instance: string
  readonly tracer: OpenTracer | undefined
}

export function openHealth(
  {
    tenant_id: operator_tenant_id,
    agent_did: engine_did,
    otel_url,
    trace_sample_rate,
  }: Pick<Config, 'tenant_id' | 'agent_did' | 'otel_url' | 'trace_sample_rate'>,
  { db, clock, meters, log }: Parts,
  closing: (() => Promise<unknown>)[],
): OpenHealth {
  let lost = 0
  let watched: Watched | undefined
  meters.counter(
    'svc_metric_points_lost_total',
    'Points dropped because their tenant has too many series.',
    () => lost,
  )
  const feed = metricFeed({
    gathered: meters.gathered,
    clock,
    operator_tenant_id,
    measure: () => measure(meters),
    async keep(batch) {
      lost += await keepPoints(db, batch).catch((error: { code?: string }) => {
        if (!unkeepable.test(error.code ?? '')) throw error
        log.error({ err: error }, 'a batch of metrics cannot be stored and is dropped')
        return batch.points.length
      })
    },
  })
  const instance = clock.uuid()
  const source = { clock, engine_did, instance, measure: () => measure(meters) }
  const tracing = { otel_url, agent_did: engine_did, trace_sample_rate }
  const tracer = openTracing(tracing, { clock, meters, log, instance }, closing)
  const exporting = otel_url ? [every(point_ms, otlpExporter({ url: otel_url }, source), log)] : []
  const timers = [
    ...exporting,
    every(point_ms, feed.scrape, log),
    every(forget_every_ms, () => forgetOldPoints(db, clock.now_ms()), log),
    every(forget_every_ms, () => forgetOldCalls(db, clock.now_ms()), log),
    every(forget_signals_every_ms, () => forgetOldSignals(db, clock.now_ms()), log),
  ]
  closing.push(async () => {
    for (const timer of timers) clearInterval(timer)
    await feed.scrape().catch((error) => log.warn({ err: error }, 'the last metrics were not stored'))
  })
  return {
    instance,
    tracer,
    settled: () =>
      feed.settled().catch((error) => {
        log.warn({ err: error }, 'metrics could not be stored yet; trying again')
      }),
    state: () => stateOf(watched),
    watch(engine_parts) {
      watched = engine_parts
    },
  }
}

function stateOf(watched: Watched | undefined): EngineState {
  if (!watched) throw new Error('the engine has not started')
  const { engine, audit_log } = watched
  return {
    in_flight: engine.in_flight,
    audit: { state: audit_log.state(), pending_bytes: audit_log.pending_bytes() },
  }
}
