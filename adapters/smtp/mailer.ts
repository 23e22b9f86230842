// Sends queued mail: a few at once, again after a pause where the server did not accept it, and then gives up.
import type { Database } from '@svc/contract/database'
import type { Vault } from '@svc/contract/needs/vault'
import type { Tick } from '@svc/contract/tick'
import type { Clock, Log } from '@svc/engine/ports'
import { attachmentBox, endMail, giveUpMail, retryMail, type TakenMail, takeDueMail } from './mail-queue.ts'
import { whyNotMail } from './recipients.ts'
import { MailFault, type Message, type SmtpSettings, type Transport } from './transport.ts'

const mails_at_once = 4
const attempts_max = 12
const wait_ms_min = 30_000
const wait_ms_max = 3_600_000

export interface MailerParts {
  /** As the engine: all tenants. */
  readonly db: Database
  readonly transport: Transport
  readonly settings: Pick<SmtpSettings, 'domains'>
  readonly engine_did: string
  vaultOf(tenant_id: string): Vault
  readonly clock: Pick<Clock, 'now_ms' | 'uuid'>
  readonly log: Log
}

/** Sends what is due, and returns how many that were. */
export async function sendDueMail(parts: MailerParts): Promise<number> {
  const mails = await takeDueMail(parts.db, tickOf(parts), mails_at_once)
  await Promise.all(mails.map((mail) => sendOne(mail, parts)))
  return mails.length
}

async function sendOne(mail: TakenMail, parts: MailerParts): Promise<void> {
  const { db, transport, settings, engine_did, log } = parts
  const { tenant_id, mail_id, login: to, subject, body: text } = mail
  const giveUp = (reason: string) => giveUpMail(db, mail, reason, engine_did, tickOf(parts))
  try {
    // As when it was queued: whoever has left is told nothing more.
    const why_not = await whyNotMail(db, tenant_id, to, settings)
    if (why_not !== undefined) return await giveUp(`The recipient ${why_not}.`)
    await transport.send({ mail_id, to, subject, text, attachment: attachmentOf(mail, parts) })
    await endMail(db, mail)
  } catch (error) {
    if (!(error instanceof MailFault))
      log.warn({ err: error, tenant_id, mail_id }, 'a mail could not be sent; trying again')
    const is_over = error instanceof MailFault && (error.is_permanent || mail.attempts + 1 >= attempts_max)
    await (is_over ? giveUp(error.message) : retryMail(db, mail, nextAttempt(mail, parts))).catch((second) =>
      log.warn({ err: second, tenant_id, mail_id }, 'the state of a mail could not be stored'),
    )
  }
}

function attachmentOf(mail: TakenMail, { vaultOf }: MailerParts): Message['attachment'] {
  const { tenant_id, mail_id, file_name, sealed_file: sealed, wrapped_key } = mail
  if (file_name === null || !sealed || !wrapped_key) return undefined
  return {
    name: file_name,
    content: vaultOf(tenant_id).open(attachmentBox(mail_id), { sealed, wrapped_key }),
  }
}

/** The pauses double from half a minute to an hour. */
function nextAttempt({ attempts }: TakenMail, { clock }: MailerParts): Date {
  return new Date(clock.now_ms() + Math.min(wait_ms_min * 2 ** attempts, wait_ms_max))
}

function tickOf({ clock }: MailerParts): Tick {
  return { now: new Date(clock.now_ms()), newId: () => clock.uuid() }
}
