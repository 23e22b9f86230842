// The tables of the audit log. Only files of this folder name them; a handler reads its own tenant's rows through row-level security.
import { app_role, engine_role, isolateByTenant, type Migration } from '@svc/database/migration'

// Tenant ids compare by bytes, so that every replica locks heads in the same order whatever the database's locale.
const tenant = 'tenant_id text COLLATE "C" NOT NULL'

const records = `
CREATE TABLE audit_records (
  ${tenant},
  seq bigint NOT NULL CHECK (seq > 0),
  record_hash bytea NOT NULL CHECK (octet_length(record_hash) = 32),
  body text NOT NULL,
  correlation_id uuid NOT NULL,
  event_type text NOT NULL,
  protocol text,
  operation text,
  outcome text NOT NULL,
  caller_did text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, seq)
);
CREATE INDEX audit_records_of_correlation ON audit_records (tenant_id, correlation_id, seq);
-- Nearly every record is a plain invocation: only the others are looked up by their type.
CREATE INDEX audit_records_of_event ON audit_records (tenant_id, event_type, seq)
  WHERE event_type <> 'ProtocolInvocation';
CREATE INDEX audit_records_by_time ON audit_records USING brin (at);

CREATE TABLE chain_heads (
  ${tenant} PRIMARY KEY,
  seq bigint NOT NULL DEFAULT 0,
  head_hash bytea NOT NULL CHECK (octet_length(head_hash) = 32),
  frontier bytea NOT NULL DEFAULT '',
  sealed boolean NOT NULL DEFAULT false
);
`

const append_only = `
CREATE FUNCTION audit_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% takes new rows only: the book is never changed, append a correcting record instead', TG_TABLE_NAME;
END $$;
CREATE TRIGGER audit_records_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_records
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();

CREATE FUNCTION audit_keep_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.sealed THEN
    RAISE EXCEPTION 'the chain of % is sealed and takes no append', OLD.tenant_id;
  END IF;
  IF NEW.tenant_id <> OLD.tenant_id OR NEW.seq < OLD.seq THEN
    RAISE EXCEPTION 'the head of % only moves forward', OLD.tenant_id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER chain_heads_forward BEFORE UPDATE ON chain_heads
  FOR EACH ROW EXECUTE FUNCTION audit_keep_head();
CREATE TRIGGER chain_heads_kept BEFORE DELETE OR TRUNCATE ON chain_heads
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();

-- The sealing record itself is still let in: it stands at the sealed head, not past it.
CREATE FUNCTION audit_refuse_past_seal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  closed text;
BEGIN
  SELECT h.tenant_id INTO closed FROM chain_heads h
    WHERE h.sealed AND EXISTS (SELECT FROM added a WHERE a.tenant_id = h.tenant_id AND a.seq > h.seq) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the chain of % is sealed and takes no append', closed;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_records_not_past_seal AFTER INSERT ON audit_records
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_past_seal();
CREATE INDEX chain_heads_sealed ON chain_heads (tenant_id) WHERE sealed;
`

const proofs = `
-- Roots of complete subtrees of 2^level records; leaves are the record hashes themselves and are not stored twice.
CREATE TABLE audit_tree (
  ${tenant},
  level smallint NOT NULL CHECK (level IN (8, 16, 24)),
  index bigint NOT NULL,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  PRIMARY KEY (tenant_id, level, index)
);
CREATE TABLE audit_checkpoints (
  ${tenant},
  size bigint NOT NULL CHECK (size > 0),
  root bytea NOT NULL CHECK (octet_length(root) = 32),
  note text NOT NULL,
  PRIMARY KEY (tenant_id, size)
);
CREATE TRIGGER audit_tree_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_tree
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_checkpoints_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
`

const secrets = `
-- A checkpoint of size n is signed by the key with from_seq <= n <= until_seq; the current key has no until_seq.
CREATE TABLE audit_keys (
  ${tenant},
  key_id text NOT NULL,
  public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
  sealed_private bytea,
  from_seq bigint NOT NULL,
  until_seq bigint,
  PRIMARY KEY (tenant_id, key_id)
);
CREATE UNIQUE INDEX audit_keys_current ON audit_keys (tenant_id) WHERE until_seq IS NULL;
CREATE TABLE audit_salts (
  ${tenant} PRIMARY KEY,
  sealed bytea NOT NULL
);
-- A kept input is redacted by forgetting its key: the chain holds only the commitment and never changes.
CREATE TABLE audit_inputs (
  ${tenant},
  input_hash text NOT NULL,
  sealed bytea NOT NULL,
  wrapped_key bytea,
  PRIMARY KEY (tenant_id, input_hash)
);
`

const queues = `
CREATE TABLE audit_outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ${tenant},
  entry text NOT NULL CHECK (octet_length(entry) <= 262144)
);
CREATE TABLE journal_positions (
  journal_id uuid PRIMARY KEY,
  segment bigint NOT NULL,
  byte_offset bigint NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON journal_positions TO ${engine_role};
`

const rights = [
  isolateByTenant('audit_records', ['SELECT'], ['SELECT', 'INSERT']),
  isolateByTenant('chain_heads', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE']),
  isolateByTenant('audit_tree', ['SELECT'], ['SELECT', 'INSERT']),
  isolateByTenant('audit_checkpoints', ['SELECT'], ['SELECT', 'INSERT']),
  isolateByTenant('audit_keys', [], ['SELECT', 'INSERT', 'UPDATE']),
  `GRANT SELECT (tenant_id, key_id, public_key, from_seq, until_seq) ON audit_keys TO ${app_role};`,
  isolateByTenant('audit_salts', [], ['SELECT', 'INSERT']),
  isolateByTenant('audit_inputs', [], ['SELECT', 'INSERT', 'UPDATE']),
  isolateByTenant('audit_outbox', ['INSERT'], ['SELECT', 'INSERT', 'UPDATE', 'DELETE']),
]

export const audit_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-10-audit-book',
    sql: [records, append_only, proofs, secrets, queues, ...rights].join('\n'),
  },
]
