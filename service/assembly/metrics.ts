// The engine's own metrics, and the endpoint that serves them.
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { Measured } from '@svc/adapters/telemetry/summed-metrics'
import type { AuditLog } from '@svc/audit/audit-log'
import type { Engine } from '@svc/engine/dispatch'
import type { AdmissionControl } from '@svc/gateway/dispatch/admission-control'
import { serveMetrics } from '@svc/gateway/metrics-server'
import { type Config, portTaken } from '../settings/config.ts'

type Closing = (() => Promise<unknown>)[]

export async function openMetrics(config: Config, meters: Prometheus, closing: Closing): Promise<number> {
  const read = async () => ({ type: meters.registry.contentType, text: await meters.registry.metrics() })
  const metrics = await serveMetrics(config.host, config.metrics_port, read, config.tls.listener).catch(
    (error) => {
      throw portTaken(error, config.metrics_port)
    },
  )
  closing.push(() => metrics.close())
  return metrics.port
}

export async function measure({ registry }: Prometheus): Promise<Measured> {
  // The type declarations are wrong here: at run time a metric's type is a string.
  return (await registry.getMetricsAsJSON()) as unknown as Measured
}

export function addGauges(
  { audit_bytes_max }: Pick<Config, 'audit_bytes_max'>,
  meters: Prometheus,
  engine: Engine,
  audit_log: AuditLog,
  room: AdmissionControl,
): void {
  const states = { normal: 0, buffering: 1, overflow: 2 }
  meters.gauge('svc_in_flight', 'Calls under way.', () => engine.in_flight)
  meters.gauge('svc_admitted_calls', 'Calls admitted by admission control.', () => room.calls)
  meters.gauge('svc_admitted_body_bytes', 'Bytes of request bodies held.', () => room.body_bytes)
  meters.counter('svc_calls_shed_total', 'Calls refused because the engine was busy.', () => room.shed)
  meters.gauge('svc_audit_pending_bytes', 'Journalled bytes not yet in the chain.', () =>
    audit_log.pending_bytes(),
  )
  meters.gauge(
    'svc_audit_pending_bytes_max',
    'Journalled bytes above which state changes are refused.',
    () => audit_bytes_max,
  )
  meters.gauge('svc_audit_state', '0 normal, 1 buffering, 2 overflow.', () => states[audit_log.state()])
}
