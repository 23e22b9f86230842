// Identities that no longer count, whatever their documents say. A revocation overrides every cache within a second.

import { parseDid } from '@svc/contract/did'
import { isolateByTenant, type Migration } from '@svc/contract/migration'
import type { Database } from '@svc/contract/operation-context'
import { sql } from 'kysely'
import { changes_channel } from './api-keys.ts'
import { revokeIdentity as takeKeys } from './revoked-identities.ts'

export const identity_revocation_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-45-revocations',
    sql: `
      CREATE TABLE revocations (
        tenant_id text NOT NULL REFERENCES tenants,
        did text NOT NULL,
        reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
        revoked_at timestamptz NOT NULL DEFAULT now(),
        by text NOT NULL,
        PRIMARY KEY (did, tenant_id)
      );
      ${isolateByTenant('revocations', ['SELECT'], ['SELECT', 'INSERT'])}
      CREATE FUNCTION svc_tell_revocation() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('${changes_channel}', 'identity:' || NEW.did);
        RETURN NEW;
      END $$;
      CREATE TRIGGER revocations_tell AFTER INSERT ON revocations
        FOR EACH ROW EXECUTE FUNCTION svc_tell_revocation();
      -- An identity whose keys were taken by an administrator is revoked for everybody who resolves it, too.
      CREATE FUNCTION svc_revoke_fully() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO revocations (tenant_id, did, reason, by)
        VALUES (NEW.tenant_id, NEW.did, 'revoked by an administrator', current_user) ON CONFLICT DO NOTHING;
        RETURN NEW;
      END $$;
      CREATE TRIGGER revoked_identities_revoke AFTER INSERT ON revoked_identities
        FOR EACH ROW EXECUTE FUNCTION svc_revoke_fully();
    `,
  },
]

/** Only by the tenant whose name the DID bears. True where this call did it; a revocation is never taken back, and takes the keys along. */
export async function revokeIdentity(
  db: Database,
  tenant_id: string,
  did: string,
  reason: string,
  by: string,
): Promise<boolean> {
  if (parseDid(did)?.namespace !== tenant_id) throw new TypeError(`${did} is not of ${tenant_id}`)
  const { numAffectedRows } = await sql`
    INSERT INTO revocations (tenant_id, did, reason, by) VALUES (${tenant_id}, ${did}, ${reason}, ${by})
    ON CONFLICT DO NOTHING`.execute(db)
  await takeKeys(db, tenant_id, did)
  return numAffectedRows === 1n
}

/** Which of these are revoked, among those the database role may see. */
export async function revokedAmong(db: Database, dids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ did: string }>`
    SELECT did FROM revocations WHERE did = ANY(${[...new Set(dids)]}::text[])`.execute(db)
  return new Set(rows.map(({ did }) => did))
}
