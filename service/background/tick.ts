// Periodic work: probes, last-used times, sessions, old idempotency keys and room for the audit log.

import { sweepSessionKeys } from '@svc/adapters/access/agent-keys'
import type { CachedKeyRing } from '@svc/adapters/access/key-ring'
import type { MemoryBreaker } from '@svc/adapters/breaker/memory'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { addLogRanges } from '@svc/audit/pages/partitions'
import { queryOf } from '@svc/audit/query/query'
import type { Tick } from '@svc/contract/tick'
import { forgetOldKeys } from '@svc/engine/idempotency/idempotency'
import type { Clock, Log } from '@svc/engine/ports'
import { sweepSessions } from '@svc/protocols/identity/macs/api'
import type { RemoteServices } from '../assembly/remote-services.ts'
import { probeRegistered } from './registry-probes.ts'

const probe_every_ms = 1_000
const note_every_ms = 30_000
const forget_every_ms = 600_000

interface Ticked {
  readonly breaker: MemoryBreaker
  readonly keys: CachedKeyRing
  readonly store: PostgresStore
  readonly remote: Pick<RemoteServices, 'watched' | 'isHealthy'>
  readonly clock: Clock
  /** Development only: registered endpoints on this machine are probed too. */
  readonly loopback_tenant: string | undefined
  readonly log: Log
}

export interface Ticking {
  /** Runs the probes that are due by the engine's clock, for tests that move it. */
  probe(): Promise<void>
  stop(): void
}

export function startTicking({ breaker, keys, store, remote, clock, loopback_tenant, log }: Ticked): Ticking {
  // A native module is healthy if its database is.
  const isWell = (_: string, endpoint: string) => remote.isHealthy(endpoint) ?? store.healthy()
  const probe = () => breaker.probe(isWell, remote.watched)
  // Does not wait for slow probes: the breaker never probes the same endpoint twice at once.
  const beginProbes = async () => {
    probe().catch((error) => log.warn({ err: error }, 'probes failed; trying again'))
  }
  const timers = [
    every(probe_every_ms, beginProbes, log),
    every(probe_every_ms, () => probeRegistered({ store, clock, loopback_tenant, log }), log),
    every(note_every_ms, () => keys.noteUse(), log),
    every(note_every_ms, () => sweepSessions(store.engine, new Date(clock.now_ms()).toISOString()), log),
    every(note_every_ms, () => sweepSessionKeys(store.engine, clock.now_ms()), log),
    every(forget_every_ms, () => forgetOldKeys(store.engine), log),
    every(forget_every_ms, () => addLogRanges(queryOf(store.engine)), log),
  ]
  return {
    probe,
    stop() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/** Passed to periodic work: its start time, and new ids. */
export function tickOf(clock: Pick<Clock, 'now_ms' | 'uuid'>): Tick {
  return { now: new Date(clock.now_ms()), newId: () => clock.uuid() }
}

/** Runs never overlap; a failure is only logged. */
export function every(ms: number, work: () => Promise<unknown>, log: Log): NodeJS.Timeout {
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    work()
      .catch((error) => log.warn({ err: error }, 'periodic work failed; trying again'))
      .finally(() => {
        busy = false
      })
  }, ms)
  return timer.unref()
}
