// The registry's tables. Other tenants read them only through two functions, so each table keeps one policy.
import {
  app_role,
  engine_role,
  isolateByTenant,
  type Migration,
  tenant_setting,
} from '@svc/database/migration'
import { visibilities } from './entry.ts'

/** The kinds of the first version; later kinds have their own migration. */
const first_kinds = [
  'agent',
  'treaty',
  'policy',
  'asset',
  'plugin',
  'report',
  'verdict',
  'chain_seal',
  'schema',
]

type Verb = 'CREATE' | 'CREATE OR REPLACE'

const tables = `
  CREATE TABLE registry_entries (
    tenant_id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" PRIMARY KEY,
    kind text COLLATE "C" NOT NULL CHECK (kind IN (${quoted(first_kinds)})),
    subject text COLLATE "C" NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    previous text COLLATE "C",
    visibility text COLLATE "C" NOT NULL CHECK (visibility IN (${quoted(visibilities)})),
    body text NOT NULL,
    signature jsonb NOT NULL,
    state text NOT NULL DEFAULT 'LIVE' CHECK (state IN ('LIVE', 'SUPERSEDED', 'WITHDRAWN')),
    registered_at timestamptz NOT NULL,
    ended_at timestamptz,
    expires_at timestamptz,
    withdrawal jsonb,
    name_key text COLLATE "C" NOT NULL,
    terms text[] NOT NULL,
    search tsvector NOT NULL,
    UNIQUE (tenant_id, kind, subject, version),
    CHECK ((state = 'LIVE') = (ended_at IS NULL)),
    CHECK ((version = 1) = (previous IS NULL))
  );
  CREATE UNIQUE INDEX registry_current ON registry_entries (tenant_id, kind, subject) WHERE ended_at IS NULL;
  CREATE INDEX registry_by_subject ON registry_entries (subject, registered_at, hash);
  CREATE INDEX registry_own ON registry_entries (tenant_id, registered_at, hash);
  CREATE INDEX registry_own_kind ON registry_entries (tenant_id, kind, registered_at, hash);
  CREATE INDEX registry_own_name ON registry_entries (tenant_id, name_key);
  CREATE INDEX registry_open_tenant ON registry_entries (tenant_id, registered_at, hash)
    WHERE visibility <> 'tenant';
  CREATE INDEX registry_open_kind ON registry_entries (kind, registered_at, hash) WHERE visibility <> 'tenant';
  CREATE INDEX registry_open_name ON registry_entries (name_key) WHERE visibility <> 'tenant';
  CREATE INDEX registry_terms ON registry_entries USING gin (terms);
  CREATE INDEX registry_search ON registry_entries USING gin (search);
  ${isolateByTenant('registry_entries', ['SELECT', 'INSERT'], ['SELECT'])}
  -- What was said stays said: only how an entry ends, and how long it lives, ever changes.
  GRANT UPDATE (state, ended_at, expires_at, withdrawal) ON registry_entries TO ${app_role};

  CREATE TABLE endpoints_health (
    tenant_id text COLLATE "C" NOT NULL,
    entry text COLLATE "C" NOT NULL REFERENCES registry_entries (hash),
    url text COLLATE "C" NOT NULL,
    healthy boolean,
    health_bps integer CHECK (health_bps BETWEEN 0 AND 10000),
    latencies_ms integer[] NOT NULL DEFAULT '{}',
    latency_p50_ms integer,
    failures integer NOT NULL DEFAULT 0,
    fault text,
    checked_at timestamptz,
    next_probe_at timestamptz NOT NULL,
    PRIMARY KEY (entry, url)
  );
  CREATE INDEX endpoints_due ON endpoints_health (next_probe_at);
  ${isolateByTenant('endpoints_health', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], ['SELECT', 'UPDATE'])}
`

// Conditions are concatenated as text so that each query gets its own plan; values arrive as $1 to $4 only.
// The engine's role owns it and sees every row: visibility is decided here, before sorting or counting.
const findEntries = (verb: Verb, is_open: string): string => `
  ${verb} FUNCTION svc_find_entries(asked jsonb, found_max integer)
  RETURNS TABLE (hash text, registered_at timestamptz, bytes integer, rank integer)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $find$
  DECLARE
    reader text := current_setting('${tenant_setting}', true);
    wanted tsquery := replace(plainto_tsquery('english', coalesce(asked->>'need', ''))::text, ' & ', ' | ')::tsquery;
    places text := CASE WHEN asked ? 'need' THEN 'rank DESC, hash' ELSE 'registered_at, hash' END;
    conditions text := concat_ws(' AND ', 'true',
      CASE WHEN asked ? 'entry' THEN 'e.hash = $1->>''entry''' END,
      CASE WHEN asked ? 'subject' THEN 'e.subject = $1->>''subject''' END,
      CASE WHEN asked ? 'kind' THEN 'e.kind = $1->>''kind''' END,
      CASE WHEN asked ? 'tenant_id' THEN 'e.tenant_id = $1->>''tenant_id''' END,
      CASE WHEN asked ? 'name_prefix' THEN 'e.name_key ^@ ($1->>''name_prefix'')' END,
      CASE WHEN asked ? 'tag' THEN 'e.terms @> ARRAY[$1->>''tag'']' END,
      CASE WHEN asked ? 'any_term' THEN
        'e.terms && ARRAY(SELECT jsonb_array_elements_text($1->''any_term''))' END,
      CASE WHEN asked ? 'current' THEN 'e.ended_at IS NULL' END,
      CASE WHEN asked ? 'known_at' THEN 'e.registered_at <= ($1->>''known_at'')::timestamptz' END,
      CASE WHEN asked ? 'in_force_at' THEN 'e.registered_at <= ($1->>''in_force_at'')::timestamptz
        AND (e.ended_at IS NULL OR e.ended_at > ($1->>''in_force_at'')::timestamptz)' END,
      CASE WHEN asked ? 'live_at' THEN 'e.ended_at IS NULL
        AND (e.expires_at IS NULL OR e.expires_at > ($1->>''live_at'')::timestamptz)' END,
      CASE WHEN asked ? 'need' AND NOT asked ? 'any_term' THEN 'e.search @@ $4' END,
      CASE WHEN asked ? 'after_hash' THEN
        '(e.registered_at, e.hash) > (($1->>''after_at'')::timestamptz, $1->>''after_hash'')' END);
    one_side text := 'SELECT e.hash, e.registered_at, octet_length(e.body) AS bytes,
      floor(ts_rank(e.search, $4) * 1000000)::integer AS rank FROM registry_entries e WHERE ' || conditions;
    last_words text := ' ORDER BY ' || places || ' LIMIT $2)';
  BEGIN
    IF coalesce(reader, '') = '' THEN RETURN; END IF;
    RETURN QUERY EXECUTE concat('SELECT * FROM ((', one_side, ' AND e.tenant_id = $3', last_words,
      CASE WHEN NOT asked ? 'own_only' THEN concat(' UNION ALL (', one_side, ' AND e.tenant_id <> $3
        AND e.visibility <> ''tenant'' AND ${is_open.replaceAll("'", "''")}', last_words) END,
      ') found ORDER BY ', places)
    USING asked, found_max, reader, wanted;
  END $find$;
`

const open_entries = `
  -- Until there are treaties nobody is a partner; whoever brings them replaces this body.
  CREATE FUNCTION svc_are_partners(reader text, owner text) RETURNS boolean
    LANGUAGE sql STABLE AS 'SELECT false';
  CREATE FUNCTION svc_is_open(visibility text, owner text) RETURNS boolean LANGUAGE sql STABLE
    SET search_path = pg_catalog, public, pg_temp AS $open$
    SELECT coalesce(current_setting('${tenant_setting}', true), '') <> '' AND (visibility = 'public'
      OR (visibility = 'treaty' AND svc_are_partners(current_setting('${tenant_setting}', true), owner)))
  $open$;
  CREATE FUNCTION svc_health_of(wanted text) RETURNS jsonb LANGUAGE sql STABLE
    SET search_path = pg_catalog, public, pg_temp AS $health$
    SELECT coalesce(jsonb_object_agg(url, jsonb_build_object(
      'healthy', healthy, 'health_bps', health_bps, 'latency_p50_ms', latency_p50_ms)), '{}')
    FROM endpoints_health WHERE entry = wanted
  $health$;
`

const openEntries = (verb: Verb, is_open: string): string => `
  -- The second look: whatever was found, the entries of others leave only where they are open to the reader.
  ${verb} FUNCTION svc_open_entries(wanted text[])
  RETURNS TABLE (tenant_id text, hash text, kind text, subject text, version integer, previous text,
    visibility text, state text, body text, signature jsonb, registered_at timestamptz, ended_at timestamptz, expires_at timestamptz, health jsonb)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $entries$
    SELECT e.tenant_id, e.hash, e.kind, e.subject, e.version, e.previous, e.visibility, e.state, e.body,
      e.signature, e.registered_at, e.ended_at, e.expires_at, svc_health_of(e.hash)
    FROM registry_entries e
    WHERE e.hash = ANY(wanted) AND e.tenant_id <> coalesce(current_setting('${tenant_setting}', true), '')
      AND e.visibility <> 'tenant' AND ${is_open}
  $entries$;
`

/** Redefines which entries are open to a reader, by an SQL condition on `e`. The functions' owner stays. */
export function openEntriesBy(is_open: string): string {
  return `${findEntries('CREATE OR REPLACE', is_open)}${openEntries('CREATE OR REPLACE', is_open)}`
}

const by_visibility = 'svc_is_open(e.visibility, e.tenant_id)'

const definers = ['svc_find_entries(jsonb, integer)', 'svc_open_entries(text[])']

export const registry_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-70-registry',
    sql: `
      ${tables}
      ${open_entries}
      ${openEntries('CREATE', by_visibility)}
      ${findEntries('CREATE', by_visibility)}
      -- A new owner must be able to create where its functions live, but only while it becomes one.
      GRANT CREATE ON SCHEMA public TO ${engine_role};
      ${definers
        .map(
          (name) => `
      ALTER FUNCTION ${name} OWNER TO ${engine_role};
      REVOKE ALL ON FUNCTION ${name} FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION ${name} TO ${app_role};`,
        )
        .join('')}
      REVOKE CREATE ON SCHEMA public FROM ${engine_role};
    `,
  },
  {
    name: '2026-11-17-26-registered-models',
    sql: `
      ALTER TABLE registry_entries DROP CONSTRAINT registry_entries_kind_check;
      ALTER TABLE registry_entries ADD CONSTRAINT registry_entries_kind_check
        CHECK (kind IN (${quoted([...first_kinds, 'model'])}));
    `,
  },
  {
    name: '2026-11-18-26-registered-artifacts',
    sql: `
      ALTER TABLE registry_entries DROP CONSTRAINT registry_entries_kind_check;
      ALTER TABLE registry_entries ADD CONSTRAINT registry_entries_kind_check
        CHECK (kind IN (${quoted([...first_kinds, 'model', 'artifact'])}));
    `,
  },
]

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ')
}
