// The line before the pool: it may be long for a moment, but whoever would wait in vain is told so at once.
import { refuse } from '@svc/contract/refusal'
import type { PoolClient } from 'pg'

/** Where the first in line has waited this part of what it may wait, the line is too long for one more. */
const patience = 1 / 4
const retry_ms_min = 500
const retry_ms_spread = 1_500
/** Steps through the spread without ever coming near where it just was. */
const retry_ms_step = 569

export interface Connections {
  connect(): Promise<PoolClient>
}

/** By time and not by number: what counts is how long a connection is used, and only the line itself knows. */
export function queueBefore(pool: Connections, wait_ms_max: number): Connections {
  const waiting_since_ms = new Set<{ readonly ms: number }>()
  let refused = 0
  return {
    async connect() {
      const now_ms = performance.now()
      const [first] = waiting_since_ms
      if (first && now_ms - first.ms > wait_ms_max * patience) throw tooLong(refused++)
      const mine = { ms: now_ms }
      waiting_since_ms.add(mine)
      try {
        return await pool.connect()
      } finally {
        waiting_since_ms.delete(mine)
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
