// Settles messages that are due, and destroys those whose retention has ended.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { settled_at_once_max } from './mail-limits.ts'

const mailboxes_at_once = 100
const forgotten_at_once = 1_000
const rounds_max = 100

/** Runs as the engine, over all tenants. Locked mailboxes are skipped: their holder settles them. */
export async function settleMail(db: Database, now: Date): Promise<void> {
  for (let round = 0; round < rounds_max; round++) {
    const rows = await sql<{ settled: number }>`
      SELECT svc_mail_settle(due.tenant_id, due.mailbox, ${now}::timestamptz) AS settled FROM (
        SELECT b.tenant_id, b.mailbox FROM mailboxes b WHERE (b.live > 0 OR b.dead > 0) AND EXISTS (
          SELECT FROM mail_messages m WHERE m.tenant_id = b.tenant_id AND m.mailbox = b.mailbox
            AND m.due_at <= ${now}::timestamptz)
        LIMIT ${sql.lit(mailboxes_at_once)} FOR UPDATE OF b SKIP LOCKED) due`.all(db)
    const is_more = rows.some(({ settled }) => settled >= settled_at_once_max)
    if (rows.length < mailboxes_at_once && !is_more) return
  }
}

/** Deleting the key makes the body unreadable; the row stays as proof that the message existed. */
export async function forgetMail(db: Database, now: Date): Promise<void> {
  for (let round = 0; round < rounds_max; round++) {
    const { numAffectedRows = 0n } = await sql`
      UPDATE mail_messages SET sealed = NULL, wrapped_key = NULL, note_sealed = NULL, note_key = NULL, forget_at = NULL
      WHERE ctid = ANY(ARRAY(SELECT ctid FROM mail_messages WHERE forget_at <= ${now}::timestamptz
        ORDER BY forget_at LIMIT ${sql.lit(forgotten_at_once)} FOR UPDATE SKIP LOCKED))`.execute(db)
    if (numAffectedRows < forgotten_at_once) return
  }
}
