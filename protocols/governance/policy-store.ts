// The rules of an organization, version by version: never edited, never deleted.
import { isolateByTenant, type Migration } from '@svc/contract/migration'
import type { Database } from '@svc/contract/operation-context'
import { sql } from 'kysely'

export const policy_migrations: readonly Migration[] = [
  {
    name: '2026-11-16-30-policies',
    sql: `
      CREATE TABLE policies (
        tenant_id text COLLATE "C" NOT NULL,
        policy_id text COLLATE "C" NOT NULL,
        version text COLLATE "C" NOT NULL,
        body text NOT NULL,
        digest text NOT NULL,
        -- From the first moment of its version on the policy says this; an empty one says nothing any more.
        retires boolean NOT NULL,
        active_from timestamptz NOT NULL,
        authored_by text COLLATE "C" NOT NULL,
        authority text NOT NULL,
        rationale text,
        authored_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, policy_id, version)
      );
      ${isolateByTenant('policies', ['SELECT', 'INSERT'], ['SELECT', 'INSERT'])}
    `,
  },
]

/** Also those that are not in force yet, or any more: who asks knows what time it is. */
export async function hasPolicies(db: Database, tenant_id: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM policies WHERE tenant_id = ${tenant_id} LIMIT 1`.execute(db)
  return rows.length > 0
}
