// Which organization runs this engine, according to the database: only it may set prices, tiers and credit of others.

import type { Database } from '@svc/contract/database'
import { engine_role, type Migration, tenant_setting } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import { changes_channel } from './api-keys.ts'

/** The change kind that says that a tenant's books have changed. */
export const books_change = 'books'

export const operator_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-89-operator-tenant',
    sql: `
      CREATE TABLE svc_operator (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        operator_tenant text COLLATE "C" NOT NULL REFERENCES tenants
      );
      GRANT SELECT, INSERT, UPDATE ON svc_operator TO ${engine_role};
      -- True inside a transaction of the operator's own tenant.
      CREATE FUNCTION svc_is_operator() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
        SET search_path = pg_catalog, public AS $$
        SELECT EXISTS (SELECT FROM svc_operator WHERE operator_tenant = current_setting('${tenant_setting}', true))
      $$;
      -- Every engine forgets what it knew of this tenant's money, rates, envelopes and holds.
      CREATE FUNCTION svc_tell_books(changed text) RETURNS void LANGUAGE sql AS $$
        SELECT pg_notify('${changes_channel}', '${books_change}:' || changed)
      $$;
      -- An event of one organization may also stand in the chain of another, if it says whose it is.
      CREATE POLICY audit_outbox_between_tenants ON audit_outbox FOR INSERT TO svc_app
        WITH CHECK (entry::jsonb #>> '{meta,from_tenant}' = current_setting('${tenant_setting}', true));
    `,
  },
]

export async function nameOperator(db: Database, tenant_id: string): Promise<void> {
  await sql`
    INSERT INTO svc_operator (operator_tenant) VALUES (${tenant_id})
    ON CONFLICT (singleton) DO UPDATE SET operator_tenant = excluded.operator_tenant
    WHERE svc_operator.operator_tenant <> excluded.operator_tenant`.execute(db)
}

/** Undefined if no engine has run on this database yet. */
export async function operatorTenant(db: Database): Promise<string | undefined> {
  const row = await sql<{ operator_tenant: string }>`SELECT operator_tenant FROM svc_operator`.first(db)
  return row?.operator_tenant
}
