// Pages that may leave PostgreSQL for the archive: which are still there, and what may change in their rows.
import { engine_role, isolateByTenant, type Migration } from '@svc/database/migration'

const hot_pages = `
-- The pages whose bytes are in PostgreSQL. Kept by triggers, so that finding old ones never looks at archived ones.
CREATE TABLE audit_hot_pages (
  tenant_id text COLLATE "C" NOT NULL,
  page bigint NOT NULL,
  -- The newest time in it, or when it was brought back from the archive.
  hot_since timestamptz NOT NULL,
  -- Until then some engine is archiving it.
  claimed_until timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (tenant_id, page)
) WITH (fillfactor = 50);
CREATE INDEX audit_hot_pages_by_age ON audit_hot_pages (hot_since);
ALTER TABLE audit_pages NO FORCE ROW LEVEL SECURITY;
INSERT INTO audit_hot_pages SELECT tenant_id, page, to_at FROM audit_pages WHERE bytes IS NOT NULL;
ALTER TABLE audit_pages FORCE ROW LEVEL SECURITY;
`

const triggers = `
CREATE FUNCTION audit_note_hot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_hot_pages (tenant_id, page, hot_since)
    SELECT tenant_id, page, to_at FROM added WHERE bytes IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_pages_hot AFTER INSERT ON audit_pages
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION audit_note_hot();

-- Bytes leave and come back; nothing else of a page changes, and only the bytes that its hash names.
CREATE FUNCTION audit_keep_page() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  as_before audit_pages := NEW;
BEGIN
  as_before.bytes := OLD.bytes;
  IF as_before IS DISTINCT FROM OLD OR (OLD.bytes IS NULL) = (NEW.bytes IS NULL) THEN
    RAISE EXCEPTION 'audit_pages takes new rows only: the audit log is never changed, append a correcting record instead';
  END IF;
  IF sha256(coalesce(OLD.bytes, NEW.bytes)) <> OLD.sha256 THEN
    RAISE EXCEPTION 'page % of % does not have these bytes, so they neither leave nor come back', OLD.page, OLD.tenant_id;
  END IF;
  IF NEW.bytes IS NULL THEN
    DELETE FROM audit_hot_pages h WHERE h.tenant_id = OLD.tenant_id AND h.page = OLD.page;
  ELSE
    INSERT INTO audit_hot_pages (tenant_id, page, hot_since) VALUES (OLD.tenant_id, OLD.page, clock_timestamp());
  END IF;
  RETURN NEW;
END $$;
DROP TRIGGER audit_pages_append_only ON audit_pages;
CREATE TRIGGER audit_pages_append_only BEFORE DELETE OR TRUNCATE ON audit_pages
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_pages_moved BEFORE UPDATE ON audit_pages
  FOR EACH ROW EXECUTE FUNCTION audit_keep_page();
GRANT UPDATE (bytes) ON audit_pages TO ${engine_role};
`

export const archive_migrations: readonly Migration[] = [
  {
    name: '2026-11-18-40-log-archive',
    sql: [
      hot_pages,
      triggers,
      isolateByTenant('audit_hot_pages', [], ['SELECT', 'INSERT', 'UPDATE', 'DELETE']),
    ].join('\n'),
  },
]
