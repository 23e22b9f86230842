import { type MemoryBreaker, memoryBreaker } from '@svc/adapters/breaker/memory'
import type { AuditBook, Clock } from '@svc/engine/ports'
import type { Config } from './config.ts'

/** Every move of a circuit stands in the operator's book. */
export function recordedBreaker(config: Config, clock: Clock, book: AuditBook): MemoryBreaker {
  return memoryBreaker(clock, (transition) =>
    book.record({
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
    }),
  )
}
