// Which tenants exist and their tiers, for callers without an API key.

import type { Tier } from '@svc/contract/authority/tier'
import type { Database } from '@svc/contract/database'
import { recent } from '@svc/engine/limits/recent'
import type { Clock } from '@svc/engine/ports'
import { findTenant } from './tenant-directory.ts'

const tenants_cached_max = 10_000
const cached_ms = 60_000

export interface TenantTiers {
  /** Undefined if there is no such tenant. A value rather than a promise if cached. */
  tierOf(tenant_id: string): Tier | undefined | Promise<Tier | undefined>
  /** A tier has changed, or may have. */
  forgetAll(): void
}

/** An unknown tenant is never cached: it may be created at any moment, and none is ever removed. */
export function tenantTiers(db: Database, clock: Clock): TenantTiers {
  let cache = recent<{ readonly tier: Tier; readonly until_ms: number }>(tenants_cached_max)
  return {
    tierOf(tenant_id) {
      const cached = cache.get(tenant_id)
      if (cached && cached.until_ms > clock.monotonic_ms()) return cached.tier
      // A read that began before a change is not cached after it.
      const own_cache = cache
      return findTenant(db, tenant_id).then((tenant_listing) => {
        if (tenant_listing)
          own_cache.set(tenant_id, { tier: tenant_listing.tier, until_ms: clock.monotonic_ms() + cached_ms })
        return tenant_listing?.tier
      })
    },
    forgetAll() {
      cache = recent(tenants_cached_max)
    },
  }
}
