// The tables of alert rules and alerts.
import { isolateByTenant, type Migration } from '@svc/database/migration'

export const alert_migrations: readonly Migration[] = [
  {
    name: '2026-11-27-21-alerts',
    sql: `
      CREATE TABLE alert_rules (
        tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
        name text COLLATE "C" NOT NULL,
        condition jsonb NOT NULL,
        severity text NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
        resolve_after_minutes integer NOT NULL CHECK (resolve_after_minutes BETWEEN 0 AND 1440),
        mail_to text[] NOT NULL CHECK (cardinality(mail_to) <= 10),
        mailboxes text[] NOT NULL CHECK (cardinality(mailboxes) <= 10),
        set_by text NOT NULL,
        set_at timestamptz NOT NULL,
        silenced_until timestamptz,
        last_value double precision,
        last_read_at timestamptz,
        last_failure text,
        -- When people were told that it cannot be read.
        unread_told_at timestamptz,
        next_at timestamptz NOT NULL,
        -- Who reads it now, by the clock of the database.
        taken_by uuid,
        taken_until timestamptz NOT NULL DEFAULT '-infinity',
        PRIMARY KEY (tenant_id, name)
      ) WITH (fillfactor = 50);
      CREATE INDEX alert_rules_due ON alert_rules (next_at);
      ${isolateByTenant('alert_rules', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], ['SELECT', 'UPDATE'])}

      CREATE TABLE alerts (
        tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
        alert_id uuid NOT NULL,
        rule text COLLATE "C" NOT NULL,
        condition jsonb NOT NULL,
        severity text NOT NULL,
        value double precision NOT NULL,
        fired_at timestamptz NOT NULL,
        quiet_since timestamptz,
        resolved_at timestamptz,
        told_at timestamptz,
        acknowledged_at timestamptz,
        acknowledged_by text,
        note text,
        PRIMARY KEY (tenant_id, alert_id)
      );
      CREATE UNIQUE INDEX alerts_firing ON alerts (tenant_id, rule) WHERE resolved_at IS NULL;
      CREATE INDEX alerts_of_tenant ON alerts (tenant_id, fired_at);
      CREATE INDEX alerts_old ON alerts (resolved_at) WHERE resolved_at IS NOT NULL;
      ${isolateByTenant('alerts', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'DELETE'])}
    `,
  },
]
