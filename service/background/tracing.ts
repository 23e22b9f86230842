// Sends spans if a collector is configured; sampling can be changed while the engine runs.

import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import { spanExporter } from '@svc/adapters/telemetry/span-exporter'
import { type OpenTracer, openTracer } from '@svc/adapters/telemetry/tracer'
import type { Clock, Log } from '@svc/engine/ports'
import type { Operations, TraceSettings } from '@svc/gateway/operational'
import type { LiveLog } from '../assembly/log.ts'
import type { Config } from '../settings/config.ts'
import { every } from './tick.ts'

const flush_every_ms = 1_000

interface Parts {
  readonly clock: Clock
  readonly meters: Prometheus
  readonly log: Log
  readonly instance: string
}

/** Undefined without a collector: then nothing is sampled. */
export function openTracing(
  {
    otel_url,
    agent_did: engine_did,
    trace_sample_rate,
  }: Pick<Config, 'otel_url' | 'agent_did' | 'trace_sample_rate'>,
  { clock, meters, log, instance }: Parts,
  closing: (() => Promise<unknown>)[],
): OpenTracer | undefined {
  const tracer = otel_url
    ? openTracer(trace_sample_rate, {
        clock,
        send: spanExporter(otel_url, { clock, engine_did, instance }),
        failed: (error) => log.warn({ err: error }, 'spans could not be sent yet; trying again'),
      })
    : undefined
  meters.gauge('svc_trace_queue', 'Traces waiting to be sent.', () => tracer?.waiting ?? 0)
  meters.counter('svc_traces_sent_total', 'Traces the collector accepted.', () => tracer?.sent ?? 0)
  meters.counter(
    'svc_traces_dropped_total',
    'Sampled traces dropped because the queue was full or the collector refused them.',
    () => tracer?.dropped ?? 0,
  )
  if (!tracer) return undefined
  const timer = every(flush_every_ms, tracer.flush, log)
  closing.push(async () => {
    clearInterval(timer)
    await tracer.flush()
  })
  return tracer
}

export interface LiveTrace {
  get(): Required<TraceSettings>
  /** `is_forwarded` if another process of this engine received the change. */
  set(settings: TraceSettings, is_forwarded?: boolean): void
}

/** Settings of /admin/trace. The rate is stored even without a collector. */
export function liveTrace(
  { trace_sample_rate }: Pick<Config, 'trace_sample_rate'>,
  log: LiveLog,
  tracer: OpenTracer | undefined,
  onChange: (settings: TraceSettings) => void = () => {},
): LiveTrace & Operations['trace'] {
  let sample_rate = trace_sample_rate
  return {
    get: () => ({ level: log.level as Required<TraceSettings>['level'], sample_rate }),
    set(settings, is_forwarded = false) {
      if (settings.level) log.level = settings.level
      sample_rate = settings.sample_rate ?? sample_rate
      if (tracer) tracer.sample_rate = sample_rate
      if (!is_forwarded) onChange(settings)
    },
  }
}
