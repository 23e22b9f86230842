// Tables of witnessing: which logs this engine cosigns and how far, who cosigns its own, and their signatures.
import { engine_role, isolateByTenant, type Migration } from '@svc/database/migration'

const witness_side = `
-- The engine's own key to cosign with; its name is part of what others know it by, so both are made once.
CREATE TABLE witness_key (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  witness_name text NOT NULL,
  public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
  sealed_private bytea NOT NULL
);
-- A log has one origin and, over time, several keys.
CREATE TABLE witness_log_keys (
  origin text COLLATE "C" NOT NULL,
  public_key text NOT NULL,
  trusted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (origin, public_key)
);
-- What a witness has cosigned last. Size 0: nothing yet.
CREATE TABLE witness_logs (
  witness_name text COLLATE "C" NOT NULL,
  origin text COLLATE "C" NOT NULL,
  size bigint NOT NULL DEFAULT 0 CHECK (size >= 0),
  root bytea CHECK (octet_length(root) = 32),
  note text,
  cosigned_at timestamptz,
  -- A note the log has signed as well, of the same size and another root: nobody can talk that away.
  contradiction text,
  PRIMARY KEY (witness_name, origin),
  CHECK ((size = 0) = (root IS NULL) AND (size = 0) = (note IS NULL))
);
CREATE FUNCTION witness_never_goes_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.witness_name <> OLD.witness_name OR NEW.origin <> OLD.origin OR NEW.size < OLD.size
    OR (NEW.size = OLD.size AND NEW.root IS DISTINCT FROM OLD.root) THEN
    RAISE EXCEPTION 'what % has cosigned of % is never taken back', OLD.witness_name, OLD.origin;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER witness_logs_forward BEFORE UPDATE ON witness_logs
  FOR EACH ROW EXECUTE FUNCTION witness_never_goes_back();
CREATE TRIGGER witness_logs_kept BEFORE DELETE OR TRUNCATE ON witness_logs
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
GRANT SELECT, INSERT ON witness_key TO ${engine_role};
GRANT SELECT, INSERT, DELETE ON witness_log_keys TO ${engine_role};
GRANT SELECT, INSERT, UPDATE ON witness_logs TO ${engine_role};
`

const log_side = `
-- Who is asked to cosign, and for whom: no list means every chain. One engine at a time asks, while its lease lasts.
CREATE TABLE witness_asked (
  witness_name text COLLATE "C" NOT NULL,
  key_id text NOT NULL,
  verifier_key text NOT NULL,
  url text NOT NULL,
  tenants text[],
  fed_by uuid,
  fed_until timestamptz,
  PRIMARY KEY (witness_name, key_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON witness_asked TO ${engine_role};

CREATE TABLE audit_cosignatures (
  tenant_id text COLLATE "C" NOT NULL,
  witness_name text COLLATE "C" NOT NULL,
  key_id text NOT NULL,
  size bigint NOT NULL CHECK (size > 0),
  line text NOT NULL CHECK (octet_length(line) <= 1024),
  PRIMARY KEY (tenant_id, witness_name, key_id, size)
);
CREATE INDEX audit_cosignatures_of_size ON audit_cosignatures (tenant_id, size);
CREATE TRIGGER audit_cosignatures_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_cosignatures
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
${isolateByTenant('audit_cosignatures', ['SELECT'], ['SELECT', 'INSERT'])}
`

export const witness_migrations: readonly Migration[] = [
  { name: '2026-11-16-10-witness', sql: witness_side + log_side },
]

// Which sizes a key of a log signs, as in audit_keys: one that followed another by a rotation begins after it. Those trusted by hand
// begin with the log.
const key_times = `
ALTER TABLE witness_log_keys
  ADD COLUMN from_seq bigint NOT NULL DEFAULT 1 CHECK (from_seq >= 1),
  ADD COLUMN until_seq bigint CHECK (until_seq >= from_seq);
GRANT UPDATE (from_seq, until_seq) ON witness_log_keys TO ${engine_role};
`

export const followed_key_migrations: readonly Migration[] = [
  { name: '2027-01-06-00-followed-keys', sql: key_times },
]
