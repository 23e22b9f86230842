// Browser sessions. Only the hash of the cookie's value is stored.
import type { Tier } from '@svc/contract/authority/tier'
import type { Database } from '@svc/contract/database'
import { hashSecret } from '@svc/contract/identity/api-key'
import { sql } from '@svc/database/sql'
import type { Clock } from '@svc/engine/ports'
import type { User } from './users.ts'

const session_ms = 12 * 3_600_000
const token_bytes = 32
const swept_at_once_max = 10_000

export interface SessionRecord {
  readonly session_id: string
  readonly expires_at_ms: number
  readonly revoked: boolean
  readonly user: User
}

export async function startSession(
  db: Database,
  user: User,
  clock: Pick<Clock, 'now_ms' | 'uuid' | 'randomBytes'>,
): Promise<{ session_id: string; token: string; expires_at_ms: number }> {
  const [session_id, token] = [clock.uuid(), clock.randomBytes(token_bytes).toString('base64url')]
  const now_ms = clock.now_ms()
  const expires_at_ms = now_ms + session_ms
  await sql`
    INSERT INTO sessions (session_id, token_hash, user_id, tenant_id, created_at, expires_at)
    VALUES (${session_id}, ${hashSecret(token)}, ${user.user_id}, ${user.tenant_id}, ${new Date(now_ms)},
      ${new Date(expires_at_ms)})`.execute(db)
  return { session_id, token, expires_at_ms }
}

interface SessionRow extends User {
  session_id: string
  expires_at: Date
  revoked: boolean
  tier: Tier
}

export async function findSession(db: Database, token_hash: string): Promise<SessionRecord | undefined> {
  const rows = await sql<SessionRow>`
    SELECT s.session_id, s.expires_at, s.revoked_at IS NOT NULL AS revoked,
      u.user_id, u.tenant_id, u.did, u.login, u.name, t.tier, u.disabled_at IS NOT NULL AS disabled
    FROM sessions s JOIN users u USING (user_id) JOIN tenants t ON t.tenant_id = u.tenant_id
    WHERE s.token_hash = ${Buffer.from(token_hash, 'hex')}`.all(db)
  const [row] = rows
  if (!row) return undefined
  const { session_id, expires_at, revoked, ...user } = row
  return { session_id, expires_at_ms: expires_at.getTime(), revoked, user }
}

export async function revokeSession(db: Database, session_id: string): Promise<void> {
  await sql`UPDATE sessions SET revoked_at = now() WHERE session_id = ${session_id} AND revoked_at IS NULL`.execute(
    db,
  )
}

/** Sessions that ended a day ago: until then a record that names one can be looked up. */
export async function sweepSessions(db: Database): Promise<void> {
  await sql`
    DELETE FROM sessions WHERE session_id IN (SELECT session_id FROM sessions
      WHERE expires_at < now() - interval '1 day' ORDER BY expires_at LIMIT ${swept_at_once_max})`.execute(db)
}
