import type { Balancer, Endpoint } from '@svc/engine/routing/routing'
import { weightOf } from './weight.ts'

/**
 * Rendezvous hashing: each tenant ranks the endpoints by a hash of both names and uses the first available. It is
 * stateless, so replicas agree, and removing an endpoint moves only its own tenants.
 */
export const tenant_hash: Balancer = {
  choose(_registered, tenant_id, healthy) {
    let chosen: Endpoint | undefined
    let best = Number.NEGATIVE_INFINITY
    for (const endpoint of healthy) {
      // With -weight/ln(u), the share of each is its weight among all, independent of the others.
      const score = -weightOf(endpoint) / Math.log(unitHash(tenant_id, endpoint.id))
      if (score > best || (score === best && endpoint.id < chosen!.id)) [chosen, best] = [endpoint, score]
    }
    return chosen
  },
}

/** A number above 0 and below 1. It must not change: another one would move every tenant. */
function unitHash(tenant_id: string, endpoint: string): number {
  let hash = fold(fold(0x811c9dc5, endpoint), '\n')
  hash = fold(hash, tenant_id)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (((hash ^ (hash >>> 16)) >>> 0) + 0.5) / 2 ** 32
}

/** FNV-1a over the UTF-16 units of a name. */
function fold(hash: number, text: string): number {
  let folded = hash
  for (let i = 0; i < text.length; i++) folded = Math.imul(folded ^ text.charCodeAt(i), 0x01000193)
  return folded
}
