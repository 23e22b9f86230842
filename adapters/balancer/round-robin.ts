import type { Balancer, Registered } from '@svc/engine/routing/routing'
import { weightOf } from './weight.ts'

/**
 * Smooth weighted round robin per protocol version: each endpoint gains its weight per turn; the one with most is
 * chosen and loses the total.
 */
export function roundRobin(): Balancer {
  // Stored with the registration: a replaced one keeps its turns.
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
