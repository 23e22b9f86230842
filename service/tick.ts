// What happens by the clock rather than by a call: probes, last-used times, forgetting old idempotency keys.
import type { CachedKeyRing } from '@svc/adapters/access/key-ring'
import type { MemoryBreaker } from '@svc/adapters/breaker/memory'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { forgetOldKeys } from '@svc/engine/idempotency'
import type { Log } from '@svc/engine/ports'

const probe_every_ms = 1_000
const note_every_ms = 30_000
const forget_every_ms = 600_000

interface Ticked {
  readonly breaker: MemoryBreaker
  readonly keys: CachedKeyRing
  readonly store: PostgresStore
  readonly log: Log
}

export function startTicking({ breaker, keys, store, log }: Ticked): { stop(): void } {
  const timers = [
    // A native module is well when what it stands on is: this process, and its database.
    every(probe_every_ms, () => breaker.probe(() => store.healthy()), log),
    every(note_every_ms, () => keys.noteUse(), log),
    every(forget_every_ms, () => forgetOldKeys(store.engine), log),
  ]
  return {
    stop() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}

function every(ms: number, work: () => Promise<unknown>, log: Log): NodeJS.Timeout {
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    work()
      .catch((error) => log.warn({ err: error }, 'regular work failed; it is tried again'))
      .finally(() => {
        busy = false
      })
  }, ms)
  return timer.unref()
}
