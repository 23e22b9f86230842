// Verifies what an engine posts to a webhook, as the Standard Webhooks specification describes it.
import type { AuditRecord } from '../answer.ts'
import { fromBase64, utf8 } from './bytes.ts'
import { isObject } from './fault.ts'

const secret_start = 'whsec_'
const tolerance_s = 5 * 60
/** A sender that changes its secret signs with both; more than a few is an attack. */
const signatures_max = 8

/** One event of the audit log. Of a very large record `data` has only its id, seq, event_type and timestamp. */
export interface WebhookEvent {
  type: string
  timestamp: string
  data: Pick<AuditRecord, 'id' | 'seq' | 'event_type' | 'timestamp'> & Partial<AuditRecord>
}

/** The event, or why it is not to be believed. */
export type WebhookVerdict = { ok: true; id: string; event: WebhookEvent } | { ok: false; reason: string }

/** As Node has them, or a `Headers`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Checks that a request was posted by your organization's webhook, unchanged and at most five minutes ago. `body` is the body as it
 * was received, before any parsing. Never throws: whatever is wrong is the verdict. Deliveries may be repeated: `id` is the same each time.
 *
 * @example
 * ```ts
 * import { verifyWebhook } from '@svc/sdk'
 *
 * const headers = { 'webhook-id': 'x', 'webhook-timestamp': '1764000000', 'webhook-signature': 'v1,x' }
 * const verdict = await verifyWebhook('{}', headers, 'whsec_AAAA', new Date(1_764_000_000_000))
 * console.log(verdict)
 * ```
 *
 * ```output
 * { ok: false, reason: 'its signature is not made with this secret' }
 * ```
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  now: Date = new Date(),
): Promise<WebhookVerdict> {
  const text = String(secret)
  const key = text.startsWith(secret_start) ? fromBase64(text.slice(secret_start.length)) : undefined
  if (!key?.length) return { ok: false, reason: `the secret is not of the form ${secret_start}…` }
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!id || !timestamp || !signatures)
    return { ok: false, reason: 'webhook-id, webhook-timestamp or webhook-signature is missing' }
  const is_timely = Math.abs(now.getTime() / 1000 - Number(timestamp)) <= tolerance_s
  if (!/^\d{1,12}$/.test(timestamp) || !is_timely)
    return { ok: false, reason: `its time is not within ${tolerance_s / 60} minutes of now` }
  const bytes = typeof body === 'string' ? utf8(body) : body
  if (!(bytes instanceof Uint8Array))
    return {
      ok: false,
      reason: 'its body is neither text nor bytes; pass it as received, before any parsing',
    }
  if (!(await isSigned(key, joined(utf8(`${id}.${timestamp}.`), bytes), signatures)))
    return { ok: false, reason: 'its signature is not made with this secret' }
  const event = eventIn(bytes)
  return event ? { ok: true, id, event } : { ok: false, reason: 'its body is no event' }
}

/** The platform compares in constant time. */
async function isSigned(
  key: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
  signatures: string,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const { subtle } = globalThis.crypto
  const hmac = await subtle.importKey('raw', key, algorithm, false, ['verify'])
  for (const signature of signatures.split(' ', signatures_max)) {
    const [version, text = ''] = signature.split(',', 2)
    const bytes = version === 'v1' ? fromBase64(text) : undefined
    if (bytes && (await subtle.verify(algorithm, hmac, bytes, message))) return true
  }
  return false
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const entry = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)
  return typeof entry?.[1] === 'string' ? entry[1] : undefined
}

function joined(start: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(start.length + rest.length)
  bytes.set(start)
  bytes.set(rest, start.length)
  return bytes
}

function eventIn(bytes: Uint8Array): WebhookEvent | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (!isObject(value) || typeof value.type !== 'string' || !isObject(value.data)) return undefined
    return value as unknown as WebhookEvent
  } catch {
    return undefined
  }
}
