// Stage 5: is anything behind this protocol known to be broken? Then say so at once instead of waiting for it.
import { refuse } from '@svc/contract/refusal'
import type { Authorised, Guarded } from '../call.ts'
import type { Endpoint, Ports } from '../ports.ts'

export function breakCircuit(call: Authorised, ports: Ports): Guarded {
  call.stage = 5
  const { facts, endpoints } = call.registered
  if (call.operation.facts.exempt) return Object.assign(call, { candidates: endpoints })
  const candidates: Endpoint[] = []
  let first: (NonNullable<ReturnType<typeof ports.breaker.blocked>> & { endpoint: string }) | undefined
  for (const endpoint of endpoints) {
    const blocked = ports.breaker.blocked(facts.id, endpoint.id, endpoint.in_flight)
    if (blocked) first ??= { ...blocked, endpoint: endpoint.id }
    else candidates.push(endpoint)
  }
  if (candidates.length === 0 && first) {
    throw refuse(
      'circuit_open',
      `${facts.id} has failed too often lately, so calls are refused until probes succeed; try again in ${first.retry_after_ms} ms.`,
      {
        reason: `circuit ${first.state}`,
        retry_after_ms: first.retry_after_ms,
        protocol: facts.id,
        endpoint: first.endpoint,
        last_failure: first.last_failure,
      },
    )
  }
  return Object.assign(call, { candidates })
}
