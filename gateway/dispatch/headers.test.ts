import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import { isDryRun, readHeaders, requireJson, traceContextOf, wantsReceipt, wantsStream } from './headers.ts'

const refusedFor = (reason: string) => (thrown: unknown) =>
  thrown instanceof Refusal && thrown.code === 'invalid_request' && thrown.details.reason === reason

test('headers are read in any letter case, and only those a dispatch uses', () => {
  const raw = ['Authorization', 'Bearer x', 'X-AGENT-DID', 'did:a', 'X-Other', '1', 'Pragma', 'c']
  assert.deepEqual(readHeaders(raw), { authorization: 'Bearer x', 'x-agent-did': 'did:a' })
  assert.deepEqual(readHeaders([]), {})
})

test('a repeated header is refused, even with equal values', () => {
  const looked_at = [
    'authorization',
    'x-agent-did',
    'content-type',
    'content-length',
    'content-encoding',
    'accept',
    'prefer',
    'traceparent',
    'tracestate',
    'idempotency-key',
    'x-svc-dry-run',
    'cookie',
    'x-svc-csrf',
  ]
  for (const name of looked_at) {
    const twice = [name, 'a', 'host', 'h', name.toUpperCase(), 'a']
    assert.throws(() => readHeaders(twice), refusedFor('duplicate header'), name)
  }
  assert.throws(
    () => readHeaders(['accept', '', 'accept', '']),
    refusedFor('duplicate header'),
    'empty ones too',
  )
  assert.deepEqual(readHeaders(['x-other', 'a', 'x-other', 'b']), {})
})

test('headers named like inherited properties are just unknown headers', () => {
  assert.deepEqual(readHeaders(['__proto__', 'x', 'constructor', 'y', 'toString', 'z']), {})
})

const trace_id = '0af7651916cd43dd8448eb211c80319c'
const span_id = 'b7ad6b7169203331'
const traceparent = `00-${trace_id}-${span_id}-01`

test('a traceparent is used only where it is valid', () => {
  assert.deepEqual(traceContextOf({ traceparent }), { traceparent })
  const wrong = [
    '',
    `00-${trace_id}-${span_id}`,
    `00-${trace_id.toUpperCase()}-${span_id}-01`,
    `00-${'0'.repeat(32)}-${span_id}-01`,
    `00-${trace_id}-${'0'.repeat(16)}-01`,
    `ff-${trace_id}-${span_id}-01`,
    `${traceparent} `,
    `${traceparent}-extra`,
    `00-${trace_id}x-${span_id}-01`,
    `0-${trace_id}-${span_id}-01`,
    `${traceparent}\n`,
  ]
  for (const value of wrong) assert.equal(traceContextOf({ traceparent: value }), undefined, value)
  assert.equal(traceContextOf({}), undefined)
})

test('a tracestate is used only with its traceparent', () => {
  assert.deepEqual(traceContextOf({ traceparent, tracestate: 'a=1' }), { traceparent, tracestate: 'a=1' })
  assert.equal(traceContextOf({ tracestate: 'a=1' }), undefined)
  assert.equal(traceContextOf({ traceparent: 'x', tracestate: 'a=1' }), undefined)
  const [longest, longer] = ['x'.repeat(512), 'x'.repeat(513)]
  assert.equal(traceContextOf({ traceparent, tracestate: longest })?.tracestate, longest)
  assert.deepEqual(traceContextOf({ traceparent, tracestate: longer }), { traceparent })
  for (const tracestate of ['', 'a=\u0001', 'a=1\n', 'a=é', 'a=\ud800'])
    assert.deepEqual(traceContextOf({ traceparent, tracestate }), { traceparent }, JSON.stringify(tracestate))
})

test('a body must be declared as JSON, and must not be compressed', () => {
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json ;x',
  ]) {
    assert.doesNotThrow(() => requireJson({ 'content-type': type }), type)
  }
  for (const type of [undefined, '', 'text/plain', 'application/jsonp', 'text/plain; application/json']) {
    assert.throws(() => requireJson({ 'content-type': type }), refusedFor('content type'), type)
  }
  const json = { 'content-type': 'application/json' }
  assert.doesNotThrow(() => requireJson({ ...json, 'content-encoding': 'identity' }))
  for (const encoding of ['gzip', 'br', 'identity, gzip', '']) {
    assert.throws(
      () => requireJson({ ...json, 'content-encoding': encoding }),
      refusedFor('content encoding'),
      encoding,
    )
  }
})

test('a stream is sent where its media type is accepted', () => {
  const yes = [
    'text/event-stream',
    'Text/Event-Stream',
    'application/json, text/event-stream',
    'text/event-stream;q=0.5',
  ]
  for (const accept of yes) assert.equal(wantsStream({ accept }), true, accept)
  const no = [
    '*/*',
    'application/json',
    'text/event-stream;q=0',
    'text/event-stream; q=0.000',
    'text/event-streams',
    '',
  ]
  for (const accept of no) assert.equal(wantsStream({ accept }), false, accept)
  assert.equal(wantsStream({}), false)
})

test('a receipt is sent where the preference is exact', () => {
  for (const prefer of ['wait=audit', 'WAIT=Audit', 'respond-async, wait=audit', ' wait=audit ,x']) {
    assert.equal(wantsReceipt({ prefer }), true, prefer)
  }
  for (const prefer of ['wait=10', 'wait', 'audit', 'nowait=audit', 'wait=audited', '']) {
    assert.equal(wantsReceipt({ prefer }), false, prefer)
  }
  assert.equal(wantsReceipt({}), false)
})

test('a dry run has one spelling, and anything unclear is refused rather than run', () => {
  assert.equal(isDryRun({ 'x-svc-dry-run': 'true' }), true)
  assert.equal(isDryRun({ 'x-svc-dry-run': 'True' }), true)
  assert.equal(isDryRun({ 'x-svc-dry-run': 'false' }), false)
  assert.equal(isDryRun({}), false)
  for (const value of ['', '1', 'yes', 'true ', 'true, false']) {
    assert.throws(() => isDryRun({ 'x-svc-dry-run': value }), refusedFor('dry run header'), value)
  }
})
