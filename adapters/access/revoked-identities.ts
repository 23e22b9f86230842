// Identities that may act no more. Their keys go with them, in the same transaction, and none is issued to them again.
import { isolateByTenant, type Migration } from '@svc/contract/migration'
import type { Database } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { sql } from 'kysely'

export const revocation_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-31-revoked-identities',
    sql: `
      CREATE TABLE revoked_identities (
        tenant_id text NOT NULL REFERENCES tenants,
        did text NOT NULL,
        revoked_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, did)
      );
      ${isolateByTenant('revoked_identities', ['SELECT'], ['SELECT', 'INSERT'])}
    `,
  },
]

/** Key ids that stopped working, or undefined where the identity was revoked before. */
export async function revokeIdentity(
  db: Database,
  tenant_id: string,
  did: string,
): Promise<readonly string[] | undefined> {
  await lockIdentity(db, did)
  const { numAffectedRows } = await sql`
    INSERT INTO revoked_identities (tenant_id, did) VALUES (${tenant_id}, ${did})
    ON CONFLICT DO NOTHING`.execute(db)
  if (numAffectedRows !== 1n) return undefined
  const { rows } = await sql<{ key_id: string }>`
    UPDATE api_keys SET revoked_at = now()
    WHERE tenant_id = ${tenant_id} AND did = ${did} AND revoked_at IS NULL RETURNING key_id`.execute(db)
  return rows.map((row) => row.key_id)
}

/** Holds until the end of the transaction: what is given to an identity is not given while it is being revoked. */
export async function requireLiveIdentity(db: Database, tenant_id: string, did: string): Promise<void> {
  await lockIdentity(db, did)
  const { rows } = await sql`
    SELECT FROM revoked_identities WHERE tenant_id = ${tenant_id} AND did = ${did}`.execute(db)
  if (rows.length === 0) return
  throw refuse('policy_denied', `${did} was revoked and is given nothing any more; make a new identity.`, {
    reason: 'identity revoked',
  })
}

async function lockIdentity(db: Database, did: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`svc identity ${did}`}, 0))`.execute(db)
}
