// Tables of patterns, their measured frequencies, and the policies proposed from them.
import { isolateByTenant, type Migration } from '@svc/database/migration'

const patterns = `
  CREATE TABLE patterns (
    tenant_id text COLLATE "C" NOT NULL,
    pattern_id text COLLATE "C" NOT NULL,
    body text NOT NULL,
    first_surfaced_at timestamptz NOT NULL,
    surfaced_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, pattern_id)
  );
  ${isolateByTenant('patterns', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (surfaced_at) ON patterns TO svc_app;

  CREATE TABLE pattern_support (
    tenant_id text COLLATE "C" NOT NULL,
    pattern_id text COLLATE "C" NOT NULL,
    -- Of the head and of what was asked: the same question at the same head is one answer.
    surfacing text COLLATE "C" NOT NULL,
    surfaced_at timestamptz NOT NULL,
    window_days integer NOT NULL CHECK (window_days > 0),
    head text NOT NULL,
    recurrences integer NOT NULL CHECK (recurrences > 0),
    consistency_bps integer NOT NULL CHECK (consistency_bps BETWEEN 0 AND 10000),
    lift bigint NOT NULL CHECK (lift >= 0),
    first_seen timestamptz NOT NULL,
    last_seen timestamptz NOT NULL,
    exemplars text[] NOT NULL,
    counterexamples text[] NOT NULL,
    PRIMARY KEY (tenant_id, pattern_id, surfacing),
    FOREIGN KEY (tenant_id, pattern_id) REFERENCES patterns
  );
  CREATE INDEX pattern_support_newest ON pattern_support (tenant_id, pattern_id, surfaced_at);
  ${isolateByTenant('pattern_support', ['SELECT', 'INSERT'], ['SELECT'])}
`

const proposals = `
  CREATE TABLE proposals (
    tenant_id text COLLATE "C" NOT NULL,
    proposal_id text COLLATE "C" NOT NULL,
    pattern_id text COLLATE "C" NOT NULL,
    policy_id text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    policy_body text NOT NULL,
    active_from timestamptz NOT NULL,
    digest text COLLATE "C" NOT NULL,
    target text COLLATE "C" NOT NULL,
    motion_id uuid,
    backtest text NOT NULL,
    proposed_by text COLLATE "C" NOT NULL,
    proposed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, proposal_id),
    FOREIGN KEY (tenant_id, pattern_id) REFERENCES patterns
  );
  CREATE INDEX proposals_of_pattern ON proposals (tenant_id, pattern_id, proposed_at);
  ${isolateByTenant('proposals', ['SELECT', 'INSERT'], ['SELECT'])}
`

export const pattern_migrations: readonly Migration[] = [
  { name: '2026-11-16-60-patterns', sql: patterns },
  { name: '2026-11-16-61-proposals', sql: proposals },
]
