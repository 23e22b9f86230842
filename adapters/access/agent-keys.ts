// Keys and sessions that agents make themselves, in their own organization.
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import type { Keys, ListedKey } from '@svc/contract/needs/keys'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { issueKey } from './api-keys.ts'

const columns = sql`key_id, did, label, made_by, proof_key IS NOT NULL AS is_session, usable_for, networks,
  weekly_budget_micro_usd, date_trunc('milliseconds', created_at) AS created_at, expires_at, revoked_at, last_used_at`
const is_live = sql`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`

export function agentKeys(
  { db, tenant_id, caller }: Pick<OperationContext, 'db' | 'tenant_id' | 'caller'>,
  maker_key_id: string,
): Keys {
  return {
    async issue(key) {
      if (parseDid(key.did)?.namespace !== tenant_id)
        throw new Error(`${tenant_id} issues no keys for identities of others`)
      // Whoever has a key cannot make one that lasts longer or is used from elsewhere; a session is bound by its proof.
      const maker = key.proof_key === undefined ? await lockMaker(db, tenant_id, maker_key_id) : undefined
      const { expires_at, networks = [] } = key
      const bounds = {
        expires_at: maker && !maker.is_session ? earlier(expires_at, maker.expires_at) : expires_at,
        networks: maker && maker.networks.length > 0 ? maker.networks : networks,
      }
      const new_key = { ...key, ...bounds, tenant_id, mode: 'live', made_by: caller.did } as const
      return { ...(await issueKey(db, new_key)), ...bounds }
    },
    endSessions: (did) => endThose(db, tenant_id, sql`did = ${did} AND proof_key IS NOT NULL`),
    async endMadeBy(did) {
      let ended = 0
      // Ending a key waits for those that are being made with it; the next look sees them.
      for (let looks = 0; looks < looks_max; looks++) {
        const now_ended = await endThose(db, tenant_id, sql`made_by = ${did}`)
        ended += now_ended
        if (now_ended === 0 && looks > 0) break
      }
      return ended
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
    find: (key_id) => findListedKey(db, tenant_id, key_id),
    async lockAndCount(did) {
      await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`keys|${tenant_id}|${did}`}, 0))`.execute(db)
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

const looks_max = 5

/** The key that another is made with, until the end of the transaction: it may have been revoked since the call came in. */
async function lockMaker(db: Database, tenant_id: string, key_id: string): Promise<ListedKey | undefined> {
  const maker = await sql<ListedKey>`
    SELECT ${columns} FROM api_keys WHERE tenant_id = ${tenant_id} AND key_id = ${key_id} FOR SHARE`.first(db)
  if (!maker?.revoked_at) return maker
  throw refuse('unauthenticated', 'This key was revoked meanwhile; use another one.', {
    reason: 'key revoked',
  })
}

async function endThose(db: Database, tenant_id: string, condition: ReturnType<typeof sql>): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE api_keys SET revoked_at = now() WHERE tenant_id = ${tenant_id} AND ${condition} AND ${is_live}`.execute(
    db,
  )
  return Number(numAffectedRows)
}

export function findListedKey(
  db: Database,
  tenant_id: string,
  key_id: string,
): Promise<ListedKey | undefined> {
  return sql<ListedKey>`SELECT ${columns} FROM api_keys WHERE tenant_id = ${tenant_id} AND key_id = ${key_id}`.first(
    db,
  )
}

function earlier(end: string, other: Date | null): string {
  return other && other.getTime() < Date.parse(end) ? other.toISOString() : end
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
