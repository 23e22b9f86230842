// Token buckets in this process: the default of a single engine. Several replicas share theirs through Redis.
import type { Allowance, BucketSize, Clock, RateLimiter } from '@svc/engine/ports'

const buckets_max = 100_000
const tenants_max = 100_000

interface Bucket {
  tokens: number
  at_ms: number
}

interface Month {
  number: number
  used: number
}

export function memoryLimiter(clock: Clock): RateLimiter {
  const buckets = new Map<string, Bucket>()
  const months = new Map<string, Month>()
  return {
    health: () => 'ok',
    take({ tenant_id, protocol }, size, cost, take) {
      const key = `${tenant_id}|${protocol}`
      const bucket = buckets.get(key) ?? { tokens: size.capacity, at_ms: clock.monotonic_ms() }
      refill(bucket, size, clock)
      // The quota is the tenant's, whatever it calls; who has none is not counted.
      const month = size.month_max === null ? undefined : thisMonth(months.get(tenant_id), clock)
      const quota_left = month && size.month_max !== null ? size.month_max - month.used : Infinity
      const allowance = judge(bucket, quota_left, size, cost, clock)
      if (take && allowance.allowed) {
        bucket.tokens -= cost
        keep(buckets, key, bucket, buckets_max)
        if (month) keep(months, tenant_id, { ...month, used: month.used + 1 }, tenants_max)
      }
      return allowance
    },
  }
}

/** Map order is insertion order: past the bound the entry that was made first goes, and starts anew. */
function keep<V>(map: Map<string, V>, key: string, value: V, entries_max: number): void {
  if (!map.has(key) && map.size >= entries_max) map.delete(map.keys().next().value as string)
  map.set(key, value)
}

function refill(bucket: Bucket, size: BucketSize, clock: Clock): void {
  const now_ms = clock.monotonic_ms()
  const earned = ((now_ms - bucket.at_ms) / 1000) * size.refill_per_s
  bucket.tokens = Math.min(size.capacity, bucket.tokens + Math.max(0, earned))
  bucket.at_ms = Math.max(bucket.at_ms, now_ms)
}

/** A clock that jumps back must not give the month's calls a second time. */
function thisMonth(known: Month | undefined, clock: Clock): Month {
  const number = monthOf(clock.now_ms())
  return known && known.number >= number ? known : { number, used: 0 }
}

function judge(bucket: Bucket, quota_left: number, size: BucketSize, cost: number, clock: Clock): Allowance {
  const by_quota = quota_left < 1
  const allowed = bucket.tokens >= cost && !by_quota
  const after = allowed ? bucket.tokens - cost : bucket.tokens
  const quota_after = allowed ? quota_left - 1 : quota_left
  const until_refilled_ms = Math.ceil(((cost - bucket.tokens) / size.refill_per_s) * 1000)
  return {
    allowed,
    limit: Math.floor(size.capacity),
    remaining: Math.max(0, Math.floor(Math.min(after, quota_after))),
    reset_s: Math.ceil((size.capacity - after) / size.refill_per_s),
    retry_after_ms: allowed ? 0 : by_quota ? untilNextMonth(clock.now_ms()) : Math.max(1, until_refilled_ms),
    reason: allowed ? undefined : by_quota ? 'monthly quota used' : 'bucket empty',
  }
}

function monthOf(now_ms: number): number {
  const date = new Date(now_ms)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function untilNextMonth(now_ms: number): number {
  const date = new Date(now_ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) - now_ms
}
