// Actions, the supervisor of each, and how each ended.
import { isolateByTenant, type Migration } from '@svc/database/migration'

export const action_migrations: readonly Migration[] = [
  {
    name: '2026-11-18-50-maker-actions',
    sql: `
      CREATE TABLE maker_action (
        tenant_id text NOT NULL,
        action_id text NOT NULL,
        action_kind text NOT NULL,
        owner_did text NOT NULL,
        device_id text,
        state text NOT NULL,
        ask bytea NOT NULL,
        acting bytea NOT NULL,
        stop_token text NOT NULL,
        irreversible boolean NOT NULL,
        risk_ref text,
        authority text,
        grace_ms integer NOT NULL,
        correlation_id text NOT NULL,
        created_at timestamptz NOT NULL,
        deadline_at timestamptz NOT NULL,
        started_at timestamptz,
        ended_at timestamptz,
        supervisor text,
        host text,
        process_group integer,
        heartbeat_at timestamptz,
        stop_ref text,
        stop_mode text CHECK (stop_mode IN ('graceful', 'immediate')),
        how text,
        error_code text,
        output bytea,
        PRIMARY KEY (tenant_id, action_id),
        UNIQUE (tenant_id, stop_token)
      );
      CREATE INDEX maker_action_open ON maker_action (tenant_id) WHERE ended_at IS NULL;
      CREATE INDEX maker_action_waiting ON maker_action (created_at) WHERE state = 'authorised';
      CREATE INDEX maker_action_beat ON maker_action (heartbeat_at) WHERE ended_at IS NULL;
      ${isolateByTenant('maker_action', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'UPDATE'])}
    `,
  },
]

/** For lists, newest first. */
export const action_list_migrations: readonly Migration[] = [
  {
    name: '2026-12-05-10-maker-lists',
    sql: 'CREATE INDEX maker_action_age ON maker_action (tenant_id, created_at, action_id);',
  },
]
