// Which tenants there are and of what tier, for callers who come without a key of ours.
import type { Database } from '@svc/contract/operation-context'
import type { Clock, Tier } from '@svc/engine/ports'
import { recent } from '@svc/engine/recent'
import { findTenant } from './tenant-directory.ts'

const tenants_cached_max = 10_000
const cached_ms = 60_000

export type TierOf = (tenant_id: string) => Tier | undefined | Promise<Tier | undefined>

/** One that is not there is looked for again each time: it may be created at any moment, and none is ever taken away. */
export function tenantTiers(db: Database, clock: Clock): TierOf {
  const cache = recent<{ readonly tier: Tier; readonly until_ms: number }>(tenants_cached_max)
  return (tenant_id) => {
    const cached = cache.get(tenant_id)
    if (cached && cached.until_ms > clock.monotonic_ms()) return cached.tier
    return findTenant(db, tenant_id).then((found) => {
      if (found) cache.set(tenant_id, { tier: found.tier, until_ms: clock.monotonic_ms() + cached_ms })
      return found?.tier
    })
  }
}
