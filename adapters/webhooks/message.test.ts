import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { Webhook } from 'standardwebhooks'
import { system_clock } from '../clock/system.ts'
import { messageOf } from './message.ts'

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`

function recordWith(meta: AuditRecord['meta']): AuditRecord {
  return {
    id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
    seq: 7,
    event_type: 'ApprovalRequested',
    correlation_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a11',
    timestamp: '2026-11-15T10:00:00.000Z',
    tenant_id: 'acme',
    caller_did: 'did:oas:acme:agent:x',
    outcome: 'success',
    latency_ms: 0,
    meta,
    previous_hash: '0'.repeat(64),
    record_hash: '1'.repeat(64),
  }
}

test('the library of the specification accepts a message, and refuses it with another secret', () => {
  const record = recordWith({ note: 'größer' })
  const { body, headers } = messageOf(record, secret, system_clock.now_ms())
  const { event_type: type, timestamp } = record
  assert.deepEqual(new Webhook(secret).verify(body, headers), { type, timestamp, data: record })
  const other = `whsec_${Buffer.alloc(32, 4).toString('base64')}`
  assert.throws(() => new Webhook(other).verify(body, headers))
  assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
})

test('the signature is that of the specification, for the second of the attempt', () => {
  const record = recordWith({})
  const { body, headers } = messageOf(record, secret, 1_674_087_231_999)
  const signature = new Webhook(secret).sign(record.id, new Date(1_674_087_231_000), body)
  assert.deepEqual(headers, {
    'content-type': 'application/json',
    'webhook-id': record.id,
    'webhook-timestamp': '1674087231',
    'webhook-signature': signature,
  })
})

test('a record that does not fit is named instead, and its body stays within 64 KiB', () => {
  for (const bytes of [60_000, 65_536, 200_000]) {
    const record = recordWith({ text: 'x'.repeat(bytes) })
    const { body } = messageOf(record, secret, 0)
    assert.ok(Buffer.byteLength(body) <= 64 * 1024)
    const { id, seq, event_type, timestamp } = record
    const data = bytes === 60_000 ? record : { id, seq, event_type, timestamp }
    assert.deepEqual(JSON.parse(body).data, data)
  }
})
