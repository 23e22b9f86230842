// The table of logs and spans: sealed in batches, each under its own key, which is deleted with it.
import { isolateByTenant, type Migration } from '@svc/database/migration'

export const signal_migrations: readonly Migration[] = [
  {
    name: '2026-12-02-29-signal-batches',
    sql: `
      CREATE TABLE signal_batches (
        tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
        batch_id uuid NOT NULL,
        kind text COLLATE "C" NOT NULL CHECK (kind IN ('log', 'span')),
        sent_by text COLLATE "C" NOT NULL,
        received_at timestamptz NOT NULL,
        bytes integer NOT NULL,
        sealed bytea NOT NULL,
        wrapped_key bytea NOT NULL,
        PRIMARY KEY (tenant_id, batch_id)
      );
      CREATE INDEX signal_batches_of_sender
        ON signal_batches (tenant_id, sent_by, kind, received_at DESC, batch_id DESC);
      CREATE INDEX signal_batches_by_age ON signal_batches (received_at);
      CREATE INDEX signal_batches_of_tenant ON signal_batches (tenant_id, received_at) INCLUDE (bytes);
      ${isolateByTenant('signal_batches', ['SELECT', 'INSERT'], ['SELECT', 'UPDATE', 'DELETE'])}
    `,
  },
]
