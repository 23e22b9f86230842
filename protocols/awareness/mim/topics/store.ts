// The rows of topics and subscriptions.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { Mailbox } from '../mail-address.ts'
import { ended_minutes, read_bytes_max } from './limits.ts'

/** Null: every identity of the organization. */
type Agents = string[] | null

export interface TopicRules {
  readonly publishers: Agents
  readonly subscribers: Agents
  readonly retention_ms: number
}

export interface Topic extends TopicRules {
  readonly topic: string
  readonly owner_did: string
  readonly last_place: string
}

/** Locked: no message is published and no subscription made meanwhile. */
export function lockTopic(db: Database, tenant_id: string, topic: string): Promise<Topic | undefined> {
  return sql<Topic>`
    SELECT t.topic, t.publishers, t.subscribers, (extract(epoch FROM t.retention) * 1000)::float8 AS retention_ms,
      b.owner_did, b.last_place
    FROM mailboxes b JOIN mail_topics t ON t.tenant_id = b.tenant_id AND t.topic = b.mailbox
    WHERE b.tenant_id = ${tenant_id} AND b.mailbox = ${topic} FOR UPDATE OF b`.first(db)
}

export async function saveTopic(
  db: Database,
  tenant_id: string,
  { topic, owner_did, publishers, subscribers, retention_ms }: Omit<Topic, 'last_place'>,
): Promise<void> {
  await sql`UPDATE mailboxes SET owner_did = ${owner_did} WHERE tenant_id = ${tenant_id} AND mailbox = ${topic}`.execute(
    db,
  )
  await sql`
    INSERT INTO mail_topics AS t (tenant_id, topic, publishers, subscribers, retention)
    VALUES (${tenant_id}, ${topic}, ${publishers}::text[], ${subscribers}::text[],
      ${retention_ms}::float8 * interval '1 millisecond')
    ON CONFLICT (tenant_id, topic) DO UPDATE SET publishers = excluded.publishers,
      subscribers = excluded.subscribers, retention = excluded.retention`.execute(db)
}

/** Whether its sender may publish; there is room for these messages then. */
export async function enterTopic(
  db: Database,
  { tenant_id, mailbox }: Mailbox,
  sender: { readonly did: string; readonly is_member: boolean },
  more: { readonly messages: number; readonly bytes: number; readonly at: Date },
): Promise<{ readonly outcome: 'unknown' | 'denied' | 'open'; readonly retention_ms: number }> {
  const row = await sql<{ outcome: 'unknown' | 'denied' | 'open'; retention_ms: string | null }>`
    SELECT outcome, retention_ms FROM svc_topic_enter(${tenant_id}, ${mailbox}, ${sender.did}, ${sender.is_member},
      ${more.messages}::integer, ${more.bytes}::bigint, ${more.at}::timestamptz)`.first(db)
  return { outcome: row!.outcome, retention_ms: Number(row!.retention_ms) }
}

export interface ReadRow {
  readonly kind: 'unknown' | 'denied' | 'message'
  readonly message_id: string
  readonly ordering_key: string | null
  readonly thread_key: string | null
  readonly type_key: string | null
  readonly qos: number
  readonly priority: number
  readonly sender_did: string
  readonly size: number
  readonly sealed: Buffer
  readonly wrapped_key: Buffer
  readonly sent_at: Date
  readonly visible_at: Date
  readonly expires_at: Date
  readonly ttl_ms: number
}

/** Locks the subscription and moves it on: what is returned has to be stored in the same transaction. */
export function readTopic(
  db: Database,
  { tenant_id, mailbox }: Pick<Mailbox, 'tenant_id' | 'mailbox'>,
  reader: { readonly did: string; readonly is_member: boolean },
  count: number,
  at: Date,
): Promise<ReadRow[]> {
  return sql<ReadRow>`
    SELECT r.kind, (r.message).message_id, (r.message).ordering_key, (r.message).thread_key, (r.message).type_key,
      (r.message).qos, (r.message).priority, (r.message).sender_did, (r.message).size, (r.message).sealed,
      (r.message).wrapped_key, (r.message).sent_at, (r.message).visible_at, (r.message).expires_at,
      (extract(epoch FROM (r.message).ttl) * 1000)::float8 AS ttl_ms
    FROM svc_topic_read(${tenant_id}, ${mailbox}, ${reader.did}, ${reader.is_member}, ${count}::integer,
      ${read_bytes_max}::bigint, ${at}::timestamptz) r`.all(db)
}

export interface Subscription {
  readonly owner_did: string
  readonly consumers: string[]
  readonly missed: number
  /** Messages of the topic that it has not read, those that have ended among them. */
  readonly unread: number
}

/** Locked. */
export function lockSubscription(
  db: Database,
  tenant_id: string,
  mailbox: string,
): Promise<Subscription | undefined> {
  return sql<Subscription>`
    SELECT b.owner_did, b.delegates AS consumers, s.missed::float8 AS missed,
      (t.last_place - s.read_place)::float8 AS unread
    FROM mailboxes b JOIN mail_subscriptions s ON s.tenant_id = b.tenant_id AND s.mailbox = b.mailbox
    JOIN mailboxes t ON t.tenant_id = s.tenant_id AND t.mailbox = s.topic
    WHERE b.tenant_id = ${tenant_id} AND b.mailbox = ${mailbox} FOR UPDATE OF b`.first(db)
}

export async function countSubscriptions(db: Database, tenant_id: string, topic: string): Promise<number> {
  const row = await sql<{ subscriptions: number }>`
    SELECT count(*)::int AS subscriptions FROM mail_subscriptions
    WHERE tenant_id = ${tenant_id} AND topic = ${topic}`.first(db)
  return row!.subscriptions
}

/** From the earliest that is stored, or from the next one. The topic is locked. */
export async function insertSubscription(
  db: Database,
  tenant_id: string,
  { mailbox, topic, from, at }: { mailbox: string; topic: string; from: 'now' | 'earliest'; at: Date },
): Promise<void> {
  await sql`
    INSERT INTO mail_subscriptions (tenant_id, mailbox, topic, read_place)
    SELECT ${tenant_id}, ${mailbox}, ${topic}, CASE WHEN ${from} = 'now' THEN b.last_place ELSE coalesce((
      SELECT m.place - 1 FROM mail_messages m WHERE m.tenant_id = b.tenant_id AND m.mailbox = b.mailbox
        AND m.state IN ('queued', 'in_flight') AND m.expires_at > ${at} ORDER BY m.place LIMIT 1), b.last_place) END
    FROM mailboxes b WHERE b.tenant_id = ${tenant_id} AND b.mailbox = ${topic}`.execute(db)
}

/** A subscription, or a topic with its subscriptions: nothing of it stays. */
export async function removeTopicMail(db: Database, tenant_id: string, address: string): Promise<void> {
  const locked = await sql<{ mailbox: string }>`
    SELECT mailbox FROM mailboxes WHERE tenant_id = ${tenant_id} AND (mailbox = ${address} OR mailbox IN (
      SELECT s.mailbox FROM mail_subscriptions s WHERE s.tenant_id = ${tenant_id} AND s.topic = ${address}))
    ORDER BY mailbox FOR UPDATE`.all(db)
  const theirs = sql`tenant_id = ${tenant_id} AND mailbox = ANY(${locked.map(({ mailbox }) => mailbox)}::text[])
    AND mailbox LIKE 'topic:%'`
  await sql`DELETE FROM mail_messages WHERE ${theirs}`.execute(db)
  await sql`DELETE FROM mail_streams WHERE ${theirs}`.execute(db)
  await sql`DELETE FROM mail_subscriptions WHERE ${theirs}`.execute(db)
  await sql`DELETE FROM mailboxes WHERE ${theirs}`.execute(db)
}

const removed_at_once = 1_000
const rounds_max = 1_000

/** Runs as the engine, over all tenants. */
export async function forgetTopicMail(db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - ended_minutes * 60_000)
  for (let round = 0; round < rounds_max; round++) {
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM mail_messages WHERE ctid = ANY(ARRAY(SELECT ctid FROM mail_messages
        WHERE mailbox LIKE 'topic:%' AND state IN ('acked', 'expired') AND ended_at < ${before}::timestamptz
        ORDER BY ended_at LIMIT ${sql.lit(removed_at_once)} FOR UPDATE SKIP LOCKED))`.execute(db)
    if (numAffectedRows < removed_at_once) return
  }
}
