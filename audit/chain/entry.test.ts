import assert from 'node:assert/strict'
import test from 'node:test'
import { type AuditEntry, entryText } from '@svc/contract/audit/audit-record'
import { isKnownEvent } from '@svc/contract/audit/event'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import fc from 'fast-check'
import { entryOf } from '../test-audit-log.ts'
import { acceptEntry, readOutboxEntry } from './entry.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\ud800', ',"tenant_id":"', '\u0000\n'),
)
const hostile: fc.Arbitrary<Partial<AuditEntry>> = fc.record(
  {
    id: text,
    correlation_id: text,
    event_type: fc.oneof(text, fc.constantFrom('Error', 'ProtocolInvocation', 'custom.mine')),
    timestamp: text,
    caller_did: text,
    protocol: text,
    operation: text,
    outcome: fc.constantFrom('success', 'refused', 'error', 'maybe' as 'error'),
    latency_ms: fc.double(),
    meta: fc.dictionary(text, fc.anything()),
  },
  { requiredKeys: [] },
)

test('any entry becomes a known event in canonical form', () => {
  fc.assert(
    fc.property(hostile, (more) => {
      const accepted = acceptEntry(entryOf('acme', more))
      assert.equal(accepted.text, canonicalJson(JSON.parse(accepted.text)))
      assert.ok(isKnownEvent(JSON.parse(accepted.text).event_type))
      assert.ok(!accepted.text.includes('\n'))
      assert.equal(JSON.parse(accepted.text).tenant_id, 'acme')
    }),
    { numRuns: 500 },
  )
})

test('a valid entry is taken unchanged', () => {
  const entry = entryOf('acme')
  assert.deepEqual(acceptEntry(entry), { entry, text: entryText(entry), unknown_event: false })
})

test('an outbox row counts only for its own tenant and only in canonical form', () => {
  const entry = entryOf('acme', { event_type: 'TreatySigned' })
  assert.equal(readOutboxEntry('acme', entryText(entry)).entry.id, entry.id)
  for (const row of [entryText(entryOf('rival')), ` ${entryText(entry)}`, '{}', 'null', '', '[1]']) {
    const outbox_entry = readOutboxEntry('acme', row)
    assert.equal(outbox_entry.entry.tenant_id, 'acme')
    assert.equal(outbox_entry.entry.event_type, 'Error')
    assert.equal(outbox_entry.entry.meta.unrecordable, 'outbox entry')
  }
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (row) => {
      assert.equal(readOutboxEntry('acme', row).entry.tenant_id, 'acme')
    }),
  )
})
