// Opens the budget counters: in this process or, for several replicas, in Redis. Past spending is read from PostgreSQL.
import { setTimeout as pause } from 'node:timers/promises'
import { counterScript } from '@svc/adapters/budget-counters/counter-script'
import { memoryCounters } from '@svc/adapters/budget-counters/memory'
import { type RedisCounters, redisCounters } from '@svc/adapters/budget-counters/redis'
import type { TruthParts } from '@svc/adapters/budget-counters/truth'
import { system_clock } from '@svc/adapters/clock/system'
import { redis_clock } from '@svc/adapters/rate-limit/limit-script'
import { countLive } from '@svc/adapters/rate-limit/live-replicas'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { AuditLog } from '@svc/audit/audit-log'
import type { BudgetCounters, Log } from '@svc/engine/ports'
import { spentOf } from '@svc/protocols/economic/usage/api'
import { every } from '../background/tick.ts'
import type { Config } from '../settings/config.ts'

/** Limit for reading a budget counter from the audit log. */
const settled_ms_max = 4_000
const tell_every_ms = 1_000
/** A silent Redis must not block the engine's shutdown. */
const at_last_ms_max = 500

type Closing = (() => Promise<unknown>)[]

interface Parts {
  readonly store: Pick<PostgresStore, 'engine'>
  readonly audit_log: Pick<AuditLog, 'flush' | 'journal_id'>
  readonly meters: Pick<Prometheus, 'counter'>
  readonly log: Log
}

/** Call after the limiter is open: the limiter registers this engine among those that share a Redis. */
export async function openCounters(config: Config, parts: Parts, closing: Closing): Promise<BudgetCounters> {
  const { store, audit_log } = parts
  const truth: TruthParts = {
    read: (tenant_id, budget_counter) => spentOf(store.engine, tenant_id, budget_counter),
    settled: () => audit_log.flush(settled_ms_max),
  }
  if (config.redis_url === undefined) return memoryCounters(truth)
  return openShared(config.redis_url, truth, parts, closing)
}

/** A separate connection, so that budgets and limits fail independently and do not wait for each other. */
async function openShared(
  redis_url: string,
  truth: TruthParts,
  { store, audit_log, meters, log }: Parts,
  closing: Closing,
): Promise<BudgetCounters> {
  const { openRedisLink } = await import('@svc/adapters/rate-limit/redis-link')
  let live = await countLive(store.engine)
  let fallbacks = 0
  const link = openRedisLink(redis_url, counterScript(redis_clock), log, () => budget_counters.returned())
  const budget_counters: RedisCounters = redisCounters({
    ...truth,
    link,
    log,
    // Not from the injected clock: in tests two engines would get the same name.
    replica_id: system_clock.uuid(),
    journal_id: audit_log.journal_id,
    replicas: () => live,
    onFallback: () => fallbacks++,
  })
  await link.tried
  const timers = [
    every(tell_every_ms, () => budget_counters.tell(), log),
    every(
      tell_every_ms,
      async () => {
        live = await countLive(store.engine)
      },
      log,
    ),
  ]
  meters.counter(
    'svc_budget_fallback_total',
    'Calls whose budget was checked without Redis.',
    () => fallbacks,
  )
  closing.push(async () => {
    for (const timer of timers) clearInterval(timer)
    const cut = new AbortController()
    const late = pause(at_last_ms_max, undefined, { signal: cut.signal }).catch(() => undefined)
    await Promise.race([budget_counters.quiet(), late])
    cut.abort()
    link.close()
  })
  return budget_counters
}
