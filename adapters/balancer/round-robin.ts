import type { Balancer } from '@svc/engine/ports'

/** Each protocol's endpoints in turn. */
export function roundRobin(): Balancer {
  const turns = new Map<string, number>()
  return {
    choose({ facts }, _tenant_id, healthy) {
      const turn = turns.get(facts.id) ?? 0
      turns.set(facts.id, (turn + 1) % Number.MAX_SAFE_INTEGER)
      return healthy[turn % healthy.length]
    },
  }
}
