// The OAuth server's state between requests, shared by all replicas. Ids are secrets (a code, a refresh token, a
// cookie), so only their hashes are stored, and the payloads are sealed.
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { findUser, type User } from './users.ts'

export type Payload = Record<string, unknown>

export interface OauthPayloads {
  upsert(model: string, id: string, payload: Payload, expires_in_s: number | undefined): Promise<void>
  find(model: string, id: string): Promise<Payload | undefined>
  findByUid(model: string, uid: string): Promise<Payload | undefined>
  /** False if it was consumed before: of two concurrent calls exactly one gets true. */
  consume(model: string, id: string): Promise<boolean>
  destroy(model: string, id: string): Promise<void>
  /** The grant and everything issued from it. */
  revokeGrant(grant_hash: string): Promise<void>
  countOf(model: string): Promise<number>
  /** The name of a grant in tokens and change notifications. */
  grantHash(grant_id: string): string
}

const purpose = 'oauth-payloads'
const swept_at_once_max = 10_000

export function oauthPayloads(db: Database, root_keys: RootKeys): OauthPayloads {
  const unseal = (model: string, row: { id_hash: Buffer; payload: Buffer; consumed_at: Date | null }) => {
    const text = root_keys.open(purpose, row.payload, boundTo(model, row.id_hash)).toString()
    const consumed = row.consumed_at && { consumed: Math.floor(row.consumed_at.getTime() / 1000) }
    return { ...(JSON.parse(text) as Payload), ...consumed }
  }
  return {
    async upsert(model, id, payload, expires_in_s) {
      const id_hash = hashOf(model, id)
      const sealed = root_keys.seal(purpose, JSON.stringify(payload), boundTo(model, id_hash))
      const { grantId, uid, accountId } = payload as Record<string, string | undefined>
      const expires =
        expires_in_s === undefined ? sql`NULL` : sql`now() + ${expires_in_s}::float8 * interval '1 s'`
      await sql`
        INSERT INTO oauth_payloads (model, id_hash, payload, grant_hash, uid_hash, user_id, expires_at)
        VALUES (${model}, ${id_hash}, ${sealed}, ${grantId === undefined ? null : hashOf('Grant', grantId)},
          ${uid === undefined ? null : hashOf('uid', uid)}, ${accountId ?? null}, ${expires})
        ON CONFLICT (model, id_hash) DO UPDATE SET payload = excluded.payload, grant_hash = excluded.grant_hash,
          uid_hash = excluded.uid_hash, user_id = excluded.user_id, expires_at = excluded.expires_at`.execute(
        db,
      )
    },
    async find(model, id) {
      const row = await sql<{ id_hash: Buffer; payload: Buffer; consumed_at: Date | null }>`
        SELECT id_hash, payload, consumed_at FROM oauth_payloads
        WHERE model = ${model} AND id_hash = ${hashOf(model, id)}`.first(db)
      return row && unseal(model, row)
    },
    async findByUid(model, uid) {
      const row = await sql<{ id_hash: Buffer; payload: Buffer; consumed_at: Date | null }>`
        SELECT id_hash, payload, consumed_at FROM oauth_payloads
        WHERE uid_hash = ${hashOf('uid', uid)} AND model = ${model}`.first(db)
      return row && unseal(model, row)
    },
    async consume(model, id) {
      const { numAffectedRows } = await sql`
        UPDATE oauth_payloads SET consumed_at = now()
        WHERE model = ${model} AND id_hash = ${hashOf(model, id)} AND consumed_at IS NULL`.execute(db)
      return numAffectedRows === 1n
    },
    async destroy(model, id) {
      await sql`DELETE FROM oauth_payloads WHERE model = ${model} AND id_hash = ${hashOf(model, id)}`.execute(
        db,
      )
    },
    async revokeGrant(grant_hash) {
      const hash = Buffer.from(grant_hash, 'hex')
      await sql`
        DELETE FROM oauth_payloads
        WHERE grant_hash = ${hash} OR (model = 'Grant' AND id_hash = ${hash})`.execute(db)
    },
    async countOf(model) {
      const row = await sql<{ n: number }>`
        SELECT count(*)::int AS n FROM oauth_payloads WHERE model = ${model}`.first(db)
      return row!.n
    },
    grantHash: (grant_id) => hashOf('Grant', grant_id).toString('hex'),
  }
}

/** Who gave a grant that is still valid. */
export async function findGrantor(db: Database, grant_hash: string): Promise<User | undefined> {
  const row = await sql<{ user_id: string | null }>`
    SELECT user_id FROM oauth_payloads
    WHERE model = 'Grant' AND id_hash = ${Buffer.from(grant_hash, 'hex')} AND expires_at > now()`.first(db)
  const user_id = row?.user_id
  return user_id ? findUser(db, user_id) : undefined
}

/** An hour late, so that a late caller gets "expired" rather than "unknown". */
export async function sweepPayloads(db: Database): Promise<void> {
  await sql`
    DELETE FROM oauth_payloads WHERE (model, id_hash) IN (SELECT model, id_hash FROM oauth_payloads
      WHERE expires_at < now() - interval '1 hour' ORDER BY expires_at LIMIT ${swept_at_once_max})`.execute(
    db,
  )
}

function hashOf(model: string, id: string): Buffer {
  return Buffer.from(sha256Hex(`${model}:${id}`), 'hex')
}

function boundTo(model: string, id_hash: Buffer): string {
  return `oauth/${model}/${id_hash.toString('hex')}`
}
