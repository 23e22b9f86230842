// The metric tables. Only the engine writes; a tenant reads its own rows, the operator's organization all.
import { app_role, engine_role, isolateByTenant, type Migration } from '@svc/database/migration'

const is_operator = '(SELECT svc_is_operator())'

function seenByOperator(table: string): string {
  return `CREATE POLICY ${table}_seen_by_operator ON ${table} FOR SELECT TO ${app_role} USING (${is_operator});`
}

const series = `
  CREATE TABLE metric_series (
    tenant_id text COLLATE "C" NOT NULL,
    series_id bigint GENERATED ALWAYS AS IDENTITY,
    -- sha256 of kind, name and labels: labels may be longer than an index takes.
    key bytea NOT NULL CHECK (octet_length(key) = 32),
    name text COLLATE "C" NOT NULL,
    labels jsonb NOT NULL,
    kind text NOT NULL CHECK (kind IN ('counter', 'gauge', 'histogram')),
    -- Emitted by the tenant; only so many of these may live at once.
    own boolean NOT NULL,
    bounds double precision[],
    -- Of a counter or histogram: the total it has come to.
    total double precision NOT NULL DEFAULT 0,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, series_id)
  ) WITH (fillfactor = 70);
  CREATE UNIQUE INDEX metric_series_key ON metric_series (tenant_id, key);
  CREATE INDEX metric_series_named ON metric_series (name, tenant_id);
  ${isolateByTenant('metric_series', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
  ${seenByOperator('metric_series')}
`

const points = `
  CREATE TABLE metric_point (
    tenant_id text COLLATE "C" NOT NULL,
    series_id bigint NOT NULL,
    -- Seconds a point covers: 10, 300 or 3600.
    resolution integer NOT NULL CHECK (resolution IN (10, 300, 3600)),
    at timestamptz NOT NULL,
    -- What a counter grew by; the sum of what a gauge showed or a histogram was given.
    value double precision NOT NULL,
    count double precision NOT NULL,
    max double precision,
    last double precision NOT NULL,
    last_at timestamptz NOT NULL,
    buckets double precision[],
    PRIMARY KEY (tenant_id, series_id, resolution, at)
  ) WITH (fillfactor = 70);
  CREATE INDEX metric_point_by_age ON metric_point (resolution, at);
  ${isolateByTenant('metric_point', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
  ${seenByOperator('metric_point')}

  -- How far each process has come in telling what it measured, so that what is told twice counts once.
  CREATE TABLE metric_sources (
    source uuid PRIMARY KEY,
    batch bigint NOT NULL,
    told_at timestamptz NOT NULL
  );
  GRANT SELECT, INSERT, UPDATE, DELETE ON metric_sources TO ${engine_role};
`

export const metric_migrations: readonly Migration[] = [
  { name: '2026-11-18-20-metrics', sql: `${series}${points}` },
]

export const metric_min_migrations: readonly Migration[] = [
  {
    name: '2026-12-02-29-metric-min',
    sql: `
      -- Null for what was stored before, and where single values are not known.
      ALTER TABLE metric_point ADD COLUMN min double precision;
      -- The names a tenant has.
      CREATE INDEX metric_series_of_tenant ON metric_series (tenant_id, name);
    `,
  },
]
