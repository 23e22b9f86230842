// The treasury's tables. Decisions are appended and never rewritten: the application may only end them.
import { app_role, engine_role, isolateByTenant, type Migration } from '@svc/database/migration'

const envelopes = `
  CREATE TABLE envelopes (
    tenant_id text COLLATE "C" NOT NULL,
    envelope_id uuid NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    department text COLLATE "C" NOT NULL,
    state text NOT NULL CHECK (state IN ('ACTIVE', 'CLOSED')),
    day_limit_micro_usd numeric(38, 0) NOT NULL CHECK (day_limit_micro_usd >= 0),
    month_limit_micro_usd numeric(38, 0) NOT NULL CHECK (month_limit_micro_usd >= day_limit_micro_usd),
    granted text[] NOT NULL,
    authority text NOT NULL,
    allocated_by text NOT NULL,
    created_at timestamptz NOT NULL,
    effective_at timestamptz NOT NULL,
    -- When the next version took its place.
    ended_at timestamptz,
    PRIMARY KEY (tenant_id, envelope_id, version)
  );
  CREATE UNIQUE INDEX envelopes_current ON envelopes (tenant_id, envelope_id) WHERE ended_at IS NULL;
  CREATE UNIQUE INDEX envelopes_active ON envelopes (tenant_id, department)
    WHERE ended_at IS NULL AND state = 'ACTIVE';
  ${isolateByTenant('envelopes', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (ended_at) ON envelopes TO ${app_role};

  CREATE TABLE envelope_members (
    tenant_id text COLLATE "C" NOT NULL,
    envelope_id uuid NOT NULL,
    version integer NOT NULL,
    did text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, envelope_id, version, did),
    FOREIGN KEY (tenant_id, envelope_id, version) REFERENCES envelopes
  );
  ${isolateByTenant('envelope_members', ['SELECT', 'INSERT'], ['SELECT'])}

  CREATE TABLE throttles (
    tenant_id text COLLATE "C" NOT NULL,
    throttle_id uuid NOT NULL,
    envelope_id uuid NOT NULL,
    rules jsonb NOT NULL,
    set_by text NOT NULL,
    in_force_from timestamptz NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (tenant_id, throttle_id)
  );
  CREATE UNIQUE INDEX throttles_current ON throttles (tenant_id, envelope_id) WHERE ended_at IS NULL;
  ${isolateByTenant('throttles', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (ended_at) ON throttles TO ${app_role};
`

const holds = `
  CREATE TABLE holds (
    tenant_id text COLLATE "C" NOT NULL,
    hold_id uuid NOT NULL,
    scope text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    placed_by text NOT NULL,
    placed_at timestamptz NOT NULL,
    until timestamptz NOT NULL CHECK (until > placed_at),
    released_at timestamptz,
    released_by text,
    PRIMARY KEY (tenant_id, hold_id)
  );
  CREATE INDEX holds_live ON holds (tenant_id, until) WHERE released_at IS NULL;
  CREATE INDEX holds_due ON holds (until) WHERE released_at IS NULL;
  ${isolateByTenant('holds', ['SELECT', 'INSERT'], ['SELECT', 'UPDATE'])}
  GRANT UPDATE (released_at, released_by) ON holds TO ${app_role};

  CREATE TABLE runway_state (
    tenant_id text COLLATE "C" PRIMARY KEY,
    level text NOT NULL CHECK (level IN ('ample', 'low', 'critical', 'exhausted')),
    -- The worst that anybody was told of since money last came in.
    told text NOT NULL CHECK (told IN ('ample', 'low', 'critical', 'exhausted')),
    full_micro_usd numeric(38, 0) NOT NULL,
    paid_in_micro_usd numeric(38, 0) NOT NULL,
    credit_line_micro_usd numeric(38, 0),
    noted_at timestamptz NOT NULL
  );
  ${isolateByTenant('runway_state', [], ['SELECT', 'INSERT', 'UPDATE'])}
`

const procurement = `
  CREATE TABLE profiles (
    tenant_id text COLLATE "C" NOT NULL,
    did text COLLATE "C" NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    profile jsonb NOT NULL,
    set_by text NOT NULL,
    set_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, did, version)
  );
  ${isolateByTenant('profiles', ['SELECT', 'INSERT'], ['SELECT'])}

  CREATE TABLE lots (
    tenant_id text COLLATE "C" NOT NULL,
    lot_id uuid NOT NULL,
    solicitor_did text COLLATE "C" NOT NULL,
    task text NOT NULL,
    capability text NOT NULL,
    asset_id text NOT NULL,
    reserve_price numeric(38, 0) NOT NULL CHECK (reserve_price >= 0),
    visibility text NOT NULL CHECK (visibility IN ('tenant', 'treaty')),
    opened_at timestamptz NOT NULL,
    closes_at timestamptz NOT NULL CHECK (closes_at > opened_at),
    state text NOT NULL CHECK (state IN ('OPEN', 'AWARDED', 'CANCELLED', 'EXPIRED')),
    bids_made integer NOT NULL DEFAULT 0,
    winning_seq integer,
    clearing_price numeric(38, 0) CHECK (clearing_price <= reserve_price),
    contract_id text,
    CHECK ((state = 'AWARDED') = (winning_seq IS NOT NULL AND clearing_price IS NOT NULL)),
    PRIMARY KEY (tenant_id, lot_id)
  );
  CREATE INDEX lots_due ON lots (closes_at) WHERE state = 'OPEN';
  CREATE INDEX lots_open ON lots (tenant_id, closes_at, lot_id) WHERE state = 'OPEN';
  ${isolateByTenant('lots', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (state, bids_made, winning_seq, clearing_price, contract_id) ON lots TO ${app_role};
  GRANT UPDATE (state, winning_seq, clearing_price) ON lots TO ${engine_role};

  CREATE TABLE bids (
    tenant_id text COLLATE "C" NOT NULL,
    lot_id uuid NOT NULL,
    seq integer NOT NULL CHECK (seq >= 1),
    bid_id uuid NOT NULL,
    bidder_did text COLLATE "C" NOT NULL,
    price numeric(38, 0) NOT NULL CHECK (price >= 0),
    eta_seconds integer NOT NULL,
    valid_until timestamptz,
    treaty_id text,
    salt text NOT NULL,
    commitment text NOT NULL,
    submitted_at timestamptz NOT NULL,
    -- When it was withdrawn, or another of the same bidder took its place.
    ended_at timestamptz,
    PRIMARY KEY (tenant_id, lot_id, seq),
    FOREIGN KEY (tenant_id, lot_id) REFERENCES lots
  );
  CREATE UNIQUE INDEX bids_live ON bids (tenant_id, lot_id, bidder_did) WHERE ended_at IS NULL;
  ${isolateByTenant('bids', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (ended_at) ON bids TO ${app_role};
`

export const mana_migrations: readonly Migration[] = [
  { name: '2026-11-15-95-treasury', sql: `${envelopes}${holds}${procurement}` },
  {
    // Lists start with the newest.
    name: '2026-11-20-22-treasury-lists',
    sql: `
      CREATE INDEX envelopes_of_tenant ON envelopes (tenant_id, created_at, envelope_id) WHERE ended_at IS NULL;
      CREATE INDEX holds_of_tenant ON holds (tenant_id, placed_at, hold_id);
    `,
  },
]
