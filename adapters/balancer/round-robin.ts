import type { Balancer, Registered } from '@svc/engine/routing/routing'
import { weightOf } from './weight.ts'

/**
 * The endpoints of a protocol version in turn, heavier ones more often and evenly between the others: each saves up its weight,
 * the one that has most is chosen and pays what all saved.
 */
export function roundRobin(): Balancer {
  // Kept with the registration: one that was replaced takes its turns along.
  const savings = new WeakMap<Registered, Map<string, number>>()
  return {
    choose(registered, _tenant_id, healthy) {
      const saved = savings.get(registered) ?? new Map<string, number>()
      savings.set(registered, saved)
      let all = 0
      let chosen = healthy[0]
      let most = Number.NEGATIVE_INFINITY
      for (const endpoint of healthy) {
        const weight = weightOf(endpoint)
        const has = (saved.get(endpoint.id) ?? 0) + weight
        saved.set(endpoint.id, has)
        all += weight
        if (has > most) [chosen, most] = [endpoint, has]
      }
      if (chosen) saved.set(chosen.id, most - all)
      return chosen
    },
  }
}
