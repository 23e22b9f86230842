// Questions and forecasts of them. No words are here: statements and categories are sealed content.
import { app_role, isolateByTenant, type Migration } from '@svc/database/migration'

const questions = `
  CREATE TABLE mantic_questions (
    tenant_id text COLLATE "C" NOT NULL,
    question_id uuid NOT NULL,
    topic text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('binary', 'categories', 'quantity')),
    low double precision,
    high double precision,
    opened_by text COLLATE "C" NOT NULL,
    opened_at timestamptz NOT NULL,
    resolver_did text COLLATE "C" NOT NULL,
    resolver_root text COLLATE "C" NOT NULL,
    -- The charter's verdict that lets the resolver be of one root with forecasters.
    authority text,
    locks_at timestamptz NOT NULL,
    forecasts integer NOT NULL DEFAULT 0,
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved', 'void')),
    outcome double precision,
    known_at timestamptz,
    counted integer,
    citation_id text COLLATE "C",
    source_ref text COLLATE "C",
    resolved_at timestamptz,
    PRIMARY KEY (tenant_id, question_id)
  );
  CREATE INDEX mantic_questions_newest ON mantic_questions (tenant_id, opened_at DESC, question_id DESC);
  ${isolateByTenant('mantic_questions', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (forecasts, status, outcome, known_at, counted, citation_id, source_ref, resolved_at)
    ON mantic_questions TO ${app_role};
`

const forecasts = `
  CREATE TABLE mantic_forecasts (
    tenant_id text COLLATE "C" NOT NULL,
    question_id uuid NOT NULL,
    forecaster text COLLATE "C" NOT NULL,
    -- At the time of the forecast.
    root text COLLATE "C" NOT NULL,
    forecast jsonb NOT NULL,
    submitted_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, question_id, forecaster)
  );
  CREATE INDEX mantic_forecasts_of_root ON mantic_forecasts (tenant_id, question_id, root);
  ${isolateByTenant('mantic_forecasts', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (root, forecast, submitted_at) ON mantic_forecasts TO ${app_role};
`

const uploads = `
  -- Removed a day after they were begun.
  CREATE TABLE mantic_uploads (
    tenant_id text COLLATE "C" NOT NULL,
    upload_id uuid NOT NULL,
    part integer NOT NULL,
    uploaded_by text COLLATE "C" NOT NULL,
    begun_at timestamptz NOT NULL,
    forecasts integer NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (tenant_id, upload_id, part)
  );
  CREATE INDEX mantic_uploads_of_caller ON mantic_uploads (tenant_id, uploaded_by);
  ${isolateByTenant('mantic_uploads', ['SELECT', 'INSERT', 'DELETE'], ['SELECT'])}
  GRANT UPDATE (forecasts, sealed) ON mantic_uploads TO ${app_role};
`

export const question_migrations: readonly Migration[] = [
  { name: '2026-11-28-02-questions', sql: `${questions}${forecasts}${uploads}` },
]

const changes = `
  -- What a forecaster said before, each with its time: an outcome may have been known before the last change.
  ALTER TABLE mantic_forecasts ADD COLUMN earlier jsonb NOT NULL DEFAULT '[]';
  GRANT UPDATE (earlier) ON mantic_forecasts TO ${app_role};
`

export const forecast_change_migrations: readonly Migration[] = [
  { name: '2026-12-03-10-changed-forecasts', sql: changes },
]
