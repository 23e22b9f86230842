// A tenant's tool servers, approvals and call statistics. Tool definitions are stored sealed.
import { app_role, isolateByTenant, type Migration } from '@svc/database/migration'

const servers = `
  CREATE TABLE mat_servers (
    tenant_id text COLLATE "C" NOT NULL,
    server_id text COLLATE "C" NOT NULL,
    transport text NOT NULL CHECK (transport IN ('http', 'stdio')),
    url text,
    command_ref text,
    headers_secret_ref text,
    -- Null where all of its tools may be approved.
    allowed_tools text[],
    state text NOT NULL CHECK (state IN ('active', 'disabled')),
    registered_by text COLLATE "C" NOT NULL,
    registered_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, server_id),
    CHECK ((transport = 'http') = (url IS NOT NULL) AND (transport = 'stdio') = (command_ref IS NOT NULL))
  );
  ${isolateByTenant('mat_servers', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
`

const tools = `
  CREATE TABLE mat_tools (
    tenant_id text COLLATE "C" NOT NULL,
    server_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    state text NOT NULL CHECK (state IN ('approved', 'quarantined', 'disabled')),
    -- What was approved last: its digest, and the definition under the tenant's key. Null where nothing ever was.
    schema_hash text,
    definition bytea,
    decided_by text COLLATE "C" NOT NULL,
    decided_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, server_id, name),
    FOREIGN KEY (tenant_id, server_id) REFERENCES mat_servers (tenant_id, server_id),
    CHECK (state <> 'approved' OR (schema_hash IS NOT NULL AND definition IS NOT NULL))
  );
  ${isolateByTenant('mat_tools', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
`

const calls = `
  CREATE TABLE mat_calls (
    tenant_id text COLLATE "C" NOT NULL,
    -- The audit record of the call.
    call_id uuid NOT NULL,
    tool_id text COLLATE "C" NOT NULL,
    caller_did text COLLATE "C" NOT NULL,
    begun_at timestamptz NOT NULL,
    -- What the commitment to the arguments in the book was made with; forgotten with the row.
    args_salt bytea NOT NULL,
    -- Null while nobody knows how it ended.
    outcome text CHECK (outcome IN ('ok', 'tool_error', 'refused', 'failed', 'timeout')),
    latency_ms integer CHECK (latency_ms >= 0),
    -- Of the caller and the key it asked under; null without one.
    key_hash text COLLATE "C",
    -- False once it is known that nothing was performed.
    may_be_done boolean NOT NULL DEFAULT true,
    PRIMARY KEY (tenant_id, call_id)
  );
  CREATE INDEX mat_calls_by_key ON mat_calls (tenant_id, key_hash, begun_at) WHERE key_hash IS NOT NULL;
  CREATE INDEX mat_calls_of_tool ON mat_calls (tenant_id, tool_id, begun_at DESC, call_id DESC);
  ${isolateByTenant('mat_calls', ['SELECT', 'INSERT', 'DELETE'], ['SELECT'])}
  GRANT UPDATE (outcome, latency_ms, may_be_done) ON mat_calls TO ${app_role};
`

const approval_of_calls = `
  -- Who must consent to each call; null where nobody must.
  ALTER TABLE mat_tools ADD COLUMN approval text;
`

const a2a_servers = `
  ALTER TABLE mat_servers DROP CONSTRAINT mat_servers_transport_check, DROP CONSTRAINT mat_servers_check,
    ADD CONSTRAINT mat_servers_transport_check CHECK (transport IN ('http', 'stdio', 'a2a')),
    ADD CONSTRAINT mat_servers_check CHECK ((transport = 'stdio') = (url IS NULL)
      AND (transport = 'stdio') = (command_ref IS NOT NULL));
`

const own_calls = `
  -- To delete calls of the callers' own functions a day after they began.
  CREATE INDEX mat_calls_own ON mat_calls (tenant_id, begun_at) WHERE tool_id LIKE 'own:%';
`

export const own_call_migrations: readonly Migration[] = [{ name: '2026-11-27-01-own-calls', sql: own_calls }]

export const a2a_server_migrations: readonly Migration[] = [
  { name: '2026-11-26-61-a2a-servers', sql: a2a_servers },
]

/** Later than others that it does not depend on. */
export const tool_approval_migrations: readonly Migration[] = [
  { name: '2026-11-23-41-tool-approvals', sql: approval_of_calls },
]

export const tool_migrations: readonly Migration[] = [
  { name: '2026-11-18-30-tools', sql: `${servers}${tools}${calls}` },
]
