// The tables of the audit log. Only files of this folder name them; a handler reads its own tenant's rows through row-level security.
import { app_role, engine_role, isolateByTenant, type Migration } from '@svc/database/migration'
import { hashPartitions } from '@svc/database/partitions'
import { log_partitions } from './pages/partitions.ts'

// Tenant ids compare by bytes, so that every replica locks heads in the same order whatever the database's locale.
const tenant = 'tenant_id text COLLATE "C" NOT NULL'

const pages = `
-- 256 consecutive records of one tenant, aligned like the tiles of its tree. Nothing is stored for a record alone.
CREATE TABLE audit_pages (
  ${tenant},
  page bigint NOT NULL CHECK (page >= 0),
  last_seq bigint NOT NULL CHECK (last_seq = page * 256 + 256),
  -- Of the record before its first.
  before_hash bytea NOT NULL CHECK (octet_length(before_hash) = 32),
  hashes bytea NOT NULL CHECK (octet_length(hashes) = 256 * 32),
  -- Short keys: of every record's correlation id, then of every record's hash.
  keys integer[] NOT NULL CHECK (array_length(keys, 1) = 512),
  from_at timestamptz NOT NULL,
  to_at timestamptz NOT NULL,
  -- The latest time in this page or before it: never decreases, so that a period is found by bisection.
  latest_at timestamptz NOT NULL,
  -- Some record is much older than one before this page.
  is_late boolean NOT NULL,
  format smallint NOT NULL,
  -- Where each of its four compressed parts ends.
  part_ends integer[] NOT NULL CHECK (array_length(part_ends, 1) = 4),
  sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
  -- Null where it is in the archive.
  bytes bytea,
  PRIMARY KEY (tenant_id, page)
) PARTITION BY HASH (tenant_id);
-- Hashes and what is compressed already: PostgreSQL need not try, and can read a part.
ALTER TABLE audit_pages ALTER hashes SET STORAGE EXTERNAL, ALTER bytes SET STORAGE EXTERNAL, ALTER keys SET STORAGE EXTERNAL;
CREATE INDEX audit_pages_of_key ON audit_pages USING gin (keys) WITH (fastupdate = off);
CREATE INDEX audit_pages_by_time ON audit_pages (tenant_id, latest_at, page);
CREATE INDEX audit_pages_late ON audit_pages (tenant_id, page) WHERE is_late;

-- The newest records of a tenant, until they fill a page.
CREATE TABLE audit_tail (
  ${tenant},
  first_seq bigint NOT NULL CHECK (first_seq > 0),
  last_seq bigint NOT NULL CHECK (last_seq >= first_seq AND (last_seq - 1) / 256 = (first_seq - 1) / 256),
  before_hash bytea NOT NULL CHECK (octet_length(before_hash) = 32),
  hashes bytea NOT NULL CHECK (octet_length(hashes) = 32 * (last_seq - first_seq + 1)),
  from_at timestamptz NOT NULL,
  to_at timestamptz NOT NULL,
  format smallint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant_id, last_seq)
);
ALTER TABLE audit_tail ALTER hashes SET STORAGE EXTERNAL, ALTER bytes SET STORAGE EXTERNAL;

-- The pages in which a protocol, operation, event type, outcome or caller occurs.
CREATE TABLE audit_terms (
  ${tenant},
  term text COLLATE "C" NOT NULL,
  page bigint NOT NULL,
  PRIMARY KEY (tenant_id, term, page)
) PARTITION BY HASH (tenant_id);

CREATE TABLE chain_heads (
  ${tenant} PRIMARY KEY,
  seq bigint NOT NULL DEFAULT 0,
  head_hash bytea NOT NULL CHECK (octet_length(head_hash) = 32),
  frontier bytea NOT NULL DEFAULT '',
  sealed boolean NOT NULL DEFAULT false
);
`

// For people with psql: what can be said of a record without opening its page. Restrict it by tenant, and by page where a log is long.
const view = `
CREATE VIEW audit_log WITH (security_invoker = true) AS
  SELECT tenant_id, page, page * 256 + place AS seq, encode(substring(hashes FROM place * 32 - 31 FOR 32), 'hex') AS record_hash,
    from_at, to_at, CASE WHEN bytes IS NULL THEN 'archive' ELSE 'page' END AS stored_in
  FROM audit_pages CROSS JOIN generate_series(1, 256) AS place
  UNION ALL
  SELECT tenant_id, (first_seq - 1) / 256, first_seq + place - 1, encode(substring(hashes FROM place * 32 - 31 FOR 32), 'hex'),
    from_at, to_at, 'tail'
  FROM audit_tail CROSS JOIN generate_series(1, (last_seq - first_seq + 1)::integer) AS place;
GRANT SELECT ON audit_log TO ${app_role}, ${engine_role};
`

const append_only = `
CREATE FUNCTION audit_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% takes new rows only: the audit log is never changed, append a correcting record instead', TG_TABLE_NAME;
END $$;
CREATE TRIGGER audit_pages_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_pages
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_terms_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_terms
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_tail_append_only BEFORE UPDATE OR TRUNCATE ON audit_tail
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();

-- Records leave the tail only for a page that has the same hashes at the same places.
CREATE FUNCTION audit_keep_tail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM removed t LEFT JOIN audit_pages p ON p.tenant_id = t.tenant_id AND p.page = (t.first_seq - 1) / 256
    WHERE t.hashes IS DISTINCT FROM
      substring(p.hashes FROM 1 + 32 * ((t.first_seq - 1) % 256)::integer FOR octet_length(t.hashes))
  ) THEN
    RAISE EXCEPTION 'records leave audit_tail only for the page that holds them';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_tail_merged AFTER DELETE ON audit_tail
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION audit_keep_tail();

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
    WHERE h.sealed AND EXISTS (SELECT FROM added a WHERE a.tenant_id = h.tenant_id AND a.last_seq > h.seq) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the chain of % is sealed and takes no append', closed;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_tail_not_past_seal AFTER INSERT ON audit_tail
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_past_seal();
CREATE TRIGGER audit_pages_not_past_seal AFTER INSERT ON audit_pages
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_past_seal();
CREATE INDEX chain_heads_sealed ON chain_heads (tenant_id) WHERE sealed;
`

const proofs = `
-- Roots of complete subtrees of 2^level records; leaves are the record hashes themselves and are not stored twice.
CREATE TABLE audit_tree (
  ${tenant},
  level smallint NOT NULL CHECK (level IN (8, 16, 24, 32, 40)),
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
-- Logs whose checkpoint and tiles anybody may read.
CREATE TABLE audit_public_logs (
  ${tenant} PRIMARY KEY,
  published_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER audit_tree_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_tree
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_checkpoints_append_only BEFORE UPDATE OR TRUNCATE ON audit_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
-- Of a full page one checkpoint stays: a later one covers all that an earlier one did.
CREATE FUNCTION audit_keep_checkpoints() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM removed r WHERE NOT EXISTS (
      SELECT FROM audit_checkpoints c JOIN audit_pages p ON p.tenant_id = c.tenant_id AND p.page = (c.size - 1) / 256
      WHERE c.tenant_id = r.tenant_id AND c.size > r.size AND c.size <= (r.size + 255) / 256 * 256
    )
  ) THEN
    RAISE EXCEPTION 'checkpoints leave audit_checkpoints only for a later one of the same full page';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_checkpoints_thinned AFTER DELETE ON audit_checkpoints
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION audit_keep_checkpoints();
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
) PARTITION BY HASH (input_hash);
${hashPartitions('audit_inputs')}
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
  isolateByTenant('audit_pages', ['SELECT'], ['SELECT', 'INSERT']),
  isolateByTenant('audit_tail', ['SELECT'], ['SELECT', 'INSERT', 'DELETE']),
  isolateByTenant('audit_terms', ['SELECT'], ['SELECT', 'INSERT']),
  isolateByTenant('chain_heads', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE']),
  isolateByTenant('audit_tree', ['SELECT'], ['SELECT', 'INSERT']),
  isolateByTenant('audit_checkpoints', ['SELECT'], ['SELECT', 'INSERT', 'DELETE']),
  isolateByTenant('audit_public_logs', ['SELECT'], ['SELECT', 'INSERT', 'DELETE']),
  isolateByTenant('audit_keys', [], ['SELECT', 'INSERT', 'UPDATE']),
  `GRANT SELECT (tenant_id, key_id, public_key, from_seq, until_seq) ON audit_keys TO ${app_role};`,
  isolateByTenant('audit_salts', [], ['SELECT', 'INSERT']),
  isolateByTenant('audit_inputs', [], ['SELECT', 'INSERT', 'UPDATE']),
  isolateByTenant('audit_outbox', ['INSERT'], ['SELECT', 'INSERT', 'UPDATE', 'DELETE']),
]

export const audit_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-10-audit-partitions',
    sql: [pages, view, append_only, log_partitions, proofs, secrets, queues, ...rights].join('\n'),
  },
]

export const moved_log_migrations: readonly Migration[] = [
  {
    // The log of a tenant that lives in another database, or is being copied there: no record is added here.
    name: '2026-12-09-11-moved-logs',
    sql: 'ALTER TABLE chain_heads ADD COLUMN moved boolean NOT NULL DEFAULT false',
  },
]
