// The content and size of a message before sealing. Pure.

import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, Text } from '@svc/contract/schema'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { Address } from './mail-address.ts'

const jwe_chars_max = 7 * 1024 * 1024

export const ContentType = Type.String({
  pattern: '^[a-z]+/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}(?:; ?[a-z-]+=[A-Za-z0-9._-]{1,64}){0,4}$',
  maxLength: 256,
  description:
    'What the body is. Absent or JSON: any JSON; text/…: a string; anything else: bytes in base64, which count as sent.',
})

export const Encrypted = Closed(
  {
    recipient_key: Text(256, { description: 'Which key of the recipient opens it: a key id or thumbprint.' }),
    jwe: Type.String({
      pattern: '^[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]*){4}$',
      maxLength: jwe_chars_max,
      description: 'JWE in compact form (RFC 7516); only the recipient can open it.',
    }),
  },
  { description: 'The body as only the recipient can read it; then there is no body beside it.' },
)

/** Headers are sent with the body and count toward its size. */
export const headers = {
  content_type: Type.Optional(ContentType),
  ordering_key: Type.Optional(
    Text(128, { description: 'Messages with the same key are handed out in the order they were taken in.' }),
  ),
  dedupe_id: Type.Optional(
    Text(128, {
      description:
        'The same id of the same sender to the same mailbox within 30 days is the same message. QoS 2 needs one; the idempotency key stands in for it.',
    }),
  ),
  reply_to: Type.Optional(Address),
  thread_id: Type.Optional(Text(128, { description: 'Groups messages of one conversation.' })),
}
const header_names = Object.keys(headers) as (keyof typeof headers)[]

export const Written = Closed({
  body: Type.Optional(
    Type.Unknown({ description: 'Any JSON; a string of base64 where content_type says bytes.' }),
  ),
  encrypted: Type.Optional(Encrypted),
  ...headers,
})
export type Written = Static<typeof Written>

export interface Letter {
  /** The JCS text of the message, which is sealed. */
  readonly text: string
  /** Bytes of JCS(body), or of jwe and recipient_key, plus the names and values of the headers present. */
  readonly size: number
}

export function writeLetter(written: Written, bytes_max: number): Letter {
  requireOneContent(written)
  requireFitting(written)
  const { encrypted, body } = written
  const headers_bytes = header_names.reduce((sum, name) => sum + bytesOfHeader(name, written[name]), 0)
  const content = encrypted ? encrypted.jwe + encrypted.recipient_key : canonicalJson(body)
  const size = Buffer.byteLength(content) + headers_bytes
  if (size > bytes_max) throw tooLarge(size, bytes_max)
  return { text: encrypted ? canonicalJson(written) : withBody(content, written), size }
}

/** The canonical text. A large body is serialized only once: its name sorts first. */
function withBody(body_text: string, { body: _, ...headers }: Written): string {
  const rest = canonicalJson(headers).slice(1)
  return `{"body":${body_text}${rest === '}' ? '' : ','}${rest}`
}

function bytesOfHeader(name: string, value: string | undefined): number {
  return value === undefined ? 0 : name.length + Buffer.byteLength(value)
}

export function tooLarge(size: number, bytes_max: number): Refusal {
  return refuse(
    'invalid_payload',
    `The message has ${size} bytes with its headers, and ${bytes_max} are allowed; send less, or a reference to it.`,
    { reason: 'too_large', path: '/body', size, bytes_max },
  )
}

function requireOneContent({ body, encrypted }: Written): void {
  if ((body === undefined) !== (encrypted === undefined)) {
    if (encrypted) requireJwe(encrypted.jwe)
    return
  }
  throw wrong(
    '/body',
    body === undefined
      ? 'is missing; a message has a body, or encrypted instead'
      : 'stands beside encrypted; send one of them',
    'content',
  )
}

/** Checks the form only: the service has no key for it. */
function requireJwe(jwe: string): void {
  try {
    const { alg, enc } = JSON.parse(Buffer.from(jwe.slice(0, jwe.indexOf('.')), 'base64url').toString())
    if (typeof alg === 'string' && typeof enc === 'string') return
  } catch {}
  throw wrong('/encrypted/jwe', 'has no protected header with alg and enc; encrypt it with RFC 7516', 'jwe')
}

const base64_form = /^[A-Za-z0-9+/]*={0,2}$/

function requireFitting({ body, content_type }: Written): void {
  if (content_type === undefined || body === undefined) return
  const [type = ''] = content_type.split(';')
  if (type === 'application/json' || type.endsWith('+json')) return
  if (typeof body !== 'string')
    throw wrong('/body', `is no string, but ${content_type} is not JSON`, 'content')
  if (type.startsWith('text/') || (body.length % 4 === 0 && base64_form.test(body))) return
  throw wrong('/body', `is not base64, as the bytes of ${content_type} must be`, 'content')
}

export function wrong(pointer: string, message: string, reason: string): Refusal {
  return refuse('invalid_payload', `The message cannot be taken: ${pointer} ${message}.`, {
    reason,
    path: pointer,
    faults: [{ pointer, message }],
  })
}
