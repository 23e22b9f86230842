// Opens the rate limiter: in this process or, for several replicas, in Redis.
import { setTimeout as pause } from 'node:timers/promises'
import { limitScript, redis_clock } from '@svc/adapters/rate-limit/limit-script'
import { liveReplicas } from '@svc/adapters/rate-limit/live-replicas'
import { localShare } from '@svc/adapters/rate-limit/local-share'
import { memoryLimiter } from '@svc/adapters/rate-limit/memory'
import { monthCalls } from '@svc/adapters/rate-limit/month-calls'
import { monthStore } from '@svc/adapters/rate-limit/month-store'
import { redisLimiter } from '@svc/adapters/rate-limit/redis'
import { monthOf } from '@svc/adapters/rate-limit/token-bucket'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { Database } from '@svc/contract/database'
import type { Clock, Log, RateLimiter } from '@svc/engine/ports'
import { every } from '../background/tick.ts'
import type { Config } from '../settings/config.ts'

/** How far the monthly counts in PostgreSQL may lag, and so what a crash can lose. */
const save_every_ms = 2_000
const note_every_ms = 1_000
/** A database that hangs must not block the shutdown. */
const at_last_ms_max = 2_000

type Closing = (() => Promise<unknown>)[]

interface Parts {
  readonly clock: Clock
  readonly log: Log
  readonly db: Database
  readonly meters: Prometheus
}

export async function openLimiter(config: Config, parts: Parts, closing: Closing): Promise<RateLimiter> {
  const { clock, log, db } = parts
  const months = monthCalls()
  const saved = monthStore(db, months)
  await saved.load(monthOf(clock.now_ms()))
  const saving = every(save_every_ms, saved.save, log)
  closing.push(async () => {
    clearInterval(saving)
    await atLast(saved.save(), log)
  })
  if (config.redis_url === undefined) return memoryLimiter(clock, months)
  const replicas = await countReplicas(parts, closing)
  // The Redis client is large, and most engines do not use it.
  const { openRedisLink } = await import('@svc/adapters/rate-limit/redis-link')
  const link = openRedisLink(config.redis_url, limitScript(redis_clock), log)
  closing.push(async () => link.close())
  await link.tried
  const share = localShare(clock, replicas, months)
  let fallbacks = 0
  const limiter = redisLimiter({ link, share, months, saved, onFallback: () => fallbacks++ })
  addFallbackMeters(parts.meters, limiter, () => fallbacks)
  return limiter
}

function addFallbackMeters(meters: Prometheus, limiter: RateLimiter, fallbacks: () => number): void {
  const is_degraded = () => (limiter.health() === 'ok' ? 0 : 1)
  meters.gauge(
    'svc_rate_limit_degraded',
    '1 while Redis is unavailable and this engine counts its share.',
    is_degraded,
  )
  meters.counter('svc_rate_limit_fallback_total', 'Calls counted without Redis.', fallbacks)
}

async function countReplicas({ clock, log, db }: Parts, closing: Closing): Promise<() => number> {
  const replicas = liveReplicas(db, clock.uuid())
  await replicas.note()
  const noting = every(note_every_ms, replicas.note, log)
  closing.push(async () => {
    clearInterval(noting)
    await atLast(replicas.leave(), log)
  })
  return replicas.count
}

async function atLast(work: Promise<void>, log: Log): Promise<void> {
  const cut = new AbortController()
  const failed = work.catch((error) => log.warn({ err: error }, 'the limiter could not save its last counts'))
  await Promise.race([
    failed,
    pause(at_last_ms_max, undefined, { signal: cut.signal }).catch(() => undefined),
  ])
  cut.abort()
}
