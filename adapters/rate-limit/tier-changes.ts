// A tenant's tier sizes its buckets, so every engine is notified of a change at once rather than after its caches
// expire.
import type { Migration } from '@svc/database/migration'
import { changes_channel } from '../access/api-keys.ts'

/** The change kind of the feed. */
export const tier_change = 'tier'

export const tier_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-81-tier-changes',
    sql: `
      CREATE FUNCTION svc_tell_tier() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('${changes_channel}', '${tier_change}:' || NEW.tenant_id);
        RETURN NEW;
      END $$;
      CREATE TRIGGER tenants_tell_tier AFTER UPDATE OF tier ON tenants
        FOR EACH ROW WHEN (OLD.tier <> NEW.tier) EXECUTE FUNCTION svc_tell_tier();
    `,
  },
]
