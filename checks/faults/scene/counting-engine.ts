// An engine as Redis sees it: its limits and budgets, without HTTP and PostgreSQL.
import type { TestContext } from 'node:test'
import { redisCounters } from '@svc/adapters/budget-counters/redis'
import { system_clock } from '@svc/adapters/clock/system'
import { localShare } from '@svc/adapters/rate-limit/local-share'
import { monthCalls } from '@svc/adapters/rate-limit/month-calls'
import { redisLimiter } from '@svc/adapters/rate-limit/redis'
import { openRedisLink } from '@svc/adapters/redis/link'
import { redis_clock, redisScript } from '@svc/adapters/redis/script'
import { quanta_per_micro_usd } from '@svc/contract/money/money'
import { Refusal } from '@svc/contract/refusal'
import type { Take } from '@svc/engine/call'
import { pace } from '../../suite/real-time.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
export const size = { capacity: 50, refill_per_s: 50, month_max: null }

/** What PostgreSQL would know of each tenant, and what was let in. */
export interface Counted {
  readonly known: Map<string, bigint>
  readonly spent: Map<string, bigint>
  readonly admitted: Map<string, number>
}

export interface EngineOptions {
  readonly url: string
  readonly place: number
  readonly engines: number
  readonly counted: Counted
  limitOf(tenant_id: string): bigint
}

export function openCountingEngine(t: TestContext, options: EngineOptions) {
  const { url, place, engines, counted, limitOf } = options
  const audit_log: [tenant_id: string, quanta: bigint][] = []
  const commit = () => {
    for (const [tenant_id, quanta] of audit_log.splice(0)) add(counted.known, tenant_id, quanta)
  }
  const faults = { links: 0 }
  const log = { ...quiet, warn: () => void faults.links++ }
  const link = openRedisLink(url, redisScript(redis_clock), log, () => budget_counters.returned())
  t.after(() => link.close())
  const budget_counters = redisCounters({
    link,
    log: quiet,
    read: async (tenant_id) => ({ quanta: counted.known.get(tenant_id) ?? 0n, calls: 0n }),
    settled: async () => commit(),
    replica_id: `engine-${place}`,
    journal_id: `journal-${place}`,
    replicas: () => engines,
    onFallback: () => {},
  })
  const months = monthCalls()
  const limiter = redisLimiter({
    lines: budget_counters.lines,
    isUp: () => link.isUp(),
    reserving: (tenant_id, takes) => budget_counters.reserving(tenant_id, takes),
    share: localShare(system_clock, () => engines, months),
    months,
    saved: { read: async () => {} },
    onFallback: () => {},
  })
  /** One call as the pipeline makes it: a token and the budget in one question, then what it cost. */
  const call = async (tenant_id: string, amount: bigint): Promise<boolean> => {
    const takes: Take[] = [{ budget_counter: 'runway', limit: limitOf(tenant_id), amount, counts: 'usd' }]
    try {
      const allowance = await limiter.take({ tenant_id, protocol: 'MAX' }, size, 1, true, () => takes)
      if (!allowance.allowed) return false
      counted.admitted.set(tenant_id, (counted.admitted.get(tenant_id) ?? 0) + 1)
      const { reservation } = allowance
      const lacking = reservation
        ? reservation.lacking
        : await budget_counters.reserve(tenant_id, takes, true)
      if (lacking) return false
    } catch (error) {
      // While Redis is away an engine has only its share of the budget.
      if (error instanceof Refusal) return false
      throw error
    }
    await pace(2)
    const quanta = amount * quanta_per_micro_usd
    add(counted.spent, tenant_id, quanta)
    audit_log.push([tenant_id, quanta])
    budget_counters.settle(tenant_id, takes, quanta)
    // PostgreSQL has it a little later, as from a journal.
    await pace(5)
    commit()
    return true
  }
  return { link, limiter, budget_counters, faults, call }
}

export type CountingEngine = ReturnType<typeof openCountingEngine>

function add(sums: Map<string, bigint>, tenant_id: string, quanta: bigint): void {
  sums.set(tenant_id, (sums.get(tenant_id) ?? 0n) + quanta)
}
