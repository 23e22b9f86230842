// A delivery as the Standard Webhooks specification wants it: one record as JSON, signed with its id and time.
import { createHmac } from 'node:crypto'
import type { AuditRecord } from '@svc/contract/audit/audit-record'

const body_bytes_max = 64 * 1024
const secret_start = 'whsec_'

export interface Message {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** `now_ms` is the time of this attempt; the id stays the same over all of them. */
export function messageOf(record: AuditRecord, secret: string, now_ms: number): Message {
  const body = bodyOf(record)
  const timestamp = String(Math.floor(now_ms / 1000))
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': record.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signatureOf(`${record.id}.${timestamp}.${body}`, secret)}`,
    },
  }
}

/** Without its contents where it would be too large; the receiver then finds the record by its seq. */
function bodyOf(record: AuditRecord): string {
  const { id, seq, event_type: type, timestamp } = record
  const whole = JSON.stringify({ type, timestamp, data: record })
  if (Buffer.byteLength(whole) <= body_bytes_max) return whole
  return JSON.stringify({ type, timestamp, data: { id, seq, event_type: type, timestamp } })
}

function signatureOf(text: string, secret: string): string {
  const key = Buffer.from(secret.slice(secret_start.length), 'base64')
  return createHmac('sha256', key).update(text).digest('base64')
}

/** Under which the secret of a webhook is sealed. */
export function secretName(name: string): string {
  return `secret of webhook ${name}`
}
