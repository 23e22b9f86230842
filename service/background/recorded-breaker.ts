import { circuitSeries } from '@svc/adapters/breaker/circuit-series'
import { type MemoryBreaker, memoryBreaker } from '@svc/adapters/breaker/memory'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { AuditLogPort, Clock } from '@svc/engine/ports'
import type { Config } from '../settings/config.ts'

interface Parts {
  readonly clock: Clock
  readonly audit_log: AuditLogPort
  readonly meters: Prometheus
}

/** Records every state change of a circuit in the operator's audit log, and counts it. */
export function recordedBreaker(config: Config, { clock, audit_log, meters }: Parts): MemoryBreaker {
  const series = circuitSeries(meters.registry)
  const breaker = memoryBreaker(clock, (transition) => {
    series.moved(transition)
    audit_log.record({
      id: clock.uuid(),
      event_type: 'CircuitBreakerTransition',
      correlation_id: clock.uuid(),
      timestamp: new Date(clock.now_ms()).toISOString(),
      tenant_id: config.tenant_id,
      caller_did: config.agent_did,
      protocol: transition.protocol,
      outcome: 'success',
      latency_ms: 0,
      meta: { ...transition },
    })
  })
  series.watch(breaker.states)
  return breaker
}
