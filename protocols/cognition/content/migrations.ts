// Erasable content. Logged tables hold only ciphertext, keyed hashes and times; plain text is in one UNLOGGED
// table, never in the WAL or a base backup, which is rebuilt from the ciphertext if lost.
import { engine_role, isolateByTenant, type Migration } from '@svc/database/migration'

const contents = `
  CREATE TABLE content (
    tenant_id text COLLATE "C" NOT NULL,
    ref text COLLATE "C" NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    kind text COLLATE "C" NOT NULL,
    status text NOT NULL CHECK (status IN ('current', 'superseded', 'redacted')),
    author_did text COLLATE "C" NOT NULL,
    -- Whom it is about: everything of one person can be forgotten at once.
    subject_did text COLLATE "C",
    -- sha256(salt || canonical JSON): proves what was, and after its salt is gone tells nothing.
    commitment text COLLATE "C" NOT NULL,
    sealed bytea NOT NULL,
    -- The audit record of the call that brought it: its kept input holds the same content.
    correlation_id uuid NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    valid_from timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    superseded_at timestamptz,
    PRIMARY KEY (tenant_id, ref, version)
  );
  CREATE UNIQUE INDEX content_current ON content (tenant_id, ref) WHERE superseded_at IS NULL;
  CREATE INDEX content_by_subject ON content (tenant_id, subject_did) WHERE subject_did IS NOT NULL;
  CREATE INDEX content_by_kind ON content (tenant_id, kind, recorded_at);
  -- Left out of data backups: what is destroyed here must not come back with one.
  CREATE TABLE content_key (
    tenant_id text COLLATE "C" NOT NULL,
    ref text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    wrapped_key bytea,
    salt bytea,
    PRIMARY KEY (tenant_id, ref, version)
  );
  CREATE TABLE content_link (
    tenant_id text COLLATE "C" NOT NULL,
    from_ref text COLLATE "C" NOT NULL,
    to_ref text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    to_version integer,
    linked_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, from_ref, to_ref, kind)
  );
  CREATE INDEX content_link_to ON content_link (tenant_id, to_ref);
  ${isolateByTenant('content', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
  ${isolateByTenant('content_key', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
  ${isolateByTenant('content_link', ['SELECT', 'INSERT'], ['SELECT'])}
`

/** `revision` is the writing transaction: a reader that has seen all before one finds what came later. */
const index = `
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE EXTENSION IF NOT EXISTS btree_gist;
  CREATE UNLOGGED TABLE content_index (
    tenant_id text COLLATE "C" NOT NULL,
    ref text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    -- False where it was removed: other engines must hear of that, too.
    present boolean NOT NULL DEFAULT true,
    text text,
    lexemes tsvector,
    doc jsonb,
    embedding bytea,
    embedder_id text COLLATE "C",
    revision xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (tenant_id, ref)
  );
  CREATE INDEX content_index_revision ON content_index (tenant_id, revision);
  CREATE INDEX content_index_lexemes ON content_index USING gin (lexemes);
  CREATE INDEX content_index_doc ON content_index USING gin (doc jsonb_path_ops);
  -- A row per tenant that is lost with the index: where it is missing, the index must be made again.
  CREATE UNLOGGED TABLE content_index_epoch (
    tenant_id text COLLATE "C" PRIMARY KEY,
    epoch uuid NOT NULL DEFAULT gen_random_uuid()
  );
  ${isolateByTenant('content_index', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
  ${isolateByTenant('content_index_epoch', ['SELECT', 'INSERT'], ['SELECT'])}
`

/** Redactions, and whether their plain text still has to be scrubbed from the index file. */
const redactions = `
  CREATE TABLE content_redaction (
    tenant_id text COLLATE "C" NOT NULL,
    redaction_id uuid NOT NULL,
    ref text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    commitment text COLLATE "C" NOT NULL,
    correlation_id uuid NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL,
    redacted_by text COLLATE "C" NOT NULL,
    redacted_at timestamptz NOT NULL,
    scrubbed_at timestamptz,
    PRIMARY KEY (tenant_id, ref, version)
  );
  CREATE INDEX content_redaction_unscrubbed ON content_redaction (redacted_at) WHERE scrubbed_at IS NULL;
  CREATE INDEX content_redaction_by_id ON content_redaction (tenant_id, redaction_id);
  ${isolateByTenant('content_redaction', ['SELECT', 'INSERT'], ['SELECT', 'UPDATE'])}
  -- Rewriting the index's file is how its dead rows go; before PostgreSQL 17 that right cannot be given away.
  DO $$ BEGIN
    IF current_setting('server_version_num')::integer >= 170000 THEN
      GRANT MAINTAIN ON content_index TO ${engine_role};
    END IF;
  END $$;
`

export const content_migrations: readonly Migration[] = [
  { name: '2026-11-17-00-content', sql: contents },
  { name: '2026-11-17-01-content-index', sql: index },
  { name: '2026-11-17-02-redactions', sql: redactions },
]
