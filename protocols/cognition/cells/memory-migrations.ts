// Memory cells and their associations. These tables hold no text: namespaces and equality keys are keyed
// hashes, and what is remembered is sealed as content.
import {
  app_role,
  engine_role,
  isolateByTenant,
  limitToReaders,
  type Migration,
} from '@svc/database/migration'

const cells = `
  CREATE TABLE mind_cell (
    tenant_id text COLLATE "C" NOT NULL,
    ref text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('working', 'episodic', 'semantic', 'procedural')),
    namespace_key text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'evicted', 'expired')),
    importance double precision NOT NULL CHECK (importance BETWEEN 0 AND 1),
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    occurred_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz CHECK ((expires_at IS NOT NULL) = (kind = 'working')),
    last_access timestamptz,
    access_count bigint NOT NULL DEFAULT 0,
    source_ref text COLLATE "C",
    -- Where the same content twice is kept once: a keyed hash of its canonical form.
    same_key text COLLATE "C",
    support integer NOT NULL DEFAULT 1,
    -- How often a procedure worked: Beta(successes + 1, failures + 1).
    successes integer NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, ref)
  );
  CREATE UNIQUE INDEX mind_cell_same ON mind_cell (tenant_id, kind, namespace_key, same_key);
  CREATE INDEX mind_cell_working ON mind_cell (tenant_id, namespace_key)
    WHERE kind = 'working' AND status = 'active';
  CREATE INDEX mind_cell_ending ON mind_cell (expires_at) WHERE kind = 'working' AND status = 'active';
  ${isolateByTenant('mind_cell', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'UPDATE'])}

  CREATE TABLE mind_edge (
    tenant_id text COLLATE "C" NOT NULL,
    association_id uuid NOT NULL,
    source text COLLATE "C" NOT NULL,
    target text COLLATE "C" NOT NULL CHECK (target <> source),
    relation text COLLATE "C" NOT NULL,
    weight double precision NOT NULL CHECK (weight BETWEEN 0 AND 1),
    valid tstzrange NOT NULL,
    reinforced integer NOT NULL DEFAULT 0,
    author_did text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, association_id)
  );
  CREATE INDEX mind_edge_from ON mind_edge (tenant_id, source, relation, target);
  CREATE INDEX mind_edge_to ON mind_edge (tenant_id, target, relation);
  ${isolateByTenant('mind_edge', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
`

/** Search filters applied before ranking. A cell that is no longer active has an end in the past. */
const searching = `
  ALTER TABLE content_index
    ADD COLUMN occurred_at timestamptz,
    ADD COLUMN importance double precision,
    ADD COLUMN active_until timestamptz;
  CREATE INDEX content_index_embedder ON content_index (embedder_id) WHERE present AND embedder_id IS NOT NULL;
  CREATE INDEX content_index_unembedded ON content_index (tenant_id, ref)
    WHERE present AND embedder_id IS NOT NULL AND embedding IS NULL;
  GRANT INSERT, UPDATE ON content_index TO ${engine_role};
  GRANT INSERT ON content_index_epoch TO ${engine_role};
  -- As the engine's role: behind row-level security the index on \`doc\` is never used, its operator is not leakproof.
  CREATE FUNCTION svc_content_containing(wanted jsonb, kinds text[], refs_max integer) RETURNS SETOF text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
    SELECT found.ref FROM content_index AS found
    WHERE found.tenant_id = current_setting('svc.tenant_id', true) AND found.present
      AND found.doc @> wanted AND found.kind = ANY(kinds)
    LIMIT refs_max
  $$;
  REVOKE ALL ON FUNCTION svc_content_containing(jsonb, text[], integer) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION svc_content_containing(jsonb, text[], integer) TO ${app_role};
  GRANT CREATE ON SCHEMA public TO ${engine_role};
  ALTER FUNCTION svc_content_containing(jsonb, text[], integer) OWNER TO ${engine_role};
  REVOKE CREATE ON SCHEMA public FROM ${engine_role};
`

/** One round trip under one lock: each statement sees what was committed before the lock. */
const pressure = `
  CREATE FUNCTION svc_evict_working(namespace text, at timestamptz, cells_max integer) RETURNS integer
  LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
  DECLARE
    tenant CONSTANT text := current_setting('svc.tenant_id', true);
    pushed_out text[];
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('mind working ' || tenant || ' ' || namespace, 0));
    WITH ranked AS (
      SELECT cell.ref, row_number() OVER (ORDER BY cell.importance * exp(least(0,
          -extract(epoch FROM at - cell.created_at)
          / greatest(1, extract(epoch FROM cell.expires_at - cell.created_at)))) DESC,
        cell.created_at DESC, cell.ref DESC) AS place
      FROM mind_cell AS cell
      WHERE cell.tenant_id = tenant AND cell.namespace_key = namespace AND cell.kind = 'working'
        AND cell.status = 'active' AND cell.expires_at > at),
    evicted AS (
      UPDATE mind_cell AS cell SET status = 'evicted' FROM ranked
      WHERE cell.tenant_id = tenant AND cell.ref = ranked.ref AND ranked.place > cells_max
      RETURNING cell.ref)
    SELECT array_agg(evicted.ref) INTO pushed_out FROM evicted;
    IF pushed_out IS NULL THEN RETURN 0; END IF;
    UPDATE content_index AS found SET active_until = '-infinity', revision = pg_current_xact_id()
    WHERE found.tenant_id = tenant AND found.ref = ANY(pushed_out) AND found.present;
    RETURN cardinality(pushed_out);
  END $$;
`

export const memory_migrations: readonly Migration[] = [
  { name: '2026-11-17-10-memory-cells', sql: cells },
  { name: '2026-11-17-11-memory-search', sql: searching },
  { name: '2026-11-17-12-working-memory', sql: pressure },
]

const limited = `
  ${limitToReaders('mind_cell')}
  ${limitToReaders('mind_edge')}
  ALTER TABLE mind_cell NO FORCE ROW LEVEL SECURITY;
  ALTER TABLE content NO FORCE ROW LEVEL SECURITY;
  UPDATE mind_cell AS cell SET readers = content.readers FROM content
  WHERE content.tenant_id = cell.tenant_id AND content.ref = cell.ref AND content.version = 1
    AND cell.kind = 'working' AND content.readers IS NOT NULL;
  ALTER TABLE mind_cell FORCE ROW LEVEL SECURITY;
  ALTER TABLE content FORCE ROW LEVEL SECURITY;
`

/** After the readers of content. */
export const memory_reader_migrations: readonly Migration[] = [
  { name: '2026-11-28-62-readers-of-memories', sql: limited },
]
