// Opens rate limits and budgets: in this process or, for several replicas, in one Redis. What was counted before is read from PostgreSQL.
import { setTimeout as pause } from 'node:timers/promises'
import { memoryCounters } from '@svc/adapters/budget-counters/memory'
import { type RedisCounters, redisCounters } from '@svc/adapters/budget-counters/redis'
import type { TruthParts } from '@svc/adapters/budget-counters/truth'
import { system_clock } from '@svc/adapters/clock/system'
import { liveReplicas } from '@svc/adapters/rate-limit/live-replicas'
import { localShare } from '@svc/adapters/rate-limit/local-share'
import { memoryLimiter } from '@svc/adapters/rate-limit/memory'
import { type MonthCalls, monthCalls } from '@svc/adapters/rate-limit/month-calls'
import { type MonthStore, monthStore } from '@svc/adapters/rate-limit/month-store'
import { redisLimiter } from '@svc/adapters/rate-limit/redis'
import { monthOf } from '@svc/adapters/rate-limit/token-bucket'
import { redis_clock, redisScript } from '@svc/adapters/redis/script'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { AuditLog } from '@svc/audit/audit-log'
import type { Database } from '@svc/contract/database'
import type { Clock, Log, Ports } from '@svc/engine/ports'
import { spentOf } from '@svc/protocols/economic/usage/api'
import { every } from '../background/tick.ts'
import type { Config } from '../settings/config.ts'

/** How far the monthly counts in PostgreSQL may lag, and so what a crash can lose. */
const save_every_ms = 2_000
const note_every_ms = 1_000
const tell_every_ms = 1_000
/** Limit for reading a budget counter from the audit log. */
const settled_ms_max = 4_000
/** A database or Redis that hangs must not block the shutdown. */
const save_at_last_ms_max = 2_000
const tell_at_last_ms_max = 500

type Closing = (() => Promise<unknown>)[]

interface Parts {
  readonly clock: Clock
  readonly log: Log
  readonly db: Database
  readonly audit_log: Pick<AuditLog, 'flush' | 'journal_id'>
  readonly meters: Pick<Prometheus, 'counter' | 'gauge'>
}

export type Limits = Pick<Ports, 'limiter' | 'budget_counters'>

export async function openLimits(config: Config, parts: Parts, closing: Closing): Promise<Limits> {
  const { clock, log, db, audit_log } = parts
  const months = monthCalls()
  const saved = monthStore(db, months)
  await saved.load(monthOf(clock.now_ms()))
  const saving = every(save_every_ms, saved.save, log)
  closing.push(async () => {
    clearInterval(saving)
    await atLast(save_at_last_ms_max, saved.save(), log)
  })
  const truth: TruthParts = {
    read: (tenant_id, budget_counter) => spentOf(db, tenant_id, budget_counter),
    settled: () => audit_log.flush(settled_ms_max),
  }
  if (config.redis_url !== undefined) return openShared(config, { ...parts, months, saved, truth }, closing)
  return { limiter: memoryLimiter(clock, months), budget_counters: memoryCounters(truth) }
}

interface SharedParts extends Parts {
  readonly months: MonthCalls
  readonly saved: MonthStore
  readonly truth: TruthParts
}

async function openShared(
  { redis_url = '', tls }: Config,
  parts: SharedParts,
  closing: Closing,
): Promise<Limits> {
  const { clock, log, audit_log, months, saved, truth } = parts
  const replicas = await countReplicas(parts, closing)
  // The Redis client is large, and most engines do not use it.
  const { openRedisLink } = await import('@svc/adapters/redis/link')
  const onUp = () => budget_counters.returned()
  const link = openRedisLink(redis_url, redisScript(redis_clock), log, onUp, tls?.client)
  const counted = { tokens: 0, budgets: 0 }
  const budget_counters: RedisCounters = redisCounters({
    ...truth,
    link,
    log,
    // Not from the injected clock: in tests two engines would get the same name.
    replica_id: system_clock.uuid(),
    journal_id: audit_log.journal_id,
    replicas,
    onFallback: () => counted.budgets++,
  })
  const limiter = redisLimiter({
    lines: budget_counters.lines,
    isUp: () => link.isUp(),
    reserving: (tenant_id, takes) => budget_counters.reserving(tenant_id, takes),
    share: localShare(clock, replicas, months),
    months,
    saved,
    onFallback: () => counted.tokens++,
  })
  await link.tried
  const telling = every(tell_every_ms, () => budget_counters.tell(), log)
  closing.push(async () => {
    clearInterval(telling)
    await atLast(tell_at_last_ms_max, budget_counters.quiet(), log)
    link.close()
  })
  addFallbackMeters(parts.meters, limiter, counted)
  return { limiter, budget_counters }
}

function addFallbackMeters(
  meters: Parts['meters'],
  limiter: Ports['limiter'],
  counted: { readonly tokens: number; readonly budgets: number },
): void {
  const is_degraded = () => (limiter.health() === 'ok' ? 0 : 1)
  meters.gauge(
    'svc_rate_limit_degraded',
    '1 while Redis is unavailable and this engine counts its share.',
    is_degraded,
  )
  meters.counter('svc_rate_limit_fallback_total', 'Calls counted without Redis.', () => counted.tokens)
  meters.counter(
    'svc_budget_fallback_total',
    'Calls whose budget was checked without Redis.',
    () => counted.budgets,
  )
}

async function countReplicas({ clock, log, db }: Parts, closing: Closing): Promise<() => number> {
  const replicas = liveReplicas(db, clock.uuid())
  await replicas.note()
  const noting = every(note_every_ms, replicas.note, log)
  closing.push(async () => {
    clearInterval(noting)
    await atLast(save_at_last_ms_max, replicas.leave(), log)
  })
  return replicas.count
}

async function atLast(ms_max: number, work: Promise<void>, log: Log): Promise<void> {
  const cut = new AbortController()
  const failed = work.catch((error) => log.warn({ err: error }, 'the last counts could not be saved'))
  await Promise.race([failed, pause(ms_max, undefined, { signal: cut.signal }).catch(() => undefined)])
  cut.abort()
}
