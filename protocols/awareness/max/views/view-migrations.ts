// The table of saved views, of people and of whole organizations.
import { isolateByTenant, type Migration } from '@svc/database/migration'

export const view_migrations: readonly Migration[] = [
  {
    name: '2026-11-27-21-saved-views',
    sql: `
      CREATE TABLE saved_views (
        tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
        -- Empty for a view of the organization.
        owner_did text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        page text,
        protocol text NOT NULL,
        operation text NOT NULL,
        filters jsonb NOT NULL,
        set_by text NOT NULL,
        set_at timestamptz NOT NULL,
        schedule jsonb,
        -- As whom it runs: whoever set it.
        sealed_acting bytea,
        acting_key bytea,
        next_at timestamptz,
        last_run_at timestamptz,
        last_failure text,
        -- The newest file, until the next run.
        sealed_file bytea,
        file_key bytea,
        taken_by uuid,
        taken_until timestamptz NOT NULL DEFAULT '-infinity',
        PRIMARY KEY (tenant_id, owner_did, name),
        CHECK ((schedule IS NULL) = (sealed_acting IS NULL) AND (sealed_acting IS NULL) = (acting_key IS NULL))
      );
      CREATE INDEX saved_views_due ON saved_views (next_at) WHERE next_at IS NOT NULL;
      ${isolateByTenant('saved_views', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], ['SELECT', 'UPDATE'])}
    `,
  },
]
