// Proven lineages. Each is stored for its own subject only, so nobody can change another identity's.

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
  {
    // Whoever descends from an identity, when it is suspended or revoked.
    name: '2026-11-25-05-descendants',
    sql: 'CREATE INDEX lineage_statements_parents ON lineage_statements USING gin (statements jsonb_path_ops);',
  },
]

/** From the identity up to its root; empty if nothing was proven. The engine's role sees all tenants. */
export async function lineageOf(db: Database, did: string): Promise<LineageStatement[]> {
  const row = await sql<{ statements: LineageStatement[] }>`
    SELECT statements FROM lineage_statements WHERE did = ${did} ORDER BY proven_at DESC LIMIT 1`.first(db)
  return row?.statements ?? []
}

/** Only for a valid chain whose subject has proven its key; replaces the previous proof. */
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
  // Notifies only on a change: every replica then clears its identity cache.
  if (result.rows.length > 0) await sql`SELECT pg_notify('svc_changed', 'identity:' || ${did})`.execute(db)
}
