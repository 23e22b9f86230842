// Token buckets in Redis, shared by all replicas. While it is away each replica gives out only its share.

import type { Allowance } from '@svc/engine/call'
import type { BucketSize } from '@svc/engine/limits/limits'
import type { BucketKey, RateLimiter } from '@svc/engine/ports'
import { type Answer, argumentsOf, keysOf, outcomes } from './limit-script.ts'
import type { LocalShare } from './local-share.ts'
import type { MonthCalls } from './month-calls.ts'
import type { MonthStore } from './month-store.ts'
import type { RedisLink } from './redis-link.ts'
import { allowanceOf } from './token-bucket.ts'

/** The most calls in one request: the script judges them one by one, and others wait for it. */
const takes_max = 1_000

export interface RedisLimiterParts {
  readonly link: RedisLink
  readonly share: LocalShare
  readonly months: MonthCalls
  readonly saved: Pick<MonthStore, 'read'>
  /** A call was judged by this replica alone. */
  readonly onFallback: () => unknown
}

interface Asked {
  readonly key: BucketKey
  readonly size: BucketSize
  readonly cost: number
}

export function redisLimiter(parts: RedisLimiterParts): RateLimiter {
  const { link, share, onFallback } = parts
  const fallBack = ({ key, size, cost }: Asked, take: boolean): Allowance => {
    onFallback()
    return share.take(key, size, cost, take)
  }
  const takeTogether = gather(async (request, takes) => {
    const answers = ask(parts, request, takes, false) ?? Promise.reject(new Error('Redis is away'))
    return answers.catch(() => Array.from({ length: takes }, () => fallBack(request, true)))
  })
  return {
    health: () => (link.isUp() ? 'ok' : 'degraded'),
    take(key, size, cost, take) {
      // A free call does not wait: it gets the last known state.
      if (cost === 0) return share.glance(key, size)
      const request = { key, size, cost }
      if (!link.isUp()) return fallBack(request, take)
      if (take) return takeTogether(request)
      const looked = ask(parts, request, 0, false)?.then(([allowance]) => allowance!)
      return looked ? looked.catch(() => fallBack(request, false)) : fallBack(request, false)
    },
  }
}

/** Identical calls of one turn are sent together: Redis judges each in order, in one round trip. */
function gather(
  send: (request: Asked, takes: number) => Promise<readonly Allowance[]>,
): (request: Asked) => Promise<Allowance> {
  const gathering = new Map<string, { takes: number; readonly answers: Promise<readonly Allowance[]> }>()
  return (request) => {
    const { key, size, cost } = request
    const name = `${key.tenant_id}|${key.protocol}|${cost}|${size.capacity}|${size.refill_per_s}|${size.month_max}`
    let turn = gathering.get(name)
    if (!turn || turn.takes >= takes_max) {
      const { promise: answers, resolve } = Promise.withResolvers<readonly Allowance[]>()
      const begun = { takes: 0, answers }
      gathering.set(name, begun)
      setImmediate(() => {
        if (gathering.get(name) === begun) gathering.delete(name)
        resolve(send(request, begun.takes))
      })
      turn = begun
    }
    const place = turn.takes++
    return turn.answers.then((answers) => answers[place]!)
  }
}

/** `takes` of 0 only checks. Undefined if Redis must not be asked; rejects if it did not answer. */
function ask(
  parts: RedisLimiterParts,
  request: Asked,
  takes: number,
  month_is_read: boolean,
): Promise<readonly Allowance[]> | undefined {
  const { link, share, months } = parts
  if (!link.isUp()) return undefined
  const { key, size, cost } = request
  const { tenant_id, protocol } = key
  const report = share.report(key, size, takes > 0)
  const month_count = size.month_max === null ? undefined : months.known(tenant_id)
  const month = month_count?.month ?? 0
  const month_debt = takes > 0 && month_count ? months.handOver(tenant_id, month) : 0
  const month_used = month_count ? month_count.used - month_count.unsaved : 0
  const month_report = { ...report, month, month_used, month_debt, month_is_read }
  const takeBack = () => {
    share.takeBack(key, report)
    if (month_debt > 0) months.putBack(tenant_id, month, month_debt)
  }
  const answer = link.run(keysOf(tenant_id, protocol), argumentsOf({ ...size, cost, takes, ...month_report }))
  if (!answer) {
    takeBack()
    return undefined
  }
  return answer.then(
    (reply) => {
      const script_answer = reply as Answer
      if (script_answer[0] !== outcomes.month_unknown) return conclude(parts, request, takes, script_answer)
      takeBack()
      return beginMonth(parts, request, takes, script_answer[2])
    },
    (error) => {
      takeBack()
      throw error
    },
  )
}

/** Redis has no count of this month: it is new, or was lost. The saved count is read before anything is given. */
async function beginMonth(
  parts: RedisLimiterParts,
  request: Asked,
  takes: number,
  month: number,
): Promise<readonly Allowance[]> {
  await parts.saved.read(request.key.tenant_id, month)
  const answer = ask(parts, request, takes, true)
  if (!answer) throw new Error('Redis went away')
  return answer
}

function conclude(
  { share, months }: RedisLimiterParts,
  { key, size, cost }: Asked,
  takes: number,
  [outcome, tokens_text, month, used, now_text, allowed_count]: Answer,
): readonly Allowance[] {
  const [tokens, now_ms] = [Number(tokens_text), Number(now_text)]
  // A check takes nothing, so its answer is not stored.
  if (takes > 0) {
    share.told(key, tokens, now_ms)
    if (size.month_max !== null) months.raise(key.tenant_id, month, used)
  }
  return Array.from({ length: Math.max(1, takes) }, (_, place) => {
    const allowed = place < allowed_count
    // Each gets what was left after itself, though later ones of its turn were judged with it.
    const behind = allowed ? allowed_count - 1 - place : 0
    const quota_left = size.month_max === null ? Infinity : size.month_max - used + behind
    const by_quota = !allowed && outcome === outcomes.quota_used
    return allowanceOf({ allowed, by_quota, tokens: tokens + behind * cost, quota_left }, size, cost, now_ms)
  })
}
