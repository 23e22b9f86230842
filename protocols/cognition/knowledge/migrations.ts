// Facts as rows. Their text is sealed as content; these tables hold keyed hashes, times and numbers only.
import { app_role, engine_role, isolateByTenant, type Migration } from '@svc/database/migration'

/** Rows are added and their `tx` ends; otherwise only the status changes, when the text is destroyed. */
const facts = `
  CREATE TABLE kg_fact (
    tenant_id text COLLATE "C" NOT NULL,
    row_id bigint GENERATED ALWAYS AS IDENTITY,
    -- One assertion; where its validity was cut by a later one it has several rows.
    fact_id uuid NOT NULL,
    s text COLLATE "C" NOT NULL,
    p text COLLATE "C" NOT NULL,
    o text COLLATE "C" NOT NULL,
    functional boolean NOT NULL,
    valid tstzrange NOT NULL CHECK (NOT isempty(valid)),
    tx tstzrange NOT NULL CHECK (NOT isempty(tx)),
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    source_ref text COLLATE "C" NOT NULL,
    status text NOT NULL CHECK (status IN ('current', 'contested', 'redacted')),
    PRIMARY KEY (tenant_id, row_id),
    -- At each moment, as known at each moment, a functional predicate of a subject has one value.
    CONSTRAINT kg_fact_one_value EXCLUDE USING gist
      (tenant_id WITH =, s WITH =, p WITH =, valid WITH &&, tx WITH &&)
      WHERE (functional AND status = 'current')
  );
  CREATE INDEX kg_fact_by_subject ON kg_fact (tenant_id, s, p);
  CREATE INDEX kg_fact_by_object ON kg_fact (tenant_id, o);
  CREATE INDEX kg_fact_by_source ON kg_fact (tenant_id, source_ref);
  CREATE INDEX kg_fact_by_id ON kg_fact (tenant_id, fact_id);
  CREATE TABLE kg_predicate (
    tenant_id text COLLATE "C" NOT NULL,
    p text COLLATE "C" NOT NULL,
    declared_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, p)
  );
  ${isolateByTenant('kg_fact', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
  ${isolateByTenant('kg_predicate', ['SELECT', 'INSERT'], ['SELECT'])}
`

/** Names in plain text for similarity search: UNLOGGED, rebuilt from the sealed facts if lost. */
const entities = `
  CREATE UNLOGGED TABLE kg_entity_index (
    tenant_id text COLLATE "C" NOT NULL,
    name_key text COLLATE "C" NOT NULL,
    entity_key text COLLATE "C" NOT NULL,
    name text NOT NULL,
    likeness text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, name_key, entity_key)
  );
  CREATE INDEX kg_entity_index_entity ON kg_entity_index (tenant_id, entity_key);
  CREATE INDEX kg_entity_index_likeness ON kg_entity_index USING gist (tenant_id, likeness gist_trgm_ops);
  -- ANALYZE would copy samples of names into a catalogue that is logged.
  ALTER TABLE kg_entity_index ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN likeness SET STATISTICS 0;
  CREATE UNLOGGED TABLE kg_entity_epoch (tenant_id text COLLATE "C" PRIMARY KEY);
  ${isolateByTenant('kg_entity_index', ['SELECT', 'INSERT', 'DELETE'], ['SELECT'])}
  ${isolateByTenant('kg_entity_epoch', ['SELECT', 'INSERT'], ['SELECT'])}
  DO $$ BEGIN
    IF current_setting('server_version_num')::integer >= 170000 THEN
      GRANT MAINTAIN ON kg_entity_index TO ${engine_role};
    END IF;
  END $$;
  -- As the engine's role: behind row-level security an index on likeness is never used, since its operators are not leakproof.
  CREATE FUNCTION svc_entities_like(wanted text, names_max integer)
  RETURNS TABLE (entity_key text, name text, similarity real)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
    SELECT found.entity_key, found.name, similarity(found.likeness, wanted)
    FROM kg_entity_index AS found
    WHERE found.tenant_id = current_setting('svc.tenant_id', true)
    ORDER BY found.likeness <-> wanted LIMIT names_max
  $$;
  REVOKE ALL ON FUNCTION svc_entities_like(text, integer) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION svc_entities_like(text, integer) TO ${app_role};
  GRANT CREATE ON SCHEMA public TO ${engine_role};
  ALTER FUNCTION svc_entities_like(text, integer) OWNER TO ${engine_role};
  REVOKE CREATE ON SCHEMA public FROM ${engine_role};
`

/** Every source keeps its statement: a duplicate applies again if the more certain one is deleted. */
const supporting = `
  ALTER TABLE kg_fact
    -- Said no more by the source itself: it was corrected.
    ADD COLUMN withdrawn boolean NOT NULL DEFAULT false,
    DROP CONSTRAINT kg_fact_status_check,
    ADD CONSTRAINT kg_fact_status_check CHECK (status IN ('current', 'contested', 'supporting', 'redacted'));
`

export const knowledge_migrations: readonly Migration[] = [
  { name: '2026-11-17-15-knowledge', sql: facts },
  { name: '2026-11-17-16-entity-index', sql: entities },
  { name: '2026-11-17-17-supporting-facts', sql: supporting },
]
