import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal, refuse } from '@svc/contract/refusal'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { askedOf, callBefore, testPorts, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import type { Asked, Placed } from '../call.ts'
import {
  fingerprintOf,
  isFinal,
  isHeld,
  oldestKept,
  openAnswer,
  refuseOthers,
  type StoredAnswer,
  sealAnswer,
  stillRunning,
} from './stored-answer.ts'

const ports = testPorts([tryProtocol(() => ({}))])
const secret_ports = testPorts([tryProtocol(() => ({}), { secret_output: true })])
const callOf = (request: Partial<Asked['request']> = {}, from = ports): Promise<Placed> =>
  callBefore(7, askedOf(request), from)

function refusalOf(work: () => unknown): Refusal {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof Refusal)
    return error
  }
  return assert.fail('it was not refused')
}

test('a fingerprint is of input, operation, protocol and requested version, whatever the order of fields', async () => {
  const call = await callOf({ input: { b: [1], a: 'x' } })
  const text = '{"input":{"a":"x","b":[1]},"operation":"run","protocol":"TRY","version":"v1.0.0"}'
  assert.equal(fingerprintOf(call), sha256Hex(text))
  assert.equal(fingerprintOf(await callOf({ input: { a: 'x', b: [1] } })), sha256Hex(text))
  assert.notEqual(fingerprintOf(await callOf({ input: { a: 'x', b: [2] } })), sha256Hex(text))
  assert.notEqual(fingerprintOf(await callOf({ input: { a: 'x', b: [1] }, version: 'v1' })), sha256Hex(text))
})

test('only the same caller with the same request may use the row, finished or not', async () => {
  const call = await callOf()
  const asking = { call, key: 'order-7', fingerprint: 'f' }
  const row = (more: Partial<StoredAnswer> = {}): StoredAnswer => ({
    caller_did: call.caller.did,
    fingerprint: 'f',
    created_at: new Date(0),
    output_text: '{}',
    ...more,
  })
  assert.equal(isHeld(asking, row()), false)
  assert.equal(isHeld(asking, row({ output_text: null })), true)
  refuseOthers(asking, row({ output_text: null }))
  for (const output_text of ['{}', null]) {
    const other_request = row({ fingerprint: 'g', output_text })
    const other_caller = row({ caller_did: 'did:oas:acme:agent:b', output_text })
    for (const [others, reason] of [
      [other_request, 'another request'],
      [other_caller, 'another caller'],
    ] as const) {
      for (const judge of [refuseOthers, isHeld]) {
        const refusal = refusalOf(() => judge(asking, others))
        assert.equal(refusal.code, 'idempotency_key_reused')
        assert.match(refusal.message, /^Idempotency key order-7 was used within 24 hours for another request/)
        assert.equal(refusal.details.reason, reason)
      }
    }
  }
})

test('an answer is replayed for 24 hours', async () => {
  const call = await callOf()
  assert.equal(call.now_ms - oldestKept(call).getTime(), 86_400_000)
})

test('only a refusal that no retry can change is final', () => {
  assert.ok(isFinal(refuse('policy_denied', 'No.', { reason: 'x' })))
  assert.ok(!isFinal(refuse('rate_limited', 'Later.', { reason: 'x', retry_after_ms: 1 })))
  assert.ok(!isFinal(refuse('internal', 'Broken.', {})))
})

test('a call still running is refused with the time waited, in seconds and milliseconds', () => {
  const refusal = stillRunning('order-7', 2500)
  assert.equal(refusal.code, 'idempotency_in_flight')
  assert.match(refusal.message, /idempotency key order-7 is still running after 2\.5 s; ask again later/)
  assert.deepEqual([refusal.details.reason, refusal.details.retry_after_ms], ['in flight', 2500])
})

test('a secret answer is stored sealed, and opens only under its key and tenant', async () => {
  const call = await callOf({}, secret_ports)
  const sealed = sealAnswer(call, 'k', '{"secret":1}', ports)
  assert.match(sealed, /^sealed:/)
  assert.ok(!sealed.includes('secret'))
  assert.equal(openAnswer(call, 'k', sealed, ports), '{"secret":1}')
  assert.throws(() => openAnswer(call, 'other', sealed, ports))
  const elsewhere = { ...call, context: { ...call.context, tenant_id: 'other' } } as Placed
  assert.throws(() => openAnswer(elsewhere, 'k', sealed, ports))
})

test('any other answer is stored and returned as it is', async () => {
  const call = await callOf()
  assert.equal(sealAnswer(call, 'k', '{"a":1}', ports), '{"a":1}')
  assert.equal(openAnswer(call, 'k', '{"a":"sealed:"}', ports), '{"a":"sealed:"}')
})
