import { isolateByTenant, type Migration } from '@svc/database/migration'

const risks = `
  -- What was found stays, for whoever has to decide by it; what was asked only where that was wanted.
  CREATE TABLE mare_risks (
    tenant_id text COLLATE "C" NOT NULL,
    risk_id text COLLATE "C" NOT NULL,
    subject text NOT NULL,
    found jsonb NOT NULL,
    asked jsonb,
    scored_by text COLLATE "C" NOT NULL,
    scored_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, risk_id)
  );
  ${isolateByTenant('mare_risks', ['SELECT', 'INSERT'], ['SELECT'])}
`

export const mare_migrations: readonly Migration[] = [{ name: '2026-11-17-46-risks', sql: risks }]

/** What is scored and why is content: sealed from now on, and what was stored readable before is removed but for the score. */
const sealed_risks = `
  ALTER TABLE mare_risks ADD COLUMN score double precision, ADD COLUMN sealed bytea,
    ALTER COLUMN subject DROP NOT NULL, ALTER COLUMN found DROP NOT NULL;
  ALTER TABLE mare_risks NO FORCE ROW LEVEL SECURITY;
  UPDATE mare_risks SET score = (found ->> 'score')::float8, subject = NULL, found = NULL, asked = NULL;
  ALTER TABLE mare_risks FORCE ROW LEVEL SECURITY;
`

export const sealed_risk_migrations: readonly Migration[] = [
  { name: '2026-12-05-81-sealed-risks', sql: sealed_risks },
]
