// E-mail that waits to be sent to people, and what was sent within a day.
import { isolateByTenant, type Migration } from '@svc/database/migration'

export const outgoing_mail_migrations: readonly Migration[] = [
  {
    name: '2026-11-27-21-outgoing-mail',
    sql: `
      CREATE TABLE outgoing_mail (
        tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
        mail_id uuid NOT NULL,
        -- The login of a person, which is an e-mail address.
        login text NOT NULL,
        subject text NOT NULL,
        body text NOT NULL,
        -- An attachment, sealed under the id of the mail until it was sent.
        file_name text,
        sealed_file bytea,
        wrapped_key bytea,
        queued_at timestamptz NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        -- Null once it was sent or given up; then it only counts for the limit of a day.
        next_at timestamptz,
        taken_by uuid,
        taken_until timestamptz NOT NULL DEFAULT '-infinity',
        PRIMARY KEY (tenant_id, mail_id),
        CHECK ((sealed_file IS NULL) = (wrapped_key IS NULL) AND (sealed_file IS NULL OR file_name IS NOT NULL))
      );
      CREATE INDEX outgoing_mail_due ON outgoing_mail (next_at) WHERE next_at IS NOT NULL;
      CREATE INDEX outgoing_mail_of_tenant ON outgoing_mail (tenant_id, queued_at);
      ${isolateByTenant('outgoing_mail', ['SELECT', 'INSERT'], ['SELECT', 'UPDATE', 'DELETE'])}
    `,
  },
]
