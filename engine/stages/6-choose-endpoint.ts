// Stage 6: where does it run? Native protocols have one endpoint, this process; the balancer matters where there are more.
import { refuse } from '@svc/contract/refusal'
import type { Guarded, Placed } from '../call.ts'
import type { Ports } from '../ports.ts'

export function chooseEndpoint(call: Guarded, ports: Ports): Placed {
  call.stage = 6
  const healthy = call.candidates.filter((candidate) => candidate.healthy)
  const endpoint =
    healthy.length > 1
      ? ports.balancer.choose(call.registered, call.asked.request.tenant_id, healthy)
      : healthy[0]
  if (!endpoint) {
    throw refuse(
      'no_endpoint_available',
      `No endpoint of ${call.registered.facts.id} is healthy right now; try again in a few seconds.`,
      { reason: 'no healthy endpoint' },
    )
  }
  return Object.assign(call, { endpoint })
}
