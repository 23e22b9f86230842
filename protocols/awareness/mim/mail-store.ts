// Sending to and receiving from mailboxes, each in one round trip.

import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import type { SealedBox } from '@svc/contract/needs/vault'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { type Mailbox, noTreaty } from './mail-address.ts'
import { mailboxes_full_code, no_treaty_code } from './mail-functions.ts'
import { handed_bytes_max, mailboxes_by_others_max, mailboxes_of_tenant_max } from './mail-limits.ts'

export interface Posting extends Mailbox, SealedBox {
  readonly message_id: string
  readonly ordering_key: string | null
  readonly dedupe_key: string | null
  readonly thread_key: string | null
  readonly type_key: string | null
  readonly qos: number
  readonly priority: number
  readonly sender_did: string
  readonly size: number
  readonly sent_at: Date
  readonly visible_at: Date
  readonly expires_at: Date
  /** Of a message that is read from a topic: how long its sender let it live. */
  readonly ttl_ms?: number
}

export interface Posted {
  readonly outcome: 'sent' | 'duplicate' | 'full' | 'unknown'
  readonly kept_id: string
  readonly kept_seq: number
}

/** Of one statement: the content it carries, and its messages. One message always fits. */
const posted_bytes_max = 1024 * 1024
const posted_at_once_max = 100

const recordset = sql`l(tenant_id text, message_id uuid, mailbox text, owner_did text, ordering_key text, qos smallint,
  priority smallint, sender_did text, dedupe_key text, thread_key text, type_key text, size integer, sealed text,
  wrapped_key text, sent_at timestamptz, visible_at timestamptz, expires_at timestamptz, ttl_ms bigint)`
const letter = sql`ROW(l.tenant_id, l.message_id, l.mailbox, 0, l.ordering_key, 0, 'queued', false, l.qos, l.priority,
  l.sender_did, l.dedupe_key, l.thread_key, l.type_key, l.size, decode(l.sealed, 'base64'),
  decode(l.wrapped_key, 'base64'), 0, 0, l.sent_at, l.visible_at, l.expires_at, NULL, NULL, NULL, NULL, NULL, NULL,
  l.ttl_ms * interval '1 millisecond')::mail_messages`

type PostedRow = Omit<Posted, 'kept_seq'> & { readonly kept_seq: string | null }

/** In this order, in few round trips; those to one mailbox stand together. Of each nothing is written unless its result is `sent`. */
export async function postMessages(
  db: Database,
  postings: readonly Posting[],
  at = postings[0]?.sent_at,
): Promise<Posted[]> {
  const posted: Posted[] = []
  for (let from = 0; from < postings.length; ) {
    const step = stepOf(postings, from)
    const query = sql<PostedRow>`
      WITH given AS (
        SELECT array_agg(${letter}) AS letters, array_agg(l.owner_did) AS owners
        FROM json_to_recordset(${JSON.stringify(step.map(rowOf))}::json) AS ${recordset})
      SELECT s.outcome, s.kept_id, s.kept_seq
      FROM given CROSS JOIN LATERAL svc_mail_send_many(given.letters, given.owners, ${at!}::timestamptz) s`
    const rows = await opening(query.all(db), step[0]!.sender_did)
    posted.push(...rows.map((row) => ({ ...row, kept_seq: Number(row.kept_seq) })))
    from += step.length
  }
  return posted
}

/** Served by a court: it fits into a full mailbox, too. */
export async function serveMessage(db: Database, posting: Posting): Promise<Posted> {
  const query = sql<PostedRow>`
    SELECT s.outcome, s.kept_id, s.kept_seq FROM json_to_recordset(${JSON.stringify([rowOf(posting)])}::json) AS ${recordset}
    CROSS JOIN LATERAL svc_mail_serve(${letter}, l.owner_did, l.sent_at) s`
  const row = (await opening(query.all(db), posting.sender_did))[0]!
  return { ...row, kept_seq: Number(row.kept_seq) }
}

function stepOf(postings: readonly Posting[], from: number): readonly Posting[] {
  let bytes = 0
  let to = from
  for (; to < postings.length && to - from < posted_at_once_max; to++) {
    bytes += postings[to]!.sealed.length
    if (to > from && bytes > posted_bytes_max) break
  }
  return postings.slice(from, to)
}

function rowOf({ sealed, wrapped_key, ...posting }: Posting): Record<string, unknown> {
  return {
    ...posting,
    sealed: sealed.toString('base64'),
    wrapped_key: wrapped_key.toString('base64'),
    ttl_ms: posting.ttl_ms ?? posting.expires_at.getTime() - posting.sent_at.getTime(),
  }
}

/** An answer to a delivered message; `n` is its number among the answers. */
export interface Answered {
  readonly n: number
  readonly kind: 'ack' | 'release' | 'nack'
  readonly id: string
  readonly attempt: number
  readonly until?: string
  readonly dead?: boolean
  /** A sealed box in base64. */
  readonly note?: string
  readonly note_key?: string
}

export interface Taking extends Mailbox {
  readonly caller_did: string
  readonly delegates: readonly string[] | null
  readonly answers: readonly Answered[]
  readonly mode: 'live' | 'dead' | 'peek'
  readonly max: number
  readonly after_place: number
  readonly thread_key: string | null
  readonly sender_did: string | null
  readonly type_key: string | null
  readonly at: Date
  readonly until: Date
}

export interface MessageRow {
  readonly message_id: string
  readonly place: string
  readonly seq: string
  readonly qos: number
  readonly priority: number
  readonly sender_did: string
  readonly size: number
  readonly sealed: Buffer
  readonly wrapped_key: Buffer
  readonly attempt: number
  readonly sent_at: Date
  readonly expires_at: Date
  readonly dead_reason: string | null
  readonly note_sealed: Buffer | null
  readonly note_key: Buffer | null
  readonly dedupe_key: string | null
}

interface TakenRow extends MessageRow {
  readonly kind: 'unknown' | 'denied' | 'box' | 'message' | 'unreleased' | 'stale' | Answered['kind']
  readonly n: number
  readonly live: number
  readonly dead: number
  readonly next_at: Date | null
}

export interface Taken {
  /** Undefined if the mailbox exists and the caller may use it. */
  readonly refused?: 'unknown' | 'denied'
  readonly messages: readonly MessageRow[]
  readonly unreleased: readonly MessageRow[]
  /** By number of the answer. */
  readonly answered: ReadonlyMap<number, string>
  readonly live: number
  readonly dead: number
  /** When this mailbox next changes by time. */
  readonly next_at: Date | null
  /** Of a subscription. */
  readonly topic?: { readonly unread: number; readonly missed: number }
}

export async function takeMessages(db: Database, t: Taking): Promise<Taken> {
  const answers = t.answers.length === 0 ? null : JSON.stringify(t.answers)
  const { rows } = await opening(
    sql<TakenRow>`
      SELECT r.kind, r.n, r.live, r.dead, r.next_at, (r.message).message_id, (r.message).place, (r.message).seq,
        (r.message).qos, (r.message).priority, (r.message).sender_did, (r.message).size, (r.message).attempt,
        CASE WHEN r.kind = 'message' THEN (r.message).sealed END AS sealed, (r.message).wrapped_key,
        (r.message).sent_at, (r.message).expires_at, (r.message).dead_reason, (r.message).note_sealed,
        (r.message).note_key, (r.message).dedupe_key
      FROM svc_mail_receive(${t.mailbox}, ${t.owner_did}::text, ${t.caller_did}, ${t.delegates}::text[],
        ${answers}::jsonb, ${t.mode}, ${t.max}::integer, ${handed_bytes_max}::bigint, ${t.after_place}::bigint,
        ${t.thread_key}::text, ${t.sender_did}::text, ${t.type_key}::text, ${t.at}::timestamptz,
        ${t.until}::timestamptz) r`.execute(db),
    t.caller_did,
  )
  return gather(rows, t.mode)
}

function gather(rows: readonly TakenRow[], mode: Taking['mode']): Taken {
  const of = (kind: TakenRow['kind']) => rows.filter((row) => row.kind === kind)
  const [box] = of('box')
  const answered = rows.filter(({ n }) => n !== null).map(({ n, kind }) => [n, kind] as const)
  const byPlace = (a: MessageRow, b: MessageRow) => Number(a.place) - Number(b.place)
  const first = (a: MessageRow, b: MessageRow) =>
    (mode === 'live' ? b.priority - a.priority : 0) || byPlace(a, b)
  const messages = of('message').toSorted(first)
  const gathered = { messages, unreleased: of('unreleased'), answered: new Map(answered) }
  if (!box)
    return { ...gathered, refused: rows[0]!.kind as 'unknown' | 'denied', live: 0, dead: 0, next_at: null }
  return { ...gathered, live: box.live, dead: box.dead, next_at: box.next_at }
}

/** Which of these the organization has. */
export async function findMailboxes(
  db: Database,
  tenant_id: string,
  mailboxes: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ mailbox: string }>`
    SELECT mailbox FROM mailboxes WHERE tenant_id = ${tenant_id} AND mailbox = ANY(${[...mailboxes]}::text[])`.all(
    db,
  )
  return rows.map(({ mailbox }) => mailbox)
}

export interface DeclaredMailbox {
  readonly mailbox: string
  readonly owner_did: string
  readonly delegates: string[]
}

/** Undefined where there is none. Locked. */
export function lockMailbox(
  db: Database,
  tenant_id: string,
  mailbox: string,
): Promise<DeclaredMailbox | undefined> {
  // biome-ignore format: one thought
  return sql<DeclaredMailbox>`
    SELECT mailbox, owner_did, delegates FROM mailboxes WHERE tenant_id = ${tenant_id} AND mailbox = ${mailbox}
    FOR UPDATE`.first(db)
}

/** Opens it, or takes it if it is nobody's. Another's stays theirs. */
export async function enterMailbox(
  db: Database,
  { tenant_id, mailbox, owner_did, at }: Mailbox & { readonly at: Date },
): Promise<DeclaredMailbox> {
  const query = sql<DeclaredMailbox>`
    SELECT b.mailbox, b.owner_did, b.delegates
    FROM svc_mail_enter(${tenant_id}, ${mailbox}, ${owner_did}::text, ${at}::timestamptz) b`
  return (await opening(query.first(db), owner_did ?? ''))!
}

export async function changeMailbox(
  db: Database,
  tenant_id: string,
  { mailbox, owner_did, delegates }: DeclaredMailbox,
): Promise<void> {
  // biome-ignore format: one thought
  await sql`
    UPDATE mailboxes SET owner_did = ${owner_did}, delegates = ${delegates}::text[]
    WHERE tenant_id = ${tenant_id} AND mailbox = ${mailbox}`.execute(db)
}

async function opening<Result>(query: Promise<Result>, caller_did: string): Promise<Result> {
  try {
    return await query
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === no_treaty_code) throw noTreaty(parseDid(caller_did)?.namespace ?? '', 'no active treaty')
    if (code !== mailboxes_full_code) throw error
    throw refuse(
      'policy_denied',
      `An organization may have ${mailboxes_of_tenant_max} mailboxes, others open only the first ${mailboxes_by_others_max}, and this one would be one more; use one that is there.`,
      { reason: 'too many mailboxes', mailboxes_max: mailboxes_of_tenant_max },
    )
  }
}
