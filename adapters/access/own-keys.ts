// The API keys of one DID, page by page, for its owner.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { issueKey, type KeyListing, type NewKey } from './api-keys.ts'

/** A key that ends with the account of its creator. */
export async function issueOwnKey(
  db: Database,
  new_key: NewKey,
  user_id: string,
): Promise<{ key_id: string; api_key: string }> {
  const issued = await issueKey(db, new_key)
  await sql`UPDATE api_keys SET issued_by = ${user_id} WHERE key_id = ${issued.key_id}`.execute(db)
  return issued
}

export interface KeyPage {
  readonly keys: readonly KeyListing[]
  /** Where the next page begins; null on the last. */
  readonly next: string | null
}

/** Rounded to what a Date holds: the database's microseconds would be lost in the page's address. */
const moment = sql`date_trunc('milliseconds', created_at)`

/** Newest first. `before` is the `next` of the previous page. */
export async function listOwnKeys(
  db: Database,
  tenant_id: string,
  did: string,
  limit: number,
  before: string | undefined,
): Promise<KeyPage> {
  const from = before === undefined ? sql`` : sql`AND (${moment}, key_id) < (${sql.join(placeOf(before))})`
  const rows = await sql<KeyListing>`
    SELECT key_id, did, label, created_at, expires_at, revoked_at, last_used_at FROM api_keys
    WHERE tenant_id = ${tenant_id} AND did = ${did} ${from}
    ORDER BY ${moment} DESC, key_id DESC LIMIT ${limit + 1}`.all(db)
  const keys = rows.slice(0, limit)
  const last = rows.length > limit ? keys.at(-1) : undefined
  return { keys, next: last ? `${last.created_at.getTime()}.${last.key_id}` : null }
}

function placeOf(text: string): [Date, string] {
  const [created = '', key_id = ''] = text.split('.')
  return [new Date(Number(created)), key_id]
}

/** Keys of an organization that can be used now and not any more at the end; sessions are renewed by themselves. */
export async function countExpiringKeys(
  db: Database,
  tenant_id: string,
  now: Date,
  until: Date,
): Promise<number> {
  const row = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM api_keys
    WHERE tenant_id = ${tenant_id} AND revoked_at IS NULL AND proof_key IS NULL AND expires_at > ${now}
      AND expires_at <= ${until}`.first(db)
  return row!.count
}
