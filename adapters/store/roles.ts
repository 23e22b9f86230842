// The database's two roles. They are cluster-wide, so several databases may create them at the same time.
import { app_role, engine_role, type Migration } from '@svc/database/migration'

// An existing role is kept; one that bypasses row-level security is refused rather than changed. The grant is tried
// only if the role cannot be taken yet, because a superuser needs none.
const create_roles = `
DO $roles$
DECLARE
  wanted text;
  attempt integer;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['${app_role}', '${engine_role}'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN NOBYPASSRLS NOSUPERUSER', wanted);
      END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = wanted AND (rolsuper OR rolbypassrls)) THEN
      RAISE EXCEPTION 'The role % would see past row-level security; run ALTER ROLE % NOSUPERUSER NOBYPASSRLS.',
        wanted, wanted;
    END IF;
    FOR attempt IN 1..5 LOOP
      BEGIN
        PERFORM set_config('role', wanted, true);
        PERFORM set_config('role', 'none', true);
        EXIT;
      EXCEPTION WHEN insufficient_privilege THEN
        IF attempt = 5 THEN RAISE; END IF;
      END;
      BEGIN
        EXECUTE format('GRANT %I TO CURRENT_USER', wanted);
      EXCEPTION WHEN unique_violation OR internal_error THEN NULL;
      END;
    END LOOP;
  END LOOP;
END
$roles$;
GRANT USAGE ON SCHEMA public TO ${app_role}, ${engine_role};
`

// PostgreSQL searches pg_temp first unless it is named: a SECURITY DEFINER function would then use a temporary table
// of its caller with the same name.
const temporary_tables_last = `
DO $last$
DECLARE
  found record;
BEGIN
  FOR found IN
    SELECT p.oid::regprocedure AS name FROM pg_proc p
    WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace
      AND NOT 'search_path=pg_catalog, public, pg_temp' = ANY (coalesce(p.proconfig, '{}'))
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, public, pg_temp', found.name);
  END LOOP;
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END
$last$;
`

export const store_migrations: readonly Migration[] = [
  { name: '2026-11-15-00-roles', sql: create_roles },
  { name: '2026-11-21-00-temporary-tables-last', sql: temporary_tables_last },
]
