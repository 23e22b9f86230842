// Token buckets in this process: the default of a single engine. Several replicas share theirs through Redis.
import type { Allowance, BucketSize, Clock, RateLimiter } from '@svc/engine/ports'

const buckets_max = 100_000

interface Bucket {
  tokens: number
  at_ms: number
  month: number
  used_in_month: number
}

export function memoryLimiter(clock: Clock): RateLimiter {
  const buckets = new Map<string, Bucket>()
  return {
    health: () => 'ok',
    take({ tenant_id, protocol }, size, cost, take) {
      const key = `${tenant_id}|${protocol}`
      const bucket = buckets.get(key) ?? freshBucket(size, clock)
      refill(bucket, size, clock)
      const allowance = judge(bucket, size, cost, clock)
      if (take && allowance.allowed) {
        bucket.tokens -= cost
        bucket.used_in_month += 1
        // Map order is insertion order: past the bound the bucket that was made first goes, and starts full again.
        if (!buckets.has(key) && buckets.size >= buckets_max)
          buckets.delete(buckets.keys().next().value as string)
        buckets.set(key, bucket)
      }
      return allowance
    },
  }
}

function freshBucket(size: BucketSize, clock: Clock): Bucket {
  return {
    tokens: size.capacity,
    at_ms: clock.monotonic_ms(),
    month: monthOf(clock.now_ms()),
    used_in_month: 0,
  }
}

function refill(bucket: Bucket, size: BucketSize, clock: Clock): void {
  const now_ms = clock.monotonic_ms()
  const earned = ((now_ms - bucket.at_ms) / 1000) * size.refill_per_s
  bucket.tokens = Math.min(size.capacity, bucket.tokens + Math.max(0, earned))
  bucket.at_ms = now_ms
  if (size.month_max === null) return
  const month = monthOf(clock.now_ms())
  // A clock that jumps back must not give the month's calls a second time.
  if (month > bucket.month) Object.assign(bucket, { month, used_in_month: 0 })
}

function judge(bucket: Bucket, size: BucketSize, cost: number, clock: Clock): Allowance {
  const quota_left = size.month_max === null ? Infinity : size.month_max - bucket.used_in_month
  const allowed = bucket.tokens >= cost && quota_left >= 1
  const after = allowed ? bucket.tokens - cost : bucket.tokens
  const until_refilled_ms = Math.ceil(((cost - bucket.tokens) / size.refill_per_s) * 1000)
  const by_quota = quota_left < 1
  return {
    allowed,
    limit: Math.floor(size.capacity),
    remaining: Math.max(0, Math.floor(Math.min(after, quota_left))),
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
