// What this replica gives out by itself while Redis is away: its share of every bucket, from where it last saw them.
import type { Allowance, BucketKey, BucketSize, Clock } from '@svc/engine/ports'
import type { MonthCalls } from './month-calls.ts'
import { allowanceOf, judge, keep, monthOf, refill } from './token-bucket.ts'

const buckets_max = 100_000

interface Bucket {
  /** Of the whole bucket as Redis told, or of this replica's share once it gave out by itself. */
  tokens: number
  at_ms: number
  is_share: boolean
  /** When Redis told, by Redis' clock. */
  told_at_ms: number
  /** Given out by this replica and not yet told to Redis. */
  given: number
}

/** What a take tells Redis of a bucket, and what of it must come back where Redis did not hear it. */
export interface BucketReport {
  readonly start: number
  readonly start_at_ms: number | undefined
  readonly debt: number
  readonly carried: { readonly tokens: number; readonly at_ms: number; readonly given: number } | undefined
}

export interface LocalShare {
  take(key: BucketKey, size: BucketSize, cost: number, take: boolean): Allowance
  /** What this replica last knew of the bucket, at no cost. */
  glance(key: BucketKey, size: BucketSize): Allowance
  told(key: BucketKey, tokens: number, redis_now_ms: number): void
  /** With `take`, what is owed leaves with the report. */
  report(key: BucketKey, size: BucketSize, take: boolean): BucketReport
  takeBack(key: BucketKey, report: BucketReport): void
}

export function localShare(clock: Clock, replicas: () => number, months: MonthCalls): LocalShare {
  const buckets = new Map<string, Bucket>()
  const find = ({ tenant_id, protocol }: BucketKey) => buckets.get(`${tenant_id}|${protocol}`)
  const put = ({ tenant_id, protocol }: BucketKey, bucket: Bucket) =>
    keep(buckets, `${tenant_id}|${protocol}`, bucket, buckets_max)
  /** At least one call of this cost, or a dear operation would stop altogether. */
  const shareOf = ({ capacity, refill_per_s, month_max }: BucketSize, cost: number): BucketSize => ({
    capacity: Math.max(capacity / replicas(), Math.min(cost, capacity)),
    refill_per_s: refill_per_s / replicas(),
    month_max,
  })
  const levelOf = (bucket: Bucket, size: BucketSize) =>
    refill(bucket.tokens, clock.monotonic_ms() - bucket.at_ms, size)
  /** All replicas reckon from what was saved, so their shares together are what is left. */
  const quotaOf = (tenant_id: string, { month_max }: BucketSize): number => {
    if (month_max === null) return Infinity
    const { used, unsaved } = months.find(tenant_id, monthOf(clock.now_ms()))
    return Math.floor((month_max - (used - unsaved)) / replicas()) - unsaved
  }
  const fresh = (tokens: number): Bucket => ({
    tokens,
    at_ms: clock.monotonic_ms(),
    is_share: false,
    told_at_ms: 0,
    given: 0,
  })
  return {
    take(key, size, cost, take) {
      const share = shareOf(size, cost)
      const bucket = find(key) ?? fresh(size.capacity)
      const level = bucket.is_share
        ? levelOf(bucket, share)
        : Math.min(share.capacity, levelOf(bucket, size) / replicas())
      const verdict = judge(level, quotaOf(key.tenant_id, size), cost)
      if (take) {
        const given = verdict.allowed ? bucket.given + cost : bucket.given
        put(key, Object.assign(bucket, fresh(verdict.tokens), { is_share: true, given }))
        if (verdict.allowed && size.month_max !== null) months.add(key.tenant_id, monthOf(clock.now_ms()))
      }
      return allowanceOf(verdict, share, cost, clock.now_ms())
    },
    glance(key, size) {
      const bucket = find(key)
      const known = bucket?.is_share ? shareOf(size, 1) : size
      const level = bucket ? levelOf(bucket, known) : size.capacity
      return allowanceOf(judge(level, quotaOf(key.tenant_id, size), 0), known, 0, clock.now_ms())
    },
    told(key, tokens, redis_now_ms) {
      const bucket = find(key)
      // A share that was begun while this answer was under way knows more.
      if (bucket?.is_share) return
      put(key, Object.assign(bucket ?? fresh(tokens), fresh(tokens), { told_at_ms: redis_now_ms }))
    },
    report(key, size, take) {
      const bucket = find(key)
      if (!bucket) return { start: size.capacity, start_at_ms: undefined, debt: 0, carried: undefined }
      if (!bucket.is_share)
        return { start: bucket.tokens, start_at_ms: bucket.told_at_ms, debt: 0, carried: undefined }
      const share = shareOf(size, 1)
      const level = levelOf(bucket, share)
      const missing = Math.max(0, share.capacity - level)
      const { tokens, at_ms, given } = bucket
      if (take) Object.assign(bucket, fresh(Math.min(size.capacity, level * replicas())))
      // What was given out and has been earned back since is owed no more: Redis' own bucket was full meanwhile.
      const debt = Math.min(given, missing)
      return {
        start: size.capacity - missing,
        start_at_ms: undefined,
        debt,
        carried: take ? { tokens, at_ms, given } : undefined,
      }
    },
    takeBack(key, { carried }) {
      if (!carried) return
      const bucket = find(key) ?? fresh(carried.tokens)
      const given = bucket.given + carried.given
      put(key, Object.assign(bucket, { ...carried, given, is_share: true }))
    },
  }
}
