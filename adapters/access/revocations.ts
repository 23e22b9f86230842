// Identities that may not act, for good or for a while, whatever their documents say. Keys are revoked with their
// identity; every replica is notified at once.

import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import type { IdentityStates } from '@svc/contract/needs/identity-states'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { app_role, isolateByTenant, type Migration } from '@svc/database/migration'
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
  {
    // Operations revoke for good, and suspend for a while; an identity may be suspended for several causes at once.
    name: '2026-11-25-03-suspensions',
    sql: `
      GRANT INSERT ON revocations TO ${app_role};
      CREATE TABLE suspensions (
        tenant_id text NOT NULL REFERENCES tenants,
        did text NOT NULL CHECK (starts_with(did, 'did:oas:' || tenant_id || ':')),
        -- The identity that was suspended: this one, or one it descends from.
        cause text NOT NULL,
        reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
        by text NOT NULL,
        suspended_at timestamptz NOT NULL,
        PRIMARY KEY (did, cause, by)
      );
      CREATE INDEX suspensions_by_cause ON suspensions (tenant_id, cause);
      ${isolateByTenant('suspensions', ['SELECT', 'INSERT', 'DELETE'], ['SELECT'])}
      CREATE FUNCTION svc_tell_suspension() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('${changes_channel}', 'identity:' || coalesce(NEW.did, OLD.did));
        RETURN NULL;
      END $$;
      CREATE TRIGGER suspensions_tell AFTER INSERT OR DELETE ON suspensions
        FOR EACH ROW EXECUTE FUNCTION svc_tell_suspension();
    `,
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

export function identityStates({
  db,
  tenant_id,
  caller,
  now,
}: Pick<OperationContext, 'db' | 'tenant_id' | 'caller' | 'now'>): IdentityStates {
  return {
    of: async (did) => (await endedAmong(db, [did])).get(did) ?? 'active',
    async suspend(cause, dids, reason) {
      const { numAffectedRows } = await sql`
        INSERT INTO suspensions (tenant_id, did, cause, reason, by, suspended_at)
        SELECT ${tenant_id}, did, ${cause}, ${reason}, ${caller.did}, ${now}::timestamptz
        FROM unnest(${[cause, ...dids]}::text[]) AS did ON CONFLICT DO NOTHING`.execute(db)
      return numAffectedRows !== undefined && numAffectedRows > 0n
    },
    async suspendedBy(cause) {
      const rows = await sql<{ by: string }>`
        SELECT by FROM suspensions WHERE tenant_id = ${tenant_id} AND did = ${cause} AND cause = ${cause}`.all(
        db,
      )
      return rows.map(({ by }) => by)
    },
    async resume(cause) {
      const rows = await sql<{ did: string }>`
        DELETE FROM suspensions WHERE tenant_id = ${tenant_id} AND cause = ${cause} RETURNING did`.all(db)
      return new Set(rows.map(({ did }) => did)).size
    },
    async revoke(dids, reason) {
      const revoked: string[] = []
      let keys = 0
      // Locks are taken in one order, so that two that revoke at once do not wait for each other.
      for (const did of [...dids].sort()) {
        const ended = await revokeIdentity(db, { tenant_id, did, reason, by: caller.did })
        if (!ended) continue
        revoked.push(did)
        keys += ended.length
      }
      return { revoked, keys }
    },
  }
}

export type Ended = 'revoked' | 'suspended'

/** Which of these are revoked or suspended, among those that the database role may see. */
export async function endedAmong(db: Database, dids: readonly string[]): Promise<ReadonlyMap<string, Ended>> {
  const distinct = [...new Set(dids)]
  const rows = await sql<{ did: string; state: Ended }>`
    SELECT DISTINCT did, 'suspended' AS state FROM suspensions WHERE did = ANY(${distinct}::text[])
    UNION ALL SELECT did, 'revoked' FROM revocations WHERE did = ANY(${distinct}::text[])
    ORDER BY state DESC`.all(db)
  // Revoked comes last, and so wins.
  return new Map(rows.map(({ did, state }) => [did, state]))
}

async function lockIdentity(db: Database, did: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`svc identity ${did}`}, 0))`.execute(db)
}
