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
