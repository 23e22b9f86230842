// Stage 3's table: how much a tenant may ask of a protocol. Overridden by SVC_RATE_LIMITS, never edited at run time.
import type { RateClass } from '@svc/contract/protocol'
import type { BucketSize, LimitTable, Tier } from './ports.ts'

export const default_limits: Exclude<LimitTable, 'off'> = {
  infrastructure: { capacity: 2000, refill_per_s: 1000 },
  standard: { capacity: 500, refill_per_s: 250 },
  heavy: { capacity: 60, refill_per_s: 10 },
}

interface TierRow {
  readonly factor: number
  readonly month_max: number | null
}

export const tiers: Readonly<Record<Tier, TierRow>> = {
  sandbox: { factor: 0.1, month_max: 10_000 },
  charter: { factor: 1, month_max: 1_000_000 },
  institution: { factor: 5, month_max: 10_000_000 },
  sovereign: { factor: 50, month_max: null },
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
