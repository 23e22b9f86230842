// Stage 3's table: the rate of a tenant per protocol. Overridden by SVC_RATE_LIMITS, never changed at run time.

import { type Tier, tiers } from '@svc/contract/authority/tier'
import type { RateClass } from '@svc/contract/protocol'

export interface BucketSize {
  readonly capacity: number
  readonly refill_per_s: number
  /** Calls per calendar month (UTC); null for no limit. */
  readonly month_max: number | null
}

/** Capacity and refill by rate class. */
export type LimitTable =
  | Readonly<Record<RateClass, { readonly capacity: number; readonly refill_per_s: number }>>
  | 'off'

export const default_limits: Exclude<LimitTable, 'off'> = {
  infrastructure: { capacity: 2000, refill_per_s: 1000 },
  standard: { capacity: 500, refill_per_s: 250 },
  heavy: { capacity: 60, refill_per_s: 10 },
}

const unlimited: BucketSize = { capacity: 1_000_000_000, refill_per_s: 1_000_000_000, month_max: null }

export function bucketSize(limits: LimitTable, rate: RateClass, tier: Tier): BucketSize {
  if (limits === 'off') return unlimited
  const { factor, month_max } = tiers[tier]
  return {
    capacity: Math.max(1, limits[rate].capacity * factor),
    refill_per_s: limits[rate].refill_per_s * factor,
    month_max,
  }
}
