// Outcomes are append-only; running sums are kept beside them, so that a pool need not read them all.
import { app_role, isolateByTenant, type Migration } from '@svc/database/migration'

const outcomes = `
  CREATE TABLE mata_outcomes (
    tenant_id text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    outcome_id text COLLATE "C" NOT NULL,
    forecast jsonb NOT NULL,
    outcome jsonb NOT NULL,
    at timestamptz NOT NULL,
    brier double precision NOT NULL CHECK (brier BETWEEN 0 AND 1),
    log_loss double precision NOT NULL CHECK (log_loss >= 0),
    reported_by text COLLATE "C" NOT NULL,
    reported_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, source, topic, outcome_id)
  );
  CREATE INDEX mata_outcomes_newest ON mata_outcomes (tenant_id, source, at DESC, outcome_id DESC);
  CREATE INDEX mata_outcomes_of_topic ON mata_outcomes (tenant_id, topic, at DESC);
  CREATE INDEX mata_outcomes_by_time ON mata_outcomes (tenant_id, at DESC);
  ${isolateByTenant('mata_outcomes', ['SELECT', 'INSERT'], ['SELECT'])}
`

const sources = `
  -- Sums over the outcomes of a source, each counting double what one of a half-life before does; topic * is all of them.
  CREATE TABLE mata_sources (
    tenant_id text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    n bigint NOT NULL DEFAULT 0,
    mass double precision NOT NULL DEFAULT 0,
    brier_sum double precision NOT NULL DEFAULT 0,
    log_sum double precision NOT NULL DEFAULT 0,
    manual_weight double precision CHECK (manual_weight BETWEEN 0 AND 1),
    authority text,
    PRIMARY KEY (tenant_id, topic, source)
  );
  ${isolateByTenant('mata_sources', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (n, mass, brier_sum, log_sum, manual_weight, authority) ON mata_sources TO ${app_role};
`

const pools = `
  CREATE TABLE mata_pools (
    tenant_id text COLLATE "C" NOT NULL,
    pool_id text COLLATE "C" NOT NULL,
    asked jsonb NOT NULL,
    found jsonb NOT NULL,
    pooled_by text COLLATE "C" NOT NULL,
    pooled_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, pool_id)
  );
  ${isolateByTenant('mata_pools', ['SELECT', 'INSERT'], ['SELECT'])}
`

export const mata_migrations: readonly Migration[] = [
  { name: '2026-11-17-40-opinions', sql: `${outcomes}${sources}${pools}` },
]
