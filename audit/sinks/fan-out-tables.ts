// State of a fan-out: who is due, how far each tenant's records were sent, and who holds the lease.
import { engine_role, isolateByTenant, type Migration } from '@svc/database/migration'

// Small and often updated: pages keep free space for the next version of a row, and dead rows are vacuumed early.
const tables = `
CREATE TABLE audit_fan_out_due (
  tenant_id text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
CREATE TABLE audit_fan_out_cursors (
  topic text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL CHECK (seq > 0),
  record_hash bytea NOT NULL CHECK (octet_length(record_hash) = 32),
  PRIMARY KEY (topic, tenant_id)
) WITH (fillfactor = 50);
-- No tenant's data: which engine hands on, told apart by a number that only grows.
CREATE TABLE audit_fan_out_leases (
  topic text COLLATE "C" PRIMARY KEY,
  epoch bigint NOT NULL,
  held_until timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON audit_fan_out_leases TO ${engine_role};
`

export const fan_out_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-85-audit-fan-out',
    sql: [
      tables,
      isolateByTenant('audit_fan_out_due', [], ['SELECT', 'INSERT', 'UPDATE', 'DELETE']),
      isolateByTenant('audit_fan_out_cursors', [], ['SELECT', 'INSERT', 'UPDATE']),
    ].join('\n'),
  },
]
