// Identities that may no longer act, whatever their documents say. Their keys are revoked with them; every replica is
// notified at once.

import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import { refuse } from '@svc/contract/refusal'
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import { changes_channel } from './api-keys.ts'

export const revocation_migrations: readonly Migration[] = [
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
    `,
  },
  {
    // Lists are ordered by DID, whatever the collation of the database.
    name: '2026-11-20-26-revocations-listed',
    sql: 'CREATE INDEX revocations_of_did ON revocations (tenant_id, did COLLATE "C");',
  },
]

export interface Revocation {
  readonly tenant_id: string
  readonly did: string
  readonly reason: string
  /** The actor. */
  readonly by: string
}

/**
 * The revoked key ids; undefined if the identity was revoked before. Only the tenant named in the DID may do this,
 * and it is permanent.
 */
export async function revokeIdentity(
  db: Database,
  { tenant_id, did, reason, by }: Revocation,
): Promise<readonly string[] | undefined> {
  if (parseDid(did)?.namespace !== tenant_id) throw new TypeError(`${did} is not of ${tenant_id}`)
  await lockIdentity(db, did)
  const { numAffectedRows } = await sql`
    INSERT INTO revocations (tenant_id, did, reason, by) VALUES (${tenant_id}, ${did}, ${reason}, ${by})
    ON CONFLICT DO NOTHING`.execute(db)
  if (numAffectedRows !== 1n) return undefined
  const rows = await sql<{ key_id: string }>`
    UPDATE api_keys SET revoked_at = now()
    WHERE tenant_id = ${tenant_id} AND did = ${did} AND revoked_at IS NULL RETURNING key_id`.all(db)
  return rows.map((row) => row.key_id)
}

/** Locks until the end of the transaction: nothing is granted to an identity while it is being revoked. */
export async function requireLiveIdentity(db: Database, tenant_id: string, did: string): Promise<void> {
  await lockIdentity(db, did)
  const rows = await sql`
    SELECT FROM revocations WHERE tenant_id = ${tenant_id} AND did = ${did}`.all(db)
  if (rows.length === 0) return
  throw refuse('policy_denied', `${did} was revoked and is given nothing any more; make a new identity.`, {
    reason: 'identity revoked',
  })
}

/** Which of these are revoked, among those that the database role may see. */
export async function revokedAmong(db: Database, dids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ did: string }>`
    SELECT did FROM revocations WHERE did = ANY(${[...new Set(dids)]}::text[])`.all(db)
  return new Set(rows.map(({ did }) => did))
}

async function lockIdentity(db: Database, did: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`svc identity ${did}`}, 0))`.execute(db)
}
