// Credentials with their state, and the published status bits. Their text is sealed content.
import { app_role, isolateByTenant, type Migration } from '@svc/database/migration'

const credentials = `
  CREATE TABLE merit_status_lists (
    tenant_id text COLLATE "C" NOT NULL,
    purpose text COLLATE "C" NOT NULL CHECK (purpose IN ('revocation', 'suspension')),
    list_no integer NOT NULL CHECK (list_no > 0),
    bits bytea NOT NULL CHECK (octet_length(bits) = 16384),
    -- Places given out.
    issued integer NOT NULL CHECK (issued >= 0),
    -- Where the registry has the signed list.
    registered text COLLATE "C" NOT NULL,
    signed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, purpose, list_no)
  );
  CREATE TABLE merit_credentials (
    tenant_id text COLLATE "C" NOT NULL,
    credential_id uuid NOT NULL,
    subject_did text COLLATE "C" NOT NULL,
    issuer_did text COLLATE "C" NOT NULL,
    evaluation_ref text COLLATE "C" NOT NULL,
    list_no integer NOT NULL,
    list_index integer NOT NULL CHECK (list_index BETWEEN 0 AND 131071),
    issued_at timestamptz NOT NULL,
    valid_until timestamptz NOT NULL,
    revoked_at timestamptz,
    revoked_by jsonb,
    suspended_at timestamptz,
    suspended_until timestamptz,
    suspended_by jsonb,
    -- Whether its bit is set in the list of suspensions now.
    is_suspended boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, credential_id),
    UNIQUE (tenant_id, list_no, list_index),
    CHECK ((revoked_at IS NULL) = (revoked_by IS NULL)),
    CHECK (NOT is_suspended OR suspended_until IS NOT NULL)
  );
  CREATE INDEX merit_credentials_suspended ON merit_credentials (tenant_id, suspended_until) WHERE is_suspended;
  ${isolateByTenant('merit_status_lists', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (bits, issued, registered, signed_at) ON merit_status_lists TO ${app_role};
  ${isolateByTenant('merit_credentials', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (revoked_at, revoked_by, suspended_at, suspended_until, suspended_by, is_suspended)
    ON merit_credentials TO ${app_role};
  -- Revocation is one-way: a row that says so is not written again.
  CREATE POLICY merit_credentials_revoked_for_good ON merit_credentials AS RESTRICTIVE FOR UPDATE TO ${app_role}
    USING (revoked_at IS NULL) WITH CHECK (true);
`

const concerns = `
  CREATE TABLE merit_concerns (
    tenant_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('duty', 'harm')),
    text text NOT NULL,
    words text[] NOT NULL,
    set_by text COLLATE "C" NOT NULL,
    set_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, name)
  );
  ${isolateByTenant('merit_concerns', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], ['SELECT'])}
`

export const merit_concern_migrations: readonly Migration[] = [
  { name: '2026-11-27-41-merit-concerns', sql: concerns },
]

export const merit_migrations: readonly Migration[] = [
  { name: '2026-11-17-60-merit-credentials', sql: credentials },
  {
    name: '2026-11-20-24-merit-credentials-listed',
    sql: 'CREATE INDEX merit_credentials_of_tenant ON merit_credentials (tenant_id, issued_at, credential_id);',
  },
]
