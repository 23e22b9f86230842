import type { Database } from '@svc/contract/database'
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

export const dilemma_migrations: readonly Migration[] = [
  {
    name: '2026-11-16-32-dilemmas',
    sql: `
      -- What was weighed, and what came of it. It authorizes nothing, so nobody ever changes it.
      CREATE TABLE dilemmas (
        tenant_id text COLLATE "C" NOT NULL,
        dilemma_id text COLLATE "C" NOT NULL,
        asked jsonb NOT NULL,
        found jsonb NOT NULL,
        deliberated_by text COLLATE "C" NOT NULL,
        deliberated_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, dilemma_id)
      );
      ${isolateByTenant('dilemmas', ['SELECT', 'INSERT'], ['SELECT'])}
    `,
  },
]

interface StoredDilemma {
  readonly dilemma_id: string
  readonly asked: unknown
  readonly found: unknown
  readonly deliberated_by: string
  readonly deliberated_at: string
}

/** The same question at the same time is the same dilemma. */
export async function keepDilemma(db: Database, tenant_id: string, dilemma: StoredDilemma): Promise<void> {
  const { dilemma_id, asked, found, deliberated_by, deliberated_at } = dilemma
  await sql`
    INSERT INTO dilemmas (tenant_id, dilemma_id, asked, found, deliberated_by, deliberated_at)
    VALUES (${tenant_id}, ${dilemma_id}, ${JSON.stringify(asked)}::jsonb, ${JSON.stringify(found)}::jsonb,
      ${deliberated_by}, ${deliberated_at})
    ON CONFLICT DO NOTHING`.execute(db)
}
