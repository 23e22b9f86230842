import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEngineOwned } from './audit/event.ts'
import { notFound, Refusal, refusals, refuse, unavailable } from './refusal.ts'

// The complete list of the wire contract: no other code exists, and no status ever changes.
const statuses: Record<string, number> = {
  unknown_protocol: 404,
  unknown_version: 404,
  unknown_operation: 404,
  unauthenticated: 401,
  rate_limited: 429,
  capability_denied: 403,
  missing_capability: 403,
  approval_required: 403,
  circuit_open: 503,
  no_endpoint_available: 503,
  draining: 503,
  unavailable: 503,
  timeout: 504,
  not_found: 404,
  invalid_request: 400,
  payload_too_large: 413,
  invalid_payload: 422,
  policy_denied: 422,
  idempotency_key_reused: 422,
  idempotency_in_flight: 409,
  adapter_error: 502,
  protocol_error: 500,
  internal: 500,
}

test('every code has its promised status, and there are no others', () => {
  assert.deepEqual(
    Object.fromEntries(Object.entries(refusals).map(([code, row]) => [code, row.status])),
    statuses,
  )
})

test('exit codes are the CLI table of the spec', () => {
  const exits: [keyof typeof refusals, number][] = [
    ['unauthenticated', 2],
    ['capability_denied', 3],
    ['rate_limited', 4],
    ['timeout', 5],
    ['adapter_error', 6],
    ['policy_denied', 7],
    ['invalid_payload', 1],
  ]
  for (const [code, exit] of exits) assert.equal(refusals[code].exit, exit, code)
})

test('every row names a registered event, and only failures are errors', () => {
  for (const [code, row] of Object.entries(refusals)) {
    assert.ok(isEngineOwned(row.event), code)
    assert.equal(
      row.outcome === 'error',
      ['protocol_error', 'internal', 'adapter_error', 'unavailable', 'timeout'].includes(code),
      code,
    )
  }
})

test('clients are told to wait only where waiting helps, and never to retry a policy', () => {
  assert.equal(refusals.policy_denied.retry, 'never')
  assert.equal(refusals.rate_limited.retry, 'after_delay')
  assert.equal(refusals.circuit_open.retry, 'back_off')
  assert.equal(refusals.unavailable.retry, 'back_off')
})

test('an unavailable dependency is named, can be retried, and says where the call may have run', () => {
  const cause = new Error('no answer within 1000 ms')
  const undecided = unavailable('delegations', cause)
  assert.deepEqual(undecided.row, refusals.unavailable)
  assert.deepEqual(undecided.details, {
    reason: 'delegations unavailable',
    unavailable: 'delegations',
    retry_after_ms: 1000,
  })
  assert.equal(undecided.cause, cause)
  assert.match(undecided.message, /neither allowed nor denied/)
  const unconfirmed = unavailable('database', cause, 'unknown')
  assert.equal(unconfirmed.details.outcome, 'unknown')
  assert.match(unconfirmed.message, /may or may not have been done.*idempotency key/)
})

test('a refusal carries its row, its sentence and its details', () => {
  const refusal = refuse('rate_limited', 'Too many calls; wait a second.', { retry_after_ms: 1000 })
  assert.ok(refusal instanceof Error)
  assert.equal(refusal.row, refusals.rate_limited)
  assert.equal(refusal.message, 'Too many calls; wait a second.')
  assert.equal(refusal.details.retry_after_ms, 1000)
})

test('not found has one message, for absent objects and for those of others', () => {
  const refusal = notFound('treaty', 'sha256:00')
  assert.ok(refusal instanceof Refusal)
  assert.equal(refusal.code, 'invalid_payload')
  assert.equal(refusal.details.reason, 'not_found')
  assert.match(refusal.message, /treaty sha256:00/)
})
