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

/**
 * What counts for a source: only forecasts locked before their question was resolved. Outcomes that were merely reported before
 * questions existed stay in mata_outcomes and in the sums of mata_sources, and weigh nothing.
 */
const scores = `
  CREATE TABLE mata_scores (
    tenant_id text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    question_id uuid NOT NULL,
    topic text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('binary', 'categories', 'quantity')),
    forecast jsonb NOT NULL,
    outcome double precision NOT NULL,
    at timestamptz NOT NULL,
    share double precision NOT NULL CHECK (share > 0 AND share <= 1),
    loss double precision NOT NULL CHECK (loss BETWEEN 0 AND 1),
    brier double precision CHECK (brier BETWEEN 0 AND 2),
    log_loss double precision CHECK (log_loss >= 0),
    crps double precision CHECK (crps >= 0),
    quantile_loss double precision CHECK (quantile_loss >= 0),
    PRIMARY KEY (tenant_id, source, question_id)
  );
  CREATE INDEX mata_scores_newest ON mata_scores (tenant_id, source, at DESC, question_id DESC);
  CREATE INDEX mata_scores_of_topic ON mata_scores (tenant_id, topic, at DESC);
  CREATE INDEX mata_scores_by_time ON mata_scores (tenant_id, at DESC);
  ${isolateByTenant('mata_scores', ['SELECT', 'INSERT'], ['SELECT'])}
  -- Sums over the scores of a source, each counting double what one of a half-life before does; topic * is all of them.
  CREATE TABLE mata_records (
    tenant_id text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    n bigint NOT NULL,
    mass double precision NOT NULL,
    loss_sum double precision NOT NULL,
    PRIMARY KEY (tenant_id, topic, source)
  );
  ${isolateByTenant('mata_records', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (n, mass, loss_sum) ON mata_records TO ${app_role};
`

export const score_migrations: readonly Migration[] = [{ name: '2026-11-28-01-scores', sql: scores }]

/** How a loss compares with those of others on the same question; what was scored before it was compared weighs nothing. */
const compared = `
  ALTER TABLE mata_scores ADD COLUMN excess double precision CHECK (excess BETWEEN -1 AND 1);
  ALTER TABLE mata_records ADD COLUMN n_compared bigint NOT NULL DEFAULT 0,
    ADD COLUMN excess_sum double precision NOT NULL DEFAULT 0,
    ADD COLUMN difference_sum double precision NOT NULL DEFAULT 0;
  GRANT UPDATE (n_compared, excess_sum, difference_sum) ON mata_records TO ${app_role};
`

/** What is pooled is content: sealed from now on, and what was stored readable before is removed. */
const sealed_pools = `
  ALTER TABLE mata_pools ADD COLUMN sealed bytea,
    ALTER COLUMN asked DROP NOT NULL, ALTER COLUMN found DROP NOT NULL;
  ALTER TABLE mata_pools NO FORCE ROW LEVEL SECURITY;
  UPDATE mata_pools SET asked = NULL, found = NULL;
  ALTER TABLE mata_pools FORCE ROW LEVEL SECURITY;
`

export const compared_score_migrations: readonly Migration[] = [
  { name: '2026-12-05-78-compared-scores', sql: compared },
  { name: '2026-12-05-79-sealed-pools', sql: sealed_pools },
]

export const mata_migrations: readonly Migration[] = [
  { name: '2026-11-17-40-opinions', sql: `${outcomes}${sources}${pools}` },
]
