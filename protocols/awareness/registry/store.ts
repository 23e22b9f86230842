// Registry rows: entries are added and ended, never changed or deleted.
import type { Database } from '@svc/contract/database'
import { type NotNull, sql } from '@svc/database/sql'
import {
  bodyText,
  type EntryBody,
  type EntryKind,
  type EntrySignature,
  findableBy,
  type Life,
  nameKey,
} from './entry.ts'

export interface NewestEntry extends Life {
  readonly hash: string
  readonly version: number
  readonly previous: string | null
  readonly registered_at: Date
}

interface Subject {
  readonly tenant_id: string
  readonly kind: EntryKind
  readonly subject: string
}

/** Serializes registrations of a subject, including the first, which has no row to lock. */
export async function lockSubject(db: Database, { tenant_id, kind, subject }: Subject): Promise<void> {
  const name = `registry|${tenant_id}|${kind}|${subject}`
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db)
}

export async function findNewest(db: Database, subject: Subject): Promise<NewestEntry | undefined> {
  return sql<NewestEntry>`
    SELECT hash, version, previous, state, registered_at, ended_at, expires_at FROM registry_entries
    WHERE tenant_id = ${subject.tenant_id} AND kind = ${subject.kind} AND subject = ${subject.subject}
    ORDER BY version DESC LIMIT 1`.first(db)
}

export interface NewRow {
  readonly hash: string
  readonly body: EntryBody
  readonly signature: EntrySignature
  readonly registered_at: Date
  readonly expires_at: Date | null
}

export async function insertEntry(db: Database, row: NewRow): Promise<void> {
  const { hash, body, signature, registered_at, expires_at } = row
  const { name, summary, terms, words } = findableBy(body.content)
  await sql`
    INSERT INTO registry_entries (tenant_id, hash, kind, subject, version, previous, visibility, body, signature,
      registered_at, expires_at, name_key, terms, search)
    VALUES (${body.tenant_id}, ${hash}, ${body.kind}, ${body.subject}, ${body.version}, ${body.previous},
      ${body.visibility}, ${bodyText(body)}, ${JSON.stringify(signature)}::jsonb, ${registered_at}, ${expires_at},
      ${nameKey(name)}, ${terms}::text[],
      setweight(to_tsvector('english', ${name}), 'A') || setweight(to_tsvector('english', ${words}), 'B')
        || to_tsvector('english', ${summary}))`.execute(db)
}

export async function supersedeEntry(db: Database, hash: string, ended_at: Date): Promise<void> {
  await sql`
    UPDATE registry_entries SET state = 'SUPERSEDED', ended_at = ${ended_at}
    WHERE hash = ${hash} AND ended_at IS NULL`.execute(db)
}

export async function endByWithdrawal(
  db: Database,
  hash: string,
  ended_at: Date,
  withdrawal: EntrySignature,
): Promise<void> {
  await sql`
    UPDATE registry_entries
    SET state = 'WITHDRAWN', ended_at = ${ended_at}, withdrawal = ${JSON.stringify(withdrawal)}::jsonb
    WHERE hash = ${hash} AND ended_at IS NULL`.execute(db)
}

/** Never shortens the lifetime: a delayed older heartbeat must not undo a newer one. */
export async function extendEntry(db: Database, hash: string, expires_at: Date): Promise<Date> {
  const row = await sql<{ expires_at: NotNull<Date> }>`
    UPDATE registry_entries SET expires_at = greatest(expires_at, ${expires_at})
    WHERE hash = ${hash} AND ended_at IS NULL RETURNING expires_at`.first(db)
  return row!.expires_at
}
