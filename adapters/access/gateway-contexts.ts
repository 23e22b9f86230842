// Which signed contexts were already used for a write, for all replicas and across restarts.

import type { Database } from '@svc/contract/database'
import { engine_role, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import type { Clock, Log } from '@svc/engine/ports'

const sweep_every_ms = 30_000

export const gateway_migrations: readonly Migration[] = [
  {
    // No tenant's data: random ids that live for half a minute, so they need not survive a crash of the database.
    name: '2026-11-15-25-gateway-contexts',
    sql: `
      CREATE UNLOGGED TABLE gateway_contexts (
        jti uuid PRIMARY KEY,
        good_until timestamptz NOT NULL
      );
      CREATE INDEX gateway_contexts_age ON gateway_contexts (good_until);
      GRANT SELECT, INSERT, DELETE ON gateway_contexts TO ${engine_role};
    `,
  },
]

export type ClaimContext = (jti: string, until_ms: number) => Promise<boolean>

/** True for the first caller. Expired rows are swept now and then. */
export function contextClaims(db: Database, clock: Clock, log: Log): ClaimContext {
  let swept_ms = clock.monotonic_ms()
  return async (jti, until_ms) => {
    const now_ms = clock.monotonic_ms()
    if (now_ms - swept_ms >= sweep_every_ms) {
      swept_ms = now_ms
      forgetContexts(db, new Date(clock.now_ms())).catch((error) =>
        log.warn({ err: error }, 'used gateway contexts were not swept; it is tried again'),
      )
    }
    return claimContext(db, jti, until_ms)
  }
}

/** In a transaction, the claim commits or rolls back with the rest. */
export async function claimContext(db: Database, jti: string, until_ms: number): Promise<boolean> {
  const claimed = await sql`
    INSERT INTO gateway_contexts (jti, good_until) VALUES (${jti}, ${new Date(until_ms)})
    ON CONFLICT DO NOTHING RETURNING jti`.execute(db)
  return claimed.rows.length === 1
}

async function forgetContexts(db: Database, now: Date): Promise<void> {
  await sql`DELETE FROM gateway_contexts WHERE good_until < ${now}`.execute(db)
}
