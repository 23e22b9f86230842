// The tables of the call history. Only the engine writes; a tenant reads its own rows, the operator's organization all.
import { app_role, isolateByTenant, type Migration } from '@svc/database/migration'

function seenByOperator(table: string): string {
  return `CREATE POLICY ${table}_seen_by_operator ON ${table} FOR SELECT TO ${app_role}
    USING ((SELECT svc_is_operator()));`
}

const names = `
  CREATE TABLE call_names (
    tenant_id text COLLATE "C" NOT NULL,
    name_id uuid NOT NULL,
    -- Empty where a call has none, or more names were used at a time than are kept apart.
    protocol text COLLATE "C" NOT NULL,
    operation text COLLATE "C" NOT NULL,
    caller_did text COLLATE "C" NOT NULL,
    envelope_id text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    code text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL,
    seen_on date NOT NULL,
    PRIMARY KEY (tenant_id, name_id)
  );
  CREATE INDEX call_names_by_age ON call_names (seen_on);
  ${isolateByTenant('call_names', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
  ${seenByOperator('call_names')}
`

const sums = `
  CREATE TABLE call_sums (
    tenant_id text COLLATE "C" NOT NULL,
    -- Seconds a row covers.
    resolution integer NOT NULL CHECK (resolution IN (60, 300, 3600)),
    at timestamptz NOT NULL,
    name_id uuid NOT NULL,
    calls bigint NOT NULL,
    quanta numeric NOT NULL,
    -- Calls by latency; empty where none is timed.
    buckets integer[] NOT NULL,
    PRIMARY KEY (tenant_id, resolution, at, name_id)
  ) WITH (fillfactor = 70);
  CREATE INDEX call_sums_by_age ON call_sums (resolution, at);
  ${isolateByTenant('call_sums', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
  ${seenByOperator('call_sums')}
`

export const history_migrations: readonly Migration[] = [
  { name: '2026-11-27-11-call-history', sql: `${names}${sums}` },
]
