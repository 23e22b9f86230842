// Stage 5: is this protocol known to be failing? Then refuse at once instead of waiting for it.
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Authorised, Guarded } from '../call.ts'
import type { Ports } from '../ports.ts'
import { type Breaker, circuitOf, type Endpoint } from '../routing/routing.ts'

type Blocked = NonNullable<ReturnType<Breaker['blocked']>> & { readonly endpoint: string }

export function breakCircuit(call: Authorised, { breaker }: Ports): Guarded {
  call.stage = 5
  const { facts, endpoints } = call.registered
  const guarded = call as Guarded
  // The list itself while nothing is broken: most calls need no list of their own.
  guarded.candidates = endpoints
  if (call.operation.facts.exempt) return guarded
  let soonest: Blocked | undefined
  for (const endpoint of endpoints) {
    const circuit = circuitOf(endpoint, call.asked.credential.tenant_id)
    const blocked = breaker.blocked(facts.id, circuit, endpoint.in_flight)
    if (!blocked) continue
    guarded.candidates = guarded.candidates.filter((candidate) => candidate !== endpoint)
    if (endpoint.healthy && (!soonest || blocked.retry_after_ms < soonest.retry_after_ms))
      soonest = { ...blocked, endpoint: endpoint.id }
  }
  // An unhealthy endpoint does not help: where only such are left, the caller waits for the circuit.
  if (soonest && !guarded.candidates.some(isHealthy)) throw circuitOpen(facts.id, soonest)
  return guarded
}

function isHealthy({ healthy }: Endpoint): boolean {
  return healthy
}

function circuitOpen(protocol: string, { state, endpoint, last_failure, retry_after_ms }: Blocked): Refusal {
  const why =
    state === 'recovering'
      ? `${protocol} has just come back and takes few calls at once`
      : `${protocol} has failed too often lately, so calls are refused until probes succeed`
  const details = { reason: `circuit ${state}`, retry_after_ms, protocol, endpoint, last_failure }
  return refuse('circuit_open', `${why}; try again in ${retry_after_ms} ms.`, details)
}
