import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { refusals } from '../../generated/sdk-operations.ts'
import { readAnswerHeaders, retryAfterMs } from './answer-headers.ts'
import { refusalOf, SvcError } from './errors.ts'

const wire = {
  code: 'capability_denied',
  message: 'one sentence',
  reason: 'no active treaty',
  stage: 4,
  correlation_id: 'c',
  retryable: false,
  retry_after_ms: null,
  details: { requested_capability: 'svc.max.audit_query' },
  audit_head: 'h',
}

test('a refusal keeps every field, and serializes them all', () => {
  const error = refusalOf({ error: wire }, 403, null)
  assert.ok(error instanceof SvcError && error instanceof Error)
  assert.deepEqual(JSON.parse(JSON.stringify(error)), wire)
  assert.equal(error.name, 'SvcError')
})

test('an unknown code keeps its message, and is stored in the details', () => {
  const error = refusalOf({ error: { ...wire, code: 'quota_spent' } }, 402, null)
  assert.equal(error.code, 'bad_answer')
  assert.equal(error.message, wire.message)
  assert.deepEqual(error.details, { ...wire.details, code: 'quota_spent', status: 402 })
  // Names of Object members are not codes.
  assert.equal(refusalOf({ error: { ...wire, code: 'constructor' } }, 400, null).code, 'bad_answer')
})

test("a proxy's page is not an answer of the service, whatever it contains", () => {
  const bodies = [undefined, null, 'text', [], {}, { error: 'no' }, { error: { code: 1, message: 'x' } }]
  for (const body of bodies) {
    const error = refusalOf(body, 502, '5', { api_url: 'http://here' })
    assert.equal(error.code, 'bad_answer')
    assert.match(error.message, /^http:\/\/here answered 502 .*proxy.*\.$/)
    assert.equal(error.retryable, false)
  }
  assert.match(refusalOf(undefined, 404, null).message, /check that apiUrl/)
})

test('no answer makes parsing fail, and its fields have their types', () => {
  const property = fc.property(fc.jsonValue(), fc.integer({ min: 300, max: 599 }), (body, status) => {
    const bodies = [body, { error: body }, { error: { ...wire, ...(body as object), message: 'm' } }]
    for (const each of bodies) {
      const error = refusalOf(each, status, null)
      assert.ok(error.code in refusals || error.code === 'bad_answer')
      assert.equal(typeof error.message, 'string')
      assert.equal(typeof error.retryable, 'boolean')
      assert.equal(typeof error.details, 'object')
      assert.ok(error.retry_after_ms === null || error.retry_after_ms >= 0)
    }
  })
  fc.assert(property)
})

test("the wait is the body's, else that of Retry-After in seconds or as a date", () => {
  const limited = (retry_after_ms: unknown) => ({ error: { ...wire, code: 'rate_limited', retry_after_ms } })
  assert.equal(refusalOf(limited(500), 429, '1').retry_after_ms, 500)
  for (const bad of [null, undefined, -1, '5', Number.NaN])
    assert.equal(refusalOf(limited(bad), 429, '7').retry_after_ms, 7_000)
  const answered_at = 'Sun, 06 Nov 1994 08:49:30 GMT'
  assert.equal(retryAfterMs('Sun, 06 Nov 1994 08:49:37 GMT', answered_at), 7_000)
  assert.equal(retryAfterMs('Sun, 06 Nov 1994 08:49:00 GMT', answered_at), 0)
  for (const bad of ['soon', '-1', '', '1e9', '9'.repeat(13)]) assert.equal(retryAfterMs(bad, null), null)
})

test('trace and rate limit are read from the headers; an incomplete limit is ignored', () => {
  const headers = new Headers({
    'x-correlation-id': 'c',
    traceparent: 't',
    'x-ratelimit-limit': '10',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '3',
  })
  const rate_limit = { limit: 10, remaining: 0, reset_s: 3 }
  assert.deepEqual(readAnswerHeaders(headers), { correlation_id: 'c', traceparent: 't', rate_limit })
  headers.set('x-ratelimit-reset', 'soon')
  assert.equal(readAnswerHeaders(headers).rate_limit, null)
})
