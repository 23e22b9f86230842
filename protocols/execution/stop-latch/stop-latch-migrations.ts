// The emergency stop as a row, read in the transaction that commits an intent.
import { isolateByTenant, type Migration } from '@svc/database/migration'

export const stop_latch_migrations: readonly Migration[] = [
  {
    name: '2026-11-18-01-stop-latch',
    sql: `
      CREATE TABLE stop_latch (
        tenant_id text NOT NULL,
        scope text NOT NULL CHECK (scope IN ('action', 'agent', 'device', 'tenant')),
        scope_id text NOT NULL,
        epoch bigint NOT NULL,
        is_set boolean NOT NULL,
        stop_ref text NOT NULL,
        set_by text NOT NULL,
        set_at timestamptz NOT NULL,
        cleared_at timestamptz,
        PRIMARY KEY (tenant_id, scope, scope_id)
      );
      ${isolateByTenant('stop_latch', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'INSERT', 'UPDATE'])}
    `,
  },
]
