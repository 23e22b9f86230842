// Counts an organization's mail without decrypting it.

import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'

export interface MailFigures {
  readonly mailboxes: number
  readonly live: number
  readonly dead: number
  readonly bytes: number
}

export async function countMail(db: Database, tenant_id: string): Promise<MailFigures> {
  const row = await sql<Record<keyof MailFigures, string>>`
    SELECT count(*) AS mailboxes, coalesce(sum(live), 0) AS live, coalesce(sum(dead), 0) AS dead,
      coalesce(sum(bytes), 0) AS bytes
    FROM mailboxes WHERE tenant_id = ${tenant_id}`.first(db)
  const { mailboxes, live, dead, bytes } = row!
  return { mailboxes: Number(mailboxes), live: Number(live), dead: Number(dead), bytes: Number(bytes) }
}

export interface ListedMailbox {
  readonly mailbox: string
  readonly owner_did: string
  readonly delegates: readonly string[]
  readonly opened_at: Date
  readonly live: number
  readonly in_flight: number
  readonly received: number
  readonly dead: number
  readonly bytes: string
  readonly oldest_waiting_at: Date | null
  readonly oldest_dead_at: Date | null
  /** Null but of topics; the lists also where all of the organization may. */
  readonly publishers: readonly string[] | null
  readonly subscribers: readonly string[] | null
  readonly retention_ms: number | null
  readonly subscriptions: number
  /** Null but of subscriptions. */
  readonly unread: number | null
  readonly missed: number | null
}

export interface MailboxQuestion extends Bounds {
  readonly mailbox?: string | undefined
  /** Only mailboxes with waiting messages or with dead letters. */
  readonly holding?: 'waiting' | 'dead' | undefined
  /** Only mailboxes this identity may receive from; undefined for all. */
  readonly reader_did?: string | undefined
  readonly now: string
}

/** Newest first. A delivery past its visibility timeout counts as waiting, even if not yet requeued. */
export async function listMailboxes(
  db: Database,
  tenant_id: string,
  question: MailboxQuestion,
): Promise<ListedMailbox[]> {
  const { mailbox, holding, reader_did, now } = question
  const page = pageOf(question, sql`b.opened_at`, sql`b.mailbox`, [
    ...(mailbox === undefined ? [] : [sql`b.mailbox = ${mailbox}`]),
    ...(holding === 'waiting' ? [sql`b.live > 0`] : []),
    ...(holding === 'dead' ? [sql`b.dead > 0`] : []),
    ...(reader_did === undefined
      ? []
      : [
          sql`(b.owner_did = ${reader_did} OR ${reader_did} = ANY (b.delegates)
            OR t.retention IS NOT NULL AND (t.subscribers IS NULL OR ${reader_did} = ANY (t.subscribers)))`,
        ]),
  ])
  const of_box = sql`m.tenant_id = b.tenant_id AND m.mailbox = b.mailbox`
  return sql<ListedMailbox>`
    SELECT b.mailbox, b.owner_did, b.delegates, b.opened_at, b.live, b.dead, b.bytes,
      (SELECT count(*)::int FROM mail_messages m WHERE ${of_box} AND m.state = 'in_flight'
        AND m.due_at > ${now}) AS in_flight,
      (SELECT count(*)::int FROM mail_messages m WHERE ${of_box} AND m.state = 'received') AS received,
      (SELECT m.sent_at FROM mail_messages m WHERE ${of_box} AND m.state IN ('queued', 'in_flight')
        AND (m.state = 'queued' OR m.due_at <= ${now}) ORDER BY m.place LIMIT 1) AS oldest_waiting_at,
      (SELECT m.ended_at FROM mail_messages m WHERE ${of_box} AND m.state = 'dead'
        ORDER BY m.place LIMIT 1) AS oldest_dead_at,
      t.publishers, t.subscribers, (extract(epoch FROM t.retention) * 1000)::float8 AS retention_ms,
      (SELECT count(*)::int FROM mail_subscriptions s WHERE s.tenant_id = b.tenant_id AND s.topic = b.mailbox)
        AS subscriptions,
      (SELECT (log.last_place - s.read_place)::float8 FROM mailboxes log WHERE log.tenant_id = s.tenant_id
        AND log.mailbox = s.topic) AS unread, s.missed::float8 AS missed
    FROM mailboxes b LEFT JOIN mail_topics t ON t.tenant_id = b.tenant_id AND t.topic = b.mailbox
    LEFT JOIN mail_subscriptions s ON s.tenant_id = b.tenant_id AND s.mailbox = b.mailbox
    WHERE b.tenant_id = ${tenant_id} AND ${page}`.all(db)
}
