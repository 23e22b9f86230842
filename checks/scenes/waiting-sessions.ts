// Tells when a call waits for a lock, so that a test of a race needs no luck.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { until } from '../suite/eventually.ts'

/** Until so many sessions wait for advisory locks of this database. `db`: the engine's, which sees all. */
export function untilWaiting(db: Database, count: number): Promise<boolean> {
  const waiting = sql`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  return until(`${count} wait for a lock`, async () => (await waiting.all(db)).length === count)
}

/** How many sessions of this database wait for locks of any kind, of rows too. */
export async function waitingSessions(db: Database): Promise<number> {
  const waiting = sql`SELECT DISTINCT l.pid FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE NOT l.granted AND a.datname = current_database()`
  return (await waiting.all(db)).length
}
