// Keys and sessions that agents make themselves, in their own organization.
import type { Database } from '@svc/contract/database'
import type { Keys, ListedKey } from '@svc/contract/needs/keys'
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { issueKey } from './api-keys.ts'

const columns = sql`key_id, did, label, made_by, proof_key IS NOT NULL AS is_session, usable_for, networks,
  date_trunc('milliseconds', created_at) AS created_at, expires_at, revoked_at, last_used_at`
const is_live = sql`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`

export function agentKeys({
  db,
  tenant_id,
  caller,
}: Pick<OperationContext, 'db' | 'tenant_id' | 'caller'>): Keys {
  return {
    issue: (key) => issueKey(db, { ...key, tenant_id, mode: 'live', made_by: caller.did }),
    async endSessions(did) {
      await sql`
        UPDATE api_keys SET revoked_at = now() WHERE did = ${did} AND proof_key IS NOT NULL AND ${is_live}`.execute(
        db,
      )
    },
    list(did, { since, before, limit }) {
      const of_did = did === undefined ? sql`` : sql`AND did = ${did}`
      const older = before
        ? sql`AND (date_trunc('milliseconds', created_at), key_id) < (${before.at}::timestamptz, ${before.id})`
        : sql``
      return sql<ListedKey>`
        SELECT ${columns} FROM api_keys
        WHERE tenant_id = ${tenant_id} ${of_did} AND created_at >= coalesce(${since}::timestamptz, '-infinity') ${older}
        ORDER BY date_trunc('milliseconds', created_at) DESC, key_id DESC LIMIT ${limit}`.all(db)
    },
    find: (key_id) =>
      sql<ListedKey>`SELECT ${columns} FROM api_keys WHERE tenant_id = ${tenant_id} AND key_id = ${key_id}`.first(
        db,
      ),
    async countLive(did) {
      const row = await sql<{ count: number }>`
        SELECT count(*)::int AS count FROM api_keys
        WHERE tenant_id = ${tenant_id} AND did = ${did} AND proof_key IS NULL AND ${is_live}`.first(db)
      return row!.count
    },
    async revoke(key_id) {
      await sql`
        UPDATE api_keys SET revoked_at = now()
        WHERE tenant_id = ${tenant_id} AND key_id = ${key_id} AND revoked_at IS NULL`.execute(db)
    },
  }
}

const kept_ms = 24 * 3_600_000
const swept_at_once_max = 10_000

/** Expired sessions, a day later; a revoked one also ends workflows that it began. As the engine, for all tenants. */
export async function sweepSessionKeys(db: Database, now_ms: number): Promise<void> {
  await sql`
    DELETE FROM api_keys WHERE key_id IN (
      SELECT key_id FROM api_keys WHERE proof_key IS NOT NULL AND revoked_at IS NULL AND expires_at < ${new Date(now_ms - kept_ms)}
      LIMIT ${swept_at_once_max} FOR UPDATE SKIP LOCKED)`.execute(db)
}
