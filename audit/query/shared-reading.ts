// Who may read another tenant's audit log, and how much: shared calls, what an arbiter must replay, what a successor inherits.

import type { Database } from '@svc/contract/database'
import {
  app_role,
  engine_role,
  isolateByTenant,
  type Migration,
  tenant_setting,
} from '@svc/database/migration'
import { sql } from '@svc/database/sql'

const me = `current_setting('${tenant_setting}', true)`

export const shared_reading_migrations: readonly Migration[] = [
  {
    name: '2026-11-16-01-shared-reading',
    sql: `
      -- Without a correlation it opens the whole book.
      CREATE TABLE book_access (
        owner_tenant text COLLATE "C" NOT NULL,
        tenant_id text COLLATE "C" NOT NULL,
        correlation_id uuid,
        basis text NOT NULL CHECK (basis IN ('case', 'succession')),
        ref text NOT NULL,
        granted_by text COLLATE "C" NOT NULL,
        UNIQUE NULLS NOT DISTINCT (tenant_id, owner_tenant, correlation_id, ref)
      );
      ${isolateByTenant('book_access', ['SELECT', 'INSERT'], ['SELECT', 'INSERT'])}
      CREATE POLICY book_access_told ON book_access FOR SELECT TO ${app_role}
        USING (owner_tenant = ${me} OR granted_by = ${me});
      CREATE POLICY book_access_given ON book_access FOR INSERT TO ${app_role} WITH CHECK (granted_by = ${me});
      -- Nobody lets somebody in under another's name, itself included.
      CREATE POLICY book_access_signed ON book_access AS RESTRICTIVE FOR INSERT TO ${app_role}
        WITH CHECK (granted_by = ${me});

      -- Until there are treaties nobody ever was a partner; whoever brings them replaces this body.
      CREATE FUNCTION svc_ever_partners(one text, other text) RETURNS boolean
        LANGUAGE sql STABLE AS 'SELECT false';
      -- A record that names me as the other side is mine to read as well, wherever we ever had a treaty.
      CREATE FUNCTION svc_may_read(owner text, body text) RETURNS boolean
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
        SELECT coalesce(${me}, '') <> '' AND (
          EXISTS (SELECT FROM book_access a WHERE a.tenant_id = ${me} AND a.owner_tenant = owner
            AND (a.correlation_id IS NULL OR a.correlation_id::text = record #>> '{correlation_id}'))
          OR (svc_ever_partners(${me}, owner) AND ${me} IN
            (record #>> '{meta,target_tenant}', record #>> '{meta,counterpart,tenant_id}', record #>> '{meta,from_tenant}')))
        FROM (SELECT CASE WHEN pg_input_is_valid(body, 'jsonb') THEN body::jsonb END) AS parsed(record)
      $$;
      -- Proofs and keys of a book are open to whoever may read something of it.
      CREATE FUNCTION svc_may_check(owner text) RETURNS boolean
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
        SELECT coalesce(${me}, '') <> '' AND (
          EXISTS (SELECT FROM book_access a WHERE a.tenant_id = ${me} AND a.owner_tenant = owner)
          OR svc_ever_partners(${me}, owner))
      $$;
      -- The engine sees the rows these look at, whoever owns the database.
      GRANT CREATE ON SCHEMA public TO ${engine_role};
      ALTER FUNCTION svc_may_read(text, text) OWNER TO ${engine_role};
      ALTER FUNCTION svc_may_check(text) OWNER TO ${engine_role};
      -- The pages that may hold a record by one of these keys. As a function, because row-level security keeps array operators
      -- from an index. Planned for each log: a plan for any log takes all for short, and would read every page of a long one.
      CREATE FUNCTION svc_pages_of_keys(owner text, wanted integer[], first_page bigint, last_page bigint,
        newest_first boolean, pages_max integer) RETURNS TABLE (page bigint, place bigint)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public SET plan_cache_mode = force_custom_plan AS $$
        SELECT n.page, k.place FROM (
          SELECT p.page, p.keys FROM audit_pages p
          WHERE p.tenant_id = owner AND p.keys && wanted AND p.page BETWEEN first_page AND last_page
            AND (owner = ${me} OR current_setting('role') <> '${app_role}' OR svc_may_check(owner))
          -- Not by a column: an index in that order would be followed through the whole log to find the few pages.
          ORDER BY p.page * CASE WHEN newest_first THEN -1 ELSE 1 END LIMIT pages_max
        ) AS n CROSS JOIN LATERAL unnest(n.keys) WITH ORDINALITY AS k(key, place) WHERE k.key = ANY(wanted)
      $$;
      ALTER FUNCTION svc_pages_of_keys(text, integer[], bigint, bigint, boolean, integer) OWNER TO ${engine_role};
      REVOKE CREATE ON SCHEMA public FROM ${engine_role};
      -- A page opens to whoever may check the log; svc_may_read decides on each record in it.
      ${[
        'audit_pages',
        'audit_tail',
        'audit_terms',
        'chain_heads',
        'audit_tree',
        'audit_checkpoints',
        'audit_keys',
      ]
        .map(
          (table) => `CREATE POLICY ${table}_shared ON ${table} FOR SELECT TO ${app_role}
            USING (tenant_id <> ${me} AND svc_may_check(tenant_id));`,
        )
        .join('\n')}
    `,
  },
]

export interface AuditLogAccess {
  readonly owner_tenant: string
  /** Who may read. */
  readonly tenant_id: string
  /** Undefined for the whole log. */
  readonly correlation_id?: string | undefined
  readonly basis: 'case' | 'succession'
  readonly ref: string
  readonly granted_by: string
}

/** Idempotent. */
export async function openAuditLogTo(db: Database, access: AuditLogAccess): Promise<void> {
  const { owner_tenant, tenant_id, correlation_id = null, basis, ref, granted_by } = access
  await sql`
    INSERT INTO book_access (owner_tenant, tenant_id, correlation_id, basis, ref, granted_by)
    VALUES (${owner_tenant}, ${tenant_id}, ${correlation_id}, ${basis}, ${ref}, ${granted_by})
    ON CONFLICT DO NOTHING`.execute(db)
}

/** Whether all of a log is open to another tenant, and not only shared calls. */
export async function isWholeAuditLogOpen(
  db: Database,
  { owner_tenant, tenant_id }: Pick<AuditLogAccess, 'owner_tenant' | 'tenant_id'>,
): Promise<boolean> {
  return sql`
    SELECT FROM book_access WHERE tenant_id = ${tenant_id} AND owner_tenant = ${owner_tenant}
      AND correlation_id IS NULL LIMIT 1`.exists(db)
}
