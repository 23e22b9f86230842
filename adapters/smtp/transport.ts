// One mail to one person, by the mail server of the operator.
import { rootCertificates } from 'node:tls'
import { createTransport } from 'nodemailer'
import { within } from '../clock/within.ts'

const connect_ms_max = 10_000
const silent_ms_max = 20_000
const send_ms_max = 60_000
const connections_max = 2
const permanent = 500

export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS is required, except on this machine. */
  readonly is_secure: boolean
  readonly is_loopback: boolean
  readonly user?: { readonly name: string; readonly password: string } | undefined
  readonly from: string
  /** Mail is sent to addresses of these only; empty for all. */
  readonly domains: readonly string[]
  /** PEM of certificate authorities to trust besides the system's. */
  readonly ca?: string | undefined
}

export interface Message {
  readonly mail_id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  /** CSV. */
  readonly attachment?: { readonly name: string; readonly content: Buffer } | undefined
}

/** Why a mail was not accepted; never text of the server. */
export class MailFault extends Error {
  readonly is_permanent: boolean
  constructor(message: string, is_permanent: boolean) {
    super(message)
    this.is_permanent = is_permanent
  }
}

export interface Transport {
  /** Throws a MailFault where it was not accepted. */
  send(message: Message): Promise<void>
  close(): void
}

export function openTransport(settings: SmtpSettings): Transport {
  const { host, port, is_secure, is_loopback, user, from, ca } = settings
  const transporter = createTransport({
    pool: true,
    maxConnections: connections_max,
    host,
    port,
    secure: is_secure,
    requireTLS: !is_secure && !is_loopback,
    ...(user && { auth: { user: user.name, pass: user.password } }),
    tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca: [...rootCertificates, ca] }) },
    connectionTimeout: connect_ms_max,
    greetingTimeout: connect_ms_max,
    socketTimeout: silent_ms_max,
    // A mail is made of nothing but what is handed in.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ mail_id, to, subject, text, attachment }) {
      const sending = transporter.sendMail({
        from,
        to: { name: '', address: to },
        subject: oneLine(subject),
        text,
        // The same whenever it is sent again, so that a mailbox can drop the second.
        messageId: `<${mail_id}@${host}>`,
        ...(attachment && {
          attachments: [
            {
              filename: attachment.name,
              content: attachment.content,
              contentType: 'text/csv; charset=utf-8',
            },
          ],
        }),
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      await within(send_ms_max, sending).catch((error) => {
        throw faultOf(error)
      })
    },
    close: () => transporter.close(),
  }
}

const control_characters = /[\p{Cc}\p{Zl}\p{Zp}]+/gu

/** No text becomes a header of its own. */
function oneLine(text: string): string {
  return text.replace(control_characters, ' ').slice(0, 200)
}

interface ServerFault {
  readonly responseCode?: number
  readonly code?: string
}

function faultOf(error: ServerFault): MailFault {
  const { responseCode, code } = error
  // Only what the server says of this mail is final; what it says of us, the operator can repair.
  const is_of_mail = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (responseCode !== undefined)
    return new MailFault(`The mail server answered ${responseCode}.`, is_of_mail && responseCode >= permanent)
  const word = typeof code === 'string' && /^[A-Z_]{1,32}$/.test(code) ? code : 'no answer'
  return new MailFault(`The mail server could not be used: ${word}.`, false)
}
