// What this replica gives out by itself while Redis is away: its share of every bucket, from its last known level.

import type { Allowance } from '@svc/engine/call'
import type { BucketSize } from '@svc/engine/limits/limits'
import type { BucketKey, Clock } from '@svc/engine/ports'
import type { MonthCalls, MonthCount } from './month-calls.ts'
import { allowanceOf, judge, keep, monthOf, refill } from './token-bucket.ts'

const buckets_max = 100_000

interface Bucket {
  /** Of the whole bucket as Redis reported it, or of this replica's share once it gave out by itself. */
  tokens: number
  at_ms: number
  is_share: boolean
  /** When Redis reported, by Redis' clock. */
  told_at_ms: number
  /** Given out by this replica and not yet reported to Redis. */
  given: number
}

/** What a take reports to Redis of a bucket, and what must be restored if Redis did not receive it. */
export interface BucketReport {
  readonly start: number
  readonly start_at_ms: number | undefined
  readonly debt: number
  readonly carried: { readonly tokens: number; readonly at_ms: number; readonly given: number } | undefined
}

export interface LocalShare {
  take(key: BucketKey, size: BucketSize, cost: number, take: boolean): Allowance
  /** The last known state of the bucket; takes nothing. */
  glance(key: BucketKey, size: BucketSize): Allowance
  told(key: BucketKey, tokens: number, redis_now_ms: number): void
  /** With `take`, the debt leaves with the report. */
  report(key: BucketKey, size: BucketSize, take: boolean): BucketReport
  takeBack(key: BucketKey, report: BucketReport): void
}

export function localShare(clock: Clock, replicas: () => number, months: MonthCalls): LocalShare {
  const buckets = new Map<string, Bucket>()
  const find = ({ tenant_id, protocol }: BucketKey) => buckets.get(`${tenant_id}|${protocol}`)
  const put = ({ tenant_id, protocol }: BucketKey, bucket: Bucket) =>
    keep(buckets, `${tenant_id}|${protocol}`, bucket, buckets_max)
  const levelOf = (bucket: Bucket, size: BucketSize) =>
    refill(bucket.tokens, clock.monotonic_ms() - bucket.at_ms, size)
  const whole = (tokens: number, told_at_ms = 0) => wholeBucket(tokens, clock.monotonic_ms(), told_at_ms)
  const quotaOf = (tenant_id: string, { month_max }: BucketSize): number =>
    month_max === null
      ? Infinity
      : quotaShare(months.find(tenant_id, monthOf(clock.now_ms())), month_max, replicas())
  return {
    take(key, size, cost, take) {
      const share = shareOf(size, cost, replicas())
      const bucket = find(key) ?? whole(size.capacity)
      const level = bucket.is_share
        ? levelOf(bucket, share)
        : Math.min(share.capacity, levelOf(bucket, size) / replicas())
      const verdict = judge(level, quotaOf(key.tenant_id, size), cost)
      if (take) {
        const tokens_given = verdict.allowed ? bucket.given + cost : bucket.given
        put(key, Object.assign(bucket, whole(verdict.tokens), { is_share: true, given: tokens_given }))
        if (verdict.allowed && size.month_max !== null) months.add(key.tenant_id, monthOf(clock.now_ms()))
      }
      return allowanceOf(verdict, share, cost, clock.now_ms())
    },
    glance(key, size) {
      const bucket = find(key)
      const bucket_size = bucket?.is_share ? shareOf(size, 1, replicas()) : size
      const level = bucket ? levelOf(bucket, bucket_size) : size.capacity
      return allowanceOf(judge(level, quotaOf(key.tenant_id, size), 0), bucket_size, 0, clock.now_ms())
    },
    told(key, tokens, redis_now_ms) {
      const bucket = find(key)
      // A share that began while this answer was on its way is newer.
      if (!bucket?.is_share) put(key, Object.assign(bucket ?? {}, whole(tokens, redis_now_ms)))
    },
    report(key, size, take) {
      const bucket = find(key)
      const { tokens: start = size.capacity, told_at_ms: start_at_ms } = bucket ?? {}
      if (!bucket?.is_share) return { start, start_at_ms, debt: 0, carried: undefined }
      const { tokens, at_ms, given } = bucket
      const share = shareOf(size, 1, replicas())
      const level = levelOf(bucket, share)
      if (take) Object.assign(bucket, whole(Math.min(size.capacity, level * replicas())))
      return { ...owed(given, level, share, size), carried: take ? { tokens, at_ms, given } : undefined }
    },
    takeBack(key, { carried }) {
      if (!carried) return
      const bucket = find(key) ?? whole(carried.tokens)
      const tokens_given = bucket.given + carried.given
      put(key, Object.assign(bucket, { ...carried, given: tokens_given, is_share: true }))
    },
  }
}

function wholeBucket(tokens: number, at_ms: number, told_at_ms: number): Bucket {
  return { tokens, at_ms, is_share: false, told_at_ms, given: 0 }
}

/** At least one call of this cost, or an expensive operation would stop completely. */
function shareOf(
  { capacity, refill_per_s, month_max }: BucketSize,
  cost: number,
  replicas: number,
): BucketSize {
  return {
    capacity: Math.max(capacity / replicas, Math.min(cost, capacity)),
    refill_per_s: refill_per_s / replicas,
    month_max,
  }
}

/** All replicas compute from the saved count, so their shares together are what is left. */
function quotaShare({ used, unsaved }: MonthCount, month_max: number, replicas: number): number {
  return Math.floor((month_max - (used - unsaved)) / replicas) - unsaved
}

/** What was given out and refilled since is no debt: Redis' own bucket was full meanwhile. */
function owed(tokens_given: number, level: number, share: BucketSize, size: BucketSize) {
  const missing = Math.max(0, share.capacity - level)
  return { start: size.capacity - missing, start_at_ms: undefined, debt: Math.min(tokens_given, missing) }
}
