// E-mail on its way: queued with the rows it is about, and sent by one engine at a time.
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { NewMail } from '@svc/contract/needs/mailing'
import type { Vault } from '@svc/contract/needs/vault'
import type { Tick } from '@svc/contract/tick'
import { sql } from '@svc/database/sql'

const day_ms = 86_400_000
/** Of one organization in a day: a mail server must not become a tool against others. */
const mails_a_day_max = 500
/** Files of views leave the rest to alerts: whoever may have views sent must not be able to silence these. */
const files_a_day_max = 400
/** Longer than an attempt can take; then another engine takes over. */
const turn_s_max = 120
const of_tenant_max = 4
const forgotten_at_once_max = 256

type QueueMail = (db: Database, tenant_id: string, mail: NewMail, at: Date) => Promise<string | undefined>

/** In a transaction of the organization. Returns why it was not queued. */
export function queueMailWith(vaultOf: (tenant_id: string) => Vault, has_server: boolean): QueueMail {
  return async (db, tenant_id, { mail_id, to, subject, text, attachment }, at) => {
    if (!has_server) return 'This engine has no mail server; its operator sets SVC_SMTP_URL.'
    const max = attachment ? files_a_day_max : mails_a_day_max
    const box = attachment && vaultOf(tenant_id).seal(attachmentBox(mail_id), attachment.content)
    const { numAffectedRows } = await sql`
      INSERT INTO outgoing_mail (tenant_id, mail_id, login, subject, body, file_name, sealed_file, wrapped_key, queued_at, next_at)
      SELECT ${tenant_id}, ${mail_id}::uuid, ${to}, ${subject}, ${text}, ${attachment?.name ?? null}, ${box?.sealed ?? null}::bytea,
        ${box?.wrapped_key ?? null}::bytea, ${at}::timestamptz, ${at}::timestamptz
      WHERE (SELECT count(*) FROM outgoing_mail
        WHERE tenant_id = ${tenant_id} AND queued_at > ${new Date(at.getTime() - day_ms)}) < ${max}`.execute(
      db,
    )
    return numAffectedRows === 1n ? undefined : 'The organization has used up its mails of the day.'
  }
}

/** The name an attachment is sealed under. */
export function attachmentBox(mail_id: string): string {
  return `attachment of mail ${mail_id}`
}

export interface TakenMail {
  readonly tenant_id: string
  readonly mail_id: string
  readonly login: string
  readonly subject: string
  readonly body: string
  readonly file_name: string | null
  readonly sealed_file: Buffer | null
  readonly wrapped_key: Buffer | null
  /** Before this one. */
  readonly attempts: number
  readonly taken_by: string
}

export async function takeDueMail(
  db: Database,
  { now, newId }: Tick,
  mails_max: number,
  queued_before: Date | 'infinity' = 'infinity',
): Promise<TakenMail[]> {
  const taken_by = newId()
  const rows = await sql<Omit<TakenMail, 'taken_by'>>`
    WITH ranked AS (
      SELECT tenant_id, mail_id, row_number() OVER (PARTITION BY tenant_id ORDER BY next_at) AS place FROM outgoing_mail
      WHERE next_at <= ${now} AND queued_at < ${queued_before}::timestamptz AND taken_until < clock_timestamp()
    ), due AS (
      SELECT m.tenant_id, m.mail_id FROM outgoing_mail m JOIN ranked USING (tenant_id, mail_id)
      WHERE ranked.place <= ${of_tenant_max} AND m.taken_until < clock_timestamp()
      ORDER BY m.next_at LIMIT ${mails_max} FOR UPDATE OF m SKIP LOCKED
    )
    UPDATE outgoing_mail m SET taken_by = ${taken_by}, taken_until = clock_timestamp() + ${turn_s_max} * interval '1 s'
    FROM due WHERE m.tenant_id = due.tenant_id AND m.mail_id = due.mail_id
    RETURNING m.tenant_id, m.mail_id, m.login, m.subject, m.body, m.file_name, m.sealed_file, m.wrapped_key, m.attempts`.all(
    db,
  )
  return rows.map((row) => ({ ...row, taken_by }))
}

/** Nothing of it stays but that it was sent. False where another engine has it by now. */
export async function endMail(db: Database, { tenant_id, mail_id, taken_by }: TakenMail): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE outgoing_mail SET attempts = attempts + 1, next_at = NULL, subject = '', body = '', file_name = NULL,
      sealed_file = NULL, wrapped_key = NULL, taken_by = NULL,
      taken_until = '-infinity'
    WHERE tenant_id = ${tenant_id} AND mail_id = ${mail_id} AND taken_by = ${taken_by}`.execute(db)
  return numAffectedRows === 1n
}

export async function retryMail(
  db: Database,
  { tenant_id, mail_id, taken_by }: TakenMail,
  next_at: Date,
): Promise<void> {
  await sql`
    UPDATE outgoing_mail SET attempts = attempts + 1, next_at = ${next_at}, taken_by = NULL, taken_until = '-infinity'
    WHERE tenant_id = ${tenant_id} AND mail_id = ${mail_id} AND taken_by = ${taken_by}`.execute(db)
}

/** Recorded with the same commit, once. */
export async function giveUpMail(
  db: Database,
  mail: TakenMail,
  reason: string,
  engine_did: string,
  { now, newId }: Tick,
): Promise<void> {
  const { tenant_id, mail_id, login, subject, attempts } = mail
  await db.transaction(async (transaction) => {
    if (!(await endMail(transaction, mail))) return
    await leaveInOutbox(transaction, {
      id: newId(),
      event_type: 'MailFailed',
      correlation_id: newId(),
      timestamp: now.toISOString(),
      tenant_id,
      caller_did: engine_did,
      outcome: 'error',
      latency_ms: 0,
      meta: { mail_id, to: login, subject, attempts: attempts + 1, reason },
    })
  })
}

/** What waited for a day, as after an engine lost its mail server: nobody would read it now. */
export async function giveUpOldMail(db: Database, engine_did: string, tick: Tick): Promise<void> {
  const before = new Date(tick.now.getTime() - day_ms)
  for (const mail of await takeDueMail(db, tick, forgotten_at_once_max, before))
    await giveUpMail(db, mail, 'It could not be sent within a day.', engine_did, tick)
}

/** What no limit counts any more. */
export async function forgetMail(db: Database, now: Date): Promise<void> {
  await sql`
    DELETE FROM outgoing_mail WHERE (tenant_id, mail_id) IN (
      SELECT tenant_id, mail_id FROM outgoing_mail
      WHERE next_at IS NULL AND queued_at < ${new Date(now.getTime() - day_ms)} LIMIT ${forgotten_at_once_max})`.execute(
    db,
  )
}
