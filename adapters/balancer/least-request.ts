import type { Clock } from '@svc/engine/ports'
import type { Balancer, Endpoint } from '@svc/engine/routing/routing'
import { weightOf } from './weight.ts'

/**
 * Of two random endpoints, the one with the lower load for its weight. Better than the least loaded of all: engines
 * that see the same loads do not all choose the same endpoint.
 */
export function leastRequest({ random }: Pick<Clock, 'random'>): Balancer {
  return {
    choose(_registered, _tenant_id, healthy) {
      if (healthy.length < 2) return healthy[0]
      const first = Math.floor(random() * healthy.length)
      const other = Math.floor(random() * (healthy.length - 1))
      const one = healthy[first]!
      const two = healthy[other < first ? other : other + 1]!
      return load(two) < load(one) ? two : one
    },
  }
}

function load(endpoint: Endpoint): number {
  return (endpoint.in_flight + 1) / weightOf(endpoint)
}
