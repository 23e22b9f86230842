// Descent as each identity has proven it itself: a chain is kept for its subject alone, so nobody can rewrite a relative's.

import type { Database } from '@svc/contract/database'
import { type LineageStatement, lineage_depth_max } from '@svc/contract/identity/lineage'
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

export const lineage_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-50-lineage-statements',
    sql: `
      CREATE TABLE lineage_statements (
        tenant_id text NOT NULL,
        did text NOT NULL,
        statements jsonb NOT NULL CHECK (jsonb_array_length(statements) BETWEEN 1 AND ${lineage_depth_max}),
        proven_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant_id, did)
      );
      CREATE INDEX lineage_statements_of_did ON lineage_statements (did, proven_at DESC);
      ${isolateByTenant('lineage_statements', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
    `,
  },
]

/** From the identity up to its root; empty where nothing was proven. The engine's own role sees what was proven in any tenant. */
export async function lineageOf(db: Database, did: string): Promise<LineageStatement[]> {
  const row = await sql<{ statements: LineageStatement[] }>`
    SELECT statements FROM lineage_statements WHERE did = ${did} ORDER BY proven_at DESC LIMIT 1`.first(db)
  return row?.statements ?? []
}

/** Only for a chain that holds, and whose subject has shown its key: the newest proof replaces the one before. */
export async function keepLineage(
  db: Database,
  tenant_id: string,
  statements: readonly LineageStatement[],
): Promise<void> {
  const did = statements[0]?.child_did
  if (did === undefined) return
  const result = await sql`
    INSERT INTO lineage_statements AS known (tenant_id, did, statements)
    VALUES (${tenant_id}, ${did}, ${JSON.stringify(statements)}::jsonb)
    ON CONFLICT (tenant_id, did) DO UPDATE
      SET statements = excluded.statements, proven_at = excluded.proven_at
      WHERE known.statements <> excluded.statements
    RETURNING did`.execute(db)
  // Told only where something changed: every replica forgets all its identities at this.
  if (result.rows.length > 0) await sql`SELECT pg_notify('svc_changed', 'identity:' || ${did})`.execute(db)
}
