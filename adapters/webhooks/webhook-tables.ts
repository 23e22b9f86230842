// Webhooks: where they are sent, how far each is in its organization's audit log, and how its deliveries went.
import { isolateByTenant, type Migration } from '@svc/database/migration'

export const webhook_migrations: readonly Migration[] = [
  {
    name: '2026-11-26-40-webhooks',
    sql: `
      CREATE TABLE webhooks (
        tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
        name text COLLATE "C" NOT NULL,
        address text NOT NULL,
        event_types text[] NOT NULL CHECK (cardinality(event_types) BETWEEN 1 AND 32),
        sealed_secret bytea NOT NULL,
        wrapped_key bytea NOT NULL,
        set_by text NOT NULL,
        set_at timestamptz NOT NULL,
        -- The last record that was delivered or did not concern it.
        seq bigint NOT NULL CHECK (seq >= 0),
        last_delivered_at timestamptz,
        waiting_since timestamptz,
        failures integer NOT NULL DEFAULT 0,
        failing_since timestamptz,
        last_failure text,
        next_at timestamptz,
        stopped_at timestamptz,
        -- Who delivers now, by the clock of the database, and when it last had its turn.
        taken_by uuid,
        taken_until timestamptz NOT NULL DEFAULT '-infinity',
        turn_at timestamptz NOT NULL DEFAULT '-infinity',
        PRIMARY KEY (tenant_id, name)
      ) WITH (fillfactor = 50);
      ${isolateByTenant('webhooks', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], ['SELECT', 'UPDATE'])}
    `,
  },
]
