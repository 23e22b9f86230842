// Stage 6: where does it run? Native protocols have one endpoint, this process; the balancer matters where there are more.
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Budgeted, Placed } from '../call.ts'
import type { Ports } from '../ports.ts'
import type { Endpoint } from '../routing/routing.ts'

export function chooseEndpoint(call: Budgeted, ports: Ports): Placed {
  call.stage = 6
  const endpoint = choose(call, ports)
  if (!endpoint) {
    throw refuse(
      'no_endpoint_available',
      `No endpoint of ${call.registered.facts.id} is healthy right now; try again in a few seconds.`,
      { reason: 'no healthy endpoint' },
    )
  }
  if (call.asked.within?.plugins?.includes(endpoint.id)) throw callsItself(call, endpoint)
  call.endpoint = endpoint
  return call as Placed
}

function choose({ candidates, registered, asked }: Budgeted, { balancer }: Ports): Endpoint | undefined {
  // Nearly every call: one endpoint, and no list to create.
  if (candidates.length === 1) return candidates[0]!.healthy ? candidates[0] : undefined
  const healthy = candidates.filter((candidate) => candidate.healthy)
  return healthy.length > 1 ? balancer.choose(registered, asked.request.tenant_id, healthy) : healthy[0]
}

/** It would wait for one of its own processes, which may all wait for the same. */
function callsItself({ operation }: Budgeted, { id }: Endpoint): Refusal {
  return refuse(
    'policy_denied',
    `${id.replace(':', ' ')} is at work on this very call and cannot be called by it (${operation.capability}); ` +
      'do the work inside the plugin, or call another one.',
    { reason: 'plugin calls itself', served_by: id },
  )
}
