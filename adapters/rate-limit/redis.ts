// Token buckets in Redis, shared by all replicas. While it is away each gives out its share, never more.
import type { Allowance, BucketKey, BucketSize, RateLimiter } from '@svc/engine/ports'
import { type Answer, argumentsOf, keysOf, outcomes } from './limit-script.ts'
import type { LocalShare } from './local-share.ts'
import type { MonthCalls } from './month-calls.ts'
import type { MonthStore } from './month-store.ts'
import type { RedisLink } from './redis-link.ts'
import { allowanceOf } from './token-bucket.ts'

export interface RedisLimiterParts {
  readonly link: RedisLink
  readonly share: LocalShare
  readonly months: MonthCalls
  readonly saved: Pick<MonthStore, 'read'>
  /** A call was judged by this replica alone. */
  readonly onFallback: () => unknown
}

interface Take {
  readonly key: BucketKey
  readonly size: BucketSize
  readonly cost: number
  readonly take: boolean
}

export function redisLimiter(parts: RedisLimiterParts): RateLimiter {
  const { link, share, onFallback } = parts
  const fallBack = ({ key, size, cost, take }: Take): Allowance => {
    onFallback()
    return share.take(key, size, cost, take)
  }
  return {
    health: () => (link.isUp() ? 'ok' : 'degraded'),
    take(key, size, cost, take) {
      // Who takes nothing waits for nobody: it is told what is known here.
      if (cost === 0) return share.glance(key, size)
      const asked = { key, size, cost, take }
      const answer = ask(parts, asked, false)
      return answer ? answer.catch(() => fallBack(asked)) : fallBack(asked)
    },
  }
}

/** Undefined where Redis is not to be asked; rejects where it was and did not answer. */
function ask(parts: RedisLimiterParts, asked: Take, month_is_read: boolean): Promise<Allowance> | undefined {
  const { link, share, months } = parts
  if (!link.isUp()) return undefined
  const { key, size, cost, take } = asked
  const { tenant_id, protocol } = key
  const report = share.report(key, size, take)
  const known = size.month_max === null ? undefined : months.known(tenant_id)
  const month = known?.month ?? 0
  const month_debt = take && known ? months.handOver(tenant_id, month) : 0
  const month_used = known ? known.used - known.unsaved : 0
  const told = { ...report, month, month_used, month_debt, month_is_read }
  const takeBack = () => {
    share.takeBack(key, report)
    if (month_debt > 0) months.putBack(tenant_id, month, month_debt)
  }
  const answer = link.run(keysOf(tenant_id, protocol), argumentsOf({ ...size, cost, take, ...told }))
  if (!answer) {
    takeBack()
    return undefined
  }
  return answer.then(
    (said) => {
      const found = said as Answer
      if (found[0] !== outcomes.month_unknown) return conclude(parts, asked, found)
      takeBack()
      return beginMonth(parts, asked, found[2])
    },
    (error) => {
      takeBack()
      throw error
    },
  )
}

/** Redis has no count of this month: it is new, or it was lost. What was saved of it is read before anything is given. */
async function beginMonth(parts: RedisLimiterParts, asked: Take, month: number): Promise<Allowance> {
  await parts.saved.read(asked.key.tenant_id, month)
  const answer = ask(parts, asked, true)
  if (!answer) throw new Error('Redis went away')
  return answer
}

function conclude({ share, months }: RedisLimiterParts, asked: Take, found: Answer): Allowance {
  const [outcome, tokens_text, month, used, now_text] = found
  const { key, size, cost, take } = asked
  const tokens = Number(tokens_text)
  const now_ms = Number(now_text)
  const allowed = outcome === outcomes.allowed
  // What a look says was not taken, so nothing of it is remembered.
  if (take) {
    share.told(key, tokens, now_ms)
    if (size.month_max !== null) months.raise(key.tenant_id, month, used)
  }
  const quota_left = size.month_max === null ? Infinity : size.month_max - used
  const verdict = { allowed, by_quota: outcome === outcomes.quota_used, tokens, quota_left }
  return allowanceOf(verdict, size, cost, now_ms)
}
