// How many engines share one Redis: each notes itself in PostgreSQL, so that they know it also while Redis is away.

import type { Database } from '@svc/contract/database'
import { engine_role, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

const dead_after_s = 30

export const replica_migrations: readonly Migration[] = [
  {
    // No tenant's data, and no index beside the key: there are as many rows as engines.
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
  /** As last counted, this one included; stands while PostgreSQL is away. */
  count(): number
  /** Says that this one lives, and counts the others by the database's clock. */
  note(): Promise<void>
  /** Stops counting for the others at once. */
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

/** The same number for whoever notes nothing; at least one, for somebody asks. */
export async function countLive(db: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::integer AS n FROM engine_replicas
    WHERE seen_at >= now() - ${dead_after_s} * interval '1 second'`.execute(db)
  return Math.max(1, rows[0]?.n ?? 1)
}
