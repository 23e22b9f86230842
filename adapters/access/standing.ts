// The state of an organization: active, dissolving, sealed. It goes back to active only while nothing was
// distributed.

import type { Database } from '@svc/contract/database'
import type { Standing } from '@svc/contract/money/books'
import { engine_role, type Migration, tenant_setting } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

export const standing_migrations: readonly Migration[] = [
  {
    name: '2026-11-16-00-standing',
    sql: `
      ALTER TABLE tenants ADD COLUMN standing text NOT NULL DEFAULT 'active'
        CHECK (standing IN ('active', 'dissolving', 'sealed'));
      GRANT UPDATE (standing) ON tenants TO ${engine_role};
      CREATE FUNCTION tenants_keep_standing() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF OLD.standing = 'sealed' OR (OLD.standing = 'active' AND NEW.standing = 'sealed') THEN
          RAISE EXCEPTION 'tenant % is % and does not become %', OLD.tenant_id, OLD.standing, NEW.standing;
        END IF;
        PERFORM svc_tell_books(NEW.tenant_id);
        RETURN NEW;
      END $$;
      CREATE TRIGGER tenants_standing BEFORE UPDATE OF standing ON tenants
        FOR EACH ROW WHEN (OLD.standing IS DISTINCT FROM NEW.standing) EXECUTE FUNCTION tenants_keep_standing();
      -- An operation may begin or cancel the winding up of its own organization, and no other; sealing is the engine's.
      CREATE FUNCTION svc_wind_up(begin_it boolean) RETURNS void LANGUAGE sql SECURITY DEFINER
        SET search_path = pg_catalog, public AS $$
        UPDATE tenants SET standing = CASE WHEN begin_it THEN 'dissolving' ELSE 'active' END
        WHERE tenant_id = current_setting('${tenant_setting}', true)
      $$;
      GRANT CREATE ON SCHEMA public TO ${engine_role};
      ALTER FUNCTION svc_wind_up(boolean) OWNER TO ${engine_role};
      REVOKE CREATE ON SCHEMA public FROM ${engine_role};
    `,
  },
]

export async function standingOf(db: Database, tenant_id: string): Promise<Standing> {
  const row = await sql<{ standing: Standing }>`
    SELECT standing FROM tenants WHERE tenant_id = ${tenant_id}`.first(db)
  return row?.standing ?? 'active'
}
