import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, sha256Hex } from '../signing/canonical-json.ts'
import {
  type AuditEntry,
  bodyText,
  endsCall,
  entryText,
  genesis_hash,
  isNote,
  recordHash,
} from './audit-record.ts'

const hostile = fc.constantFrom(
  ',"tenant_id":"',
  '","tenant_id":"evil","timestamp":"2026-01-01T00:00:00Z"}',
  '{"seq":1}',
  '\\',
  '\\"',
  '"',
  '\u0000\n\u2028',
  '\ud83d\ude00',
  '__proto__',
)
const text = fc.oneof({ weight: 2, arbitrary: hostile }, fc.string({ unit: 'binary', maxLength: 40 }))
const meta_value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
}))

const entries: fc.Arbitrary<AuditEntry> = fc.record(
  {
    id: fc.uuid(),
    event_type: text,
    correlation_id: fc.uuid(),
    timestamp: fc
      .date({
        min: new Date('2000-01-01T00:00:00Z'),
        max: new Date('2100-01-01T00:00:00Z'),
        noInvalidDate: true,
      })
      .map((date) => date.toISOString()),
    tenant_id: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/),
    caller_did: text,
    protocol: text,
    operation: text,
    outcome: fc.constantFrom('success', 'refused', 'error'),
    latency_ms: fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.nat()),
    meta: fc.oneof(
      meta_value.object,
      fc.constant({ tenant_id: 'evil', z: { ',"tenant_id":"': [{ a: 1, tenant_id: 'x' }] } }),
    ),
  },
  {
    requiredKeys: [
      'id',
      'event_type',
      'correlation_id',
      'timestamp',
      'tenant_id',
      'caller_did',
      'outcome',
      'latency_ms',
      'meta',
    ],
  },
) as fc.Arbitrary<AuditEntry>

test('an entry with its seq inserted is the canonical JSON of the whole body, for any strings', () => {
  fc.assert(
    fc.property(entries, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (entry, seq) => {
      assert.equal(entryText(entry), canonicalJson(entry))
      assert.equal(bodyText(entryText(entry), seq), canonicalJson({ ...entry, seq }))
    }),
    { numRuns: 5000 },
  )
})

const plain: AuditEntry = {
  id: '00000000-0000-4000-8000-000000000001',
  event_type: 'Error',
  correlation_id: '00000000-0000-4000-8000-000000000002',
  timestamp: '2026-11-15T10:00:00.000Z',
  tenant_id: 'acme',
  caller_did: 'did:oas:acme:agent:x',
  protocol: 'MAX',
  operation: 'audit_query',
  outcome: 'refused',
  latency_ms: 0.25,
  meta: { code: 'unknown_operation' },
}

test('a lone surrogate in a name is replaced, so the record stays canonical and can be verified', () => {
  const names = (mark: string) => ({
    operation: `x${mark}y`,
    caller_did: mark,
    protocol: `${mark}p`,
    event_type: `custom.${mark}`,
  })
  const written = bodyText(entryText({ ...plain, ...names('\udc00') }), 7)
  assert.equal(written, canonicalJson({ ...plain, ...names('\ufffd'), seq: 7 }))
  assert.equal(canonicalJson(JSON.parse(written)), written)
})

test('a record hash is what a shell would compute from the previous hash and the body', () => {
  const body = bodyText(entryText(plain), 1)
  assert.equal(genesis_hash, '0000000000000000000000000000000000000000000000000000000000000000')
  assert.equal(recordHash(genesis_hash, body), sha256Hex(Buffer.from(genesis_hash + body, 'utf8')))
  assert.notEqual(recordHash(genesis_hash, body), recordHash(genesis_hash, bodyText(entryText(plain), 2)))
})

test('a note of a caller is told apart from the record that ends a call', () => {
  const kinds: [event_type: string, meta: Record<string, unknown>, is_note: boolean, ends: boolean][] = [
    ['custom.shift', {}, true, false],
    ['custom.shift', { code: 'x', dry_run: true }, true, false],
    ['not.custom.', {}, false, false],
    ['ProtocolInvocation', {}, false, true],
    ['ProtocolInvocation', { appended: true }, true, false],
    ['ProtocolInvocation', { appended: 'true' }, false, true],
    ['Error', {}, true, false],
    ['Error', { code: 'internal' }, false, true],
    ['Error', { code: 'internal', original_event_type: 'X' }, true, false],
    ['Error', { original_event_type: 'X' }, true, false],
    ['AuthorizationCheck', { code: 'policy_denied' }, false, true],
    ['AuthorizationCheck', { code: 'policy_denied', original_event_type: 'X' }, false, true],
    ['AuthorizationCheck', {}, false, false],
    ['AuthorizationCheck', { dry_run: true }, false, true],
    ['AuthorizationCheck', { dry_run: false }, false, false],
  ]
  for (const [event_type, meta, is_note, ends] of kinds) {
    const what = `${event_type} ${JSON.stringify(meta)}`
    assert.deepEqual([isNote({ event_type, meta }), endsCall({ event_type, meta })], [is_note, ends], what)
  }
})
