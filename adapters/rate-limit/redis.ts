// Token buckets in Redis, shared by all replicas. While it is away each replica gives out only its share.

import type { Allowance, Take } from '@svc/engine/call'
import type { BucketSize } from '@svc/engine/limits/limits'
import type { BucketKey, RateLimiter } from '@svc/engine/ports'
import type { Asked, PreparedTokens, TenantLines, TokenAnswer, TokenRequest } from '../redis/tenant-lines.ts'
import { type Answer, argumentsOf, keysOf, outcomes } from './limit-script.ts'
import type { LocalShare } from './local-share.ts'
import type { MonthCalls } from './month-calls.ts'
import type { MonthStore } from './month-store.ts'
import { allowanceOf } from './token-bucket.ts'

export interface RedisLimiterParts {
  readonly lines: Pick<TenantLines, 'ask'>
  readonly isUp: () => boolean
  /** The part of a question that reserves these; undefined where that needs a question of its own. */
  readonly reserving: (tenant_id: string, takes: readonly Take[]) => Asked | undefined
  readonly share: LocalShare
  readonly months: MonthCalls
  readonly saved: Pick<MonthStore, 'read'>
  /** A call was judged by this replica alone. */
  readonly onFallback: () => unknown
}

interface Bucket {
  readonly key: BucketKey
  readonly size: BucketSize
  readonly cost: number
  readonly take: boolean
}

const nothing: Asked = { budget_counters: [], takes: [], take: true }

export function redisLimiter(parts: RedisLimiterParts): RateLimiter {
  const { isUp, reserving, share, onFallback } = parts
  const fallBack = ({ key, size, cost, take }: Bucket): Allowance => {
    onFallback()
    return share.take(key, size, cost, take)
  }
  return {
    health: () => (isUp() ? 'ok' : 'degraded'),
    take(key, size, cost, take, planned) {
      // A free call does not wait: it gets the last known state.
      if (cost === 0) return share.glance(key, size)
      const bucket = { key, size, cost, take }
      if (!isUp()) return fallBack(bucket)
      // A flood is not judged any further: its bucket was empty at the last look.
      const takes = take && share.glance(key, size).remaining >= cost ? planned?.() : undefined
      const question = takes && reserving(key.tenant_id, takes)
      return ask(parts, bucket, question).then((allowance) => allowance ?? fallBack(bucket))
    },
  }
}

/** Undefined if Redis did not answer. */
async function ask(
  parts: RedisLimiterParts,
  bucket: Bucket,
  question: Asked | undefined,
): Promise<Allowance | undefined> {
  const { tenant_id } = bucket.key
  for (const month_is_read of [false, true]) {
    const tokens = tokensOf(parts, bucket, month_is_read)
    const answer = await parts.lines.ask(tenant_id, { ...(question ?? nothing), tokens })
    if (!answer?.tokens) return undefined
    if ('allowed' in answer.tokens) {
      const is_judged = question && answer.tokens.allowed && answer.verdict >= 0
      if (!is_judged) return answer.tokens
      return { ...answer.tokens, reservation: { lacking: question.takes[answer.verdict - 1] } }
    }
    // Redis has no count of this month: it is new, or was lost. The saved count is read before anything is given.
    await parts.saved.read(tenant_id, answer.tokens.unread_month)
  }
  return undefined
}

function tokensOf(parts: RedisLimiterParts, bucket: Bucket, month_is_read: boolean): TokenRequest {
  const { key, size, cost, take } = bucket
  const { capacity, refill_per_s, month_max } = size
  return {
    name: [key.protocol, cost, capacity, refill_per_s, month_max, take, month_is_read].join('|'),
    prepare: (calls) => prepare(parts, bucket, calls, month_is_read),
  }
}

/** What this replica knows of bucket and month is read when the question leaves, not when it is made. */
function prepare(
  parts: RedisLimiterParts,
  bucket: Bucket,
  calls: number,
  month_is_read: boolean,
): PreparedTokens {
  const { share, months } = parts
  const { key, size, cost, take } = bucket
  const { tenant_id, protocol } = key
  const report = share.report(key, size, take)
  const month_count = size.month_max === null ? undefined : months.known(tenant_id)
  const month = month_count?.month ?? 0
  const month_debt = take && month_count ? months.handOver(tenant_id, month) : 0
  const month_used = month_count ? month_count.used - month_count.unsaved : 0
  const month_report = { ...report, month, month_used, month_debt, month_is_read }
  const takeBack = () => {
    share.takeBack(key, report)
    if (month_debt > 0) months.putBack(tenant_id, month, month_debt)
  }
  return {
    keys: keysOf(tenant_id, protocol),
    words: argumentsOf({ ...size, cost, takes: take ? calls : 0, ...month_report }),
    takeBack,
    conclude(answer): readonly TokenAnswer[] {
      if (answer[0] !== outcomes.month_unknown) return conclude(parts, bucket, calls, answer)
      takeBack()
      return Array.from({ length: calls }, () => ({ unread_month: answer[2] }))
    },
  }
}

function conclude(
  { share, months }: RedisLimiterParts,
  { key, size, cost, take }: Bucket,
  calls: number,
  [outcome, tokens_text, month, used, now_text, allowed_count]: Answer,
): readonly Allowance[] {
  const [tokens, now_ms] = [Number(tokens_text), Number(now_text)]
  // A check takes nothing, so its answer is not stored, and all get the same.
  if (take) {
    share.told(key, tokens, now_ms)
    if (size.month_max !== null) months.raise(key.tenant_id, month, used)
  }
  return Array.from({ length: calls }, (_, call) => {
    const place = take ? call : 0
    const allowed = place < allowed_count
    // Each gets what was left after itself, though later ones of its turn were judged with it.
    const behind = allowed ? allowed_count - 1 - place : 0
    const quota_left = size.month_max === null ? Infinity : size.month_max - used + behind
    const by_quota = !allowed && outcome === outcomes.quota_used
    return allowanceOf({ allowed, by_quota, tokens: tokens + behind * cost, quota_left }, size, cost, now_ms)
  })
}
