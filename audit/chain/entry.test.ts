import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditEntry, entryText } from '@svc/contract/audit/audit-record'
import { isKnownEvent } from '@svc/contract/audit/event'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import fc from 'fast-check'
import { entryOf } from '../test-audit-log.ts'
import { acceptEntry, isUuid, readOutboxEntry } from './entry.ts'

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

test('an entry without a valid tenant has no chain, so it is an error', () => {
  const message = 'a record names the tenant "No Tenant", which is no tenant id'
  assert.throws(() => acceptEntry(entryOf('No Tenant')), { message })
})

test('a wrong field is replaced and named, the others are kept, and the record is an Error', () => {
  const wrong: [Partial<AuditEntry>, string, unknown][] = [
    [{ id: 'x' }, 'id', undefined],
    [{ correlation_id: 'x' }, 'correlation_id', undefined],
    [{ timestamp: 'x' }, 'timestamp', '1970-01-01T00:00:00Z'],
    [{ outcome: 'maybe' as 'error' }, 'outcome', 'error'],
    [{ latency_ms: -1 }, 'latency_ms', 0],
    [{ latency_ms: Number.NaN }, 'latency_ms', 0],
    [{ latency_ms: Number.POSITIVE_INFINITY }, 'latency_ms', 0],
  ]
  for (const [more, field, value] of wrong) {
    const entry = entryOf('acme', { outcome: 'refused', latency_ms: 0.5, ...more })
    const { entry: repaired, text, unknown_event } = acceptEntry(entry)
    const replaced = repaired[field as keyof AuditEntry]
    if (value === undefined) assert.ok(isUuid(replaced as string))
    else assert.equal(replaced, value)
    const meta = { original_event_type: 'ProtocolInvocation', ...entry.meta, unrecordable: field }
    assert.deepEqual(repaired, { ...entry, [field]: replaced, event_type: 'Error', meta })
    assert.deepEqual([text, unknown_event], [entryText(repaired), false])
  }
})

test('a latency of zero and every outcome are valid', () => {
  for (const outcome of ['success', 'refused', 'error'] as const) {
    const entry = entryOf('acme', { outcome, latency_ms: 0 })
    assert.equal(acceptEntry(entry).entry, entry)
  }
})

test('an unknown event becomes an Error that names it beside what the caller supplied', () => {
  const entry = entryOf('acme', { event_type: 'Odd\ud800', meta: { supplied: { note: 1 }, own: 2 } })
  const supplied = { note: 1, original_event_type: 'Odd\ufffd' }
  const named = { ...entry, event_type: 'Error', meta: { supplied, own: 2 } }
  assert.deepEqual(acceptEntry(entry), { entry: named, text: entryText(named), unknown_event: true })
})

test('supplied content that cannot be stored is dropped, and the facts beside it are kept', () => {
  const marked = { own: 2, supplied: { unrecordable: true } }
  for (const supplied of [{ text: '\ud800' }, { text: 'x'.repeat(256 * 1024) }]) {
    const entry = entryOf('acme', { meta: { own: 2, supplied } })
    const accepted = { ...entry, meta: marked }
    assert.deepEqual(acceptEntry(entry), { entry: accepted, text: entryText(accepted), unknown_event: false })
  }
})

test('an entry may have 256 Ki characters; a longer one loses its meta', () => {
  const bare = entryText(entryOf('acme', { meta: { text: '' } })).length
  const longest = entryOf('acme', { meta: { text: 'x'.repeat(256 * 1024 - bare) } })
  assert.equal(acceptEntry(longest).entry, longest)
  const longer = entryOf('acme', { meta: { text: `${longest.meta.text}x` } })
  assert.deepEqual(acceptEntry(longer).entry.meta, {
    original_event_type: 'ProtocolInvocation',
    unrecordable: 'meta',
  })
})

test('a repaired entry keeps its meta up to half that length, if it has a canonical form', () => {
  const meta = (length: number) => ({ text: 'x'.repeat(length - '{"text":""}'.length) })
  for (const [own, is_kept] of [
    [meta(128 * 1024 - 1), true],
    [meta(128 * 1024), false],
    [{ text: '\ud800' }, false],
  ] as const) {
    const repaired = acceptEntry(entryOf('acme', { id: 'x', meta: own }))
    assert.equal(repaired.entry.meta.text, is_kept ? own.text : undefined)
  }
})

test('an unreadable outbox row is recorded by its hash and length, as of the engine', () => {
  const { entry, unknown_event } = readOutboxEntry('acme', 'not JSON')
  assert.ok(isUuid(entry.id) && isUuid(entry.correlation_id) && entry.id !== entry.correlation_id)
  assert.deepEqual(entry, {
    id: entry.id,
    event_type: 'Error',
    correlation_id: entry.correlation_id,
    timestamp: '1970-01-01T00:00:00Z',
    tenant_id: 'acme',
    caller_did: 'engine',
    outcome: 'error',
    latency_ms: 0,
    meta: { unrecordable: 'outbox entry', entry_sha256: sha256Hex('not JSON'), entry_chars: 8 },
  })
  assert.equal(unknown_event, false)
})
