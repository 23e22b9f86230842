// The queue before the pool: it may be long for a moment, but a caller who would wait in vain is refused at once.
import { refuse } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'
import type { Pool, PoolClient } from 'pg'
import { system_clock } from '../clock/system.ts'

/** The queue is too long if this part of the longest wait is expected, or was already spent by its first. */
const patience = 1 / 2
/** The weight of the newest use of a connection in the average. */
const newest_weight = 0.1
const retry_ms_min = 500
const retry_ms_spread = 1_500
/** Steps through the spread without coming near the previous value. */
const retry_ms_step = 569

export interface Connections {
  connect(): Promise<PoolClient>
}

/** By time and not by length: uses of a connection differ by a factor of a thousand. */
export function queueBefore(
  pool: Pool,
  pool_max: number,
  wait_ms_max: number,
  clock: Pick<Clock, 'monotonic_ms'> = system_clock,
): Connections {
  const held_since_ms = new Map<object, number>()
  const waiting = new Set<{ readonly since_ms: number }>()
  let use_ms: number | undefined
  let refused = 0
  pool.on('acquire', (client) => held_since_ms.set(client, clock.monotonic_ms()))
  pool.on('release', (_error, client) => {
    const since_ms = held_since_ms.get(client)
    held_since_ms.delete(client)
    if (since_ms === undefined) return
    const used_ms = clock.monotonic_ms() - since_ms
    use_ms = use_ms === undefined ? used_ms : use_ms + newest_weight * (used_ms - use_ms)
  })
  const isTooLong = (now_ms: number) => {
    const [first] = waiting
    if (!first) return false
    let age_ms = 0
    for (const since_ms of held_since_ms.values()) age_ms += (now_ms - since_ms) / held_since_ms.size
    // Connections in use may be slower than all before, so their age counts as well.
    const expected_ms = (waiting.size * Math.max(use_ms ?? 0, age_ms)) / pool_max
    return Math.max(expected_ms, now_ms - first.since_ms) > wait_ms_max * patience
  }
  return {
    async connect() {
      const now_ms = clock.monotonic_ms()
      if (isTooLong(now_ms)) throw tooLong(refused++)
      const mine = { since_ms: now_ms }
      waiting.add(mine)
      try {
        return await pool.connect()
      } finally {
        waiting.delete(mine)
      }
    },
  }
}

function tooLong(refused: number) {
  return refuse(
    'no_endpoint_available',
    'Too many operations wait for the database, so nothing was done; try again a little later.',
    {
      reason: 'database busy',
      retry_after_ms: retry_ms_min + ((refused * retry_ms_step) % retry_ms_spread),
    },
  )
}
