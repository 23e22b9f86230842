// How many engines share one Redis: each registers in PostgreSQL, so that the number is known while Redis is away.

import type { Database } from '@svc/contract/database'
import { engine_role, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

const dead_after_s = 30

export const replica_migrations: readonly Migration[] = [
  {
    // No tenant's data, and no further index: there are as many rows as engines.
    name: '2026-11-15-81-engine-replicas',
    sql: `
      CREATE TABLE engine_replicas (
        replica_id uuid PRIMARY KEY,
        seen_at timestamptz NOT NULL
      );
      GRANT SELECT, INSERT, UPDATE, DELETE ON engine_replicas TO ${engine_role};
    `,
  },
]

export interface LiveReplicas {
  /** As last counted, including this one; unchanged while PostgreSQL is away. */
  count(): number
  /** Registers this one as alive, and counts the others by the database's clock. */
  note(): Promise<void>
  /** The others stop counting it at once. */
  leave(): Promise<void>
}

export function liveReplicas(db: Database, replica_id: string): LiveReplicas {
  let counted = 1
  return {
    count: () => counted,
    async note() {
      const others = await sql<{ n: number }>`
        WITH noted AS (
          INSERT INTO engine_replicas VALUES (${replica_id}, now())
          ON CONFLICT (replica_id) DO UPDATE SET seen_at = now()
        ), buried AS (
          DELETE FROM engine_replicas WHERE seen_at < now() - interval '1 hour' AND replica_id <> ${replica_id}
        )
        SELECT count(*)::integer AS n FROM engine_replicas
        WHERE replica_id <> ${replica_id} AND seen_at >= now() - ${dead_after_s} * interval '1 second'`.execute(
        db,
      )
      counted = 1 + (others.rows[0]?.n ?? 0)
    },
    async leave() {
      await sql`DELETE FROM engine_replicas WHERE replica_id = ${replica_id}`.execute(db)
    },
  }
}
