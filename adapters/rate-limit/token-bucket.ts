// The arithmetic of a bucket and of a month, the same for every store.

import type { Allowance } from '@svc/engine/call'
import type { BucketSize } from '@svc/engine/limits/limits'

export interface Verdict {
  readonly allowed: boolean
  readonly by_quota: boolean
  /** What is left after the call was judged. */
  readonly tokens: number
  readonly quota_left: number
}

export function refill(tokens: number, elapsed_ms: number, size: BucketSize): number {
  const earned = (Math.max(0, elapsed_ms) / 1000) * size.refill_per_s
  return Math.min(size.capacity, tokens + earned)
}

export function judge(tokens: number, quota_left: number, cost: number): Verdict {
  const by_quota = quota_left < 1
  const allowed = tokens >= cost && !by_quota
  return allowed
    ? { allowed, by_quota, tokens: tokens - cost, quota_left: quota_left - 1 }
    : { allowed, by_quota, tokens, quota_left }
}

/** A verdict in the form for callers. */
export function allowanceOf(verdict: Verdict, size: BucketSize, cost: number, now_ms: number): Allowance {
  const { allowed, by_quota, tokens, quota_left } = verdict
  const until_refilled_ms = Math.ceil(((cost - tokens) / size.refill_per_s) * 1000)
  return {
    allowed,
    limit: Math.floor(size.capacity),
    remaining: Math.max(0, Math.floor(Math.min(tokens, quota_left))),
    reset_s: Math.ceil((size.capacity - tokens) / size.refill_per_s),
    retry_after_ms: allowed ? 0 : by_quota ? untilNextMonth(now_ms) : Math.max(1, until_refilled_ms),
    reason: allowed ? undefined : by_quota ? 'monthly quota used' : 'bucket empty',
  }
}

/** Months of the UTC calendar, numbered. */
export function monthOf(now_ms: number): number {
  const date = new Date(now_ms)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function untilNextMonth(now_ms: number): number {
  const date = new Date(now_ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) - now_ms
}

/** A Map keeps insertion order: at the limit the oldest entry is removed, and starts over. */
export function keep<V>(map: Map<string, V>, key: string, value: V, entries_max: number): void {
  if (!map.has(key) && map.size >= entries_max) map.delete(map.keys().next().value as string)
  map.set(key, value)
}
