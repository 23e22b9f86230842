// Token buckets in this process: the default of a single engine. Several replicas share theirs through Redis.
import type { Clock, RateLimiter } from '@svc/engine/ports'
import { type MonthCalls, monthCalls } from './month-calls.ts'
import { allowanceOf, judge, keep, monthOf, refill } from './token-bucket.ts'

const buckets_max = 100_000

interface Bucket {
  tokens: number
  at_ms: number
}

export function memoryLimiter(clock: Clock, months: MonthCalls = monthCalls()): RateLimiter {
  const buckets = new Map<string, Bucket>()
  return {
    health: () => 'ok',
    take({ tenant_id, protocol }, size, cost, take) {
      const key = `${tenant_id}|${protocol}`
      const now_ms = clock.now_ms()
      const bucket = buckets.get(key) ?? { tokens: size.capacity, at_ms: clock.monotonic_ms() }
      bucket.tokens = refill(bucket.tokens, clock.monotonic_ms() - bucket.at_ms, size)
      bucket.at_ms = Math.max(bucket.at_ms, clock.monotonic_ms())
      // The quota is the tenant's, over all protocols; without one nothing is counted.
      const { month_max } = size
      const quota_left =
        month_max === null ? Infinity : month_max - months.find(tenant_id, monthOf(now_ms)).used
      const verdict = judge(bucket.tokens, quota_left, cost)
      if (take && verdict.allowed) {
        bucket.tokens = verdict.tokens
        keep(buckets, key, bucket, buckets_max)
        if (month_max !== null) months.add(tenant_id, monthOf(now_ms))
      }
      return allowanceOf(verdict, size, cost, now_ms)
    },
  }
}
