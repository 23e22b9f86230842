import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuse } from '@svc/contract/refusal'
import { asRefusal } from './as-refusal.ts'

test('a refusal is returned unchanged', () => {
  const refusal = refuse('rate_limited', 'Too many calls; wait a second.', { retry_after_ms: 1000 })
  assert.equal(asRefusal(refusal), refusal)
})

test('any other error becomes internal, and its cause is hidden from the caller', () => {
  for (const thrown of [new Error('password=hunter2'), 'hunter2', { secret: 'hunter2' }, undefined, null]) {
    const refusal = asRefusal(thrown)
    assert.equal(refusal.code, 'internal')
    assert.ok(!JSON.stringify([refusal.message, refusal.details]).includes('hunter2'))
  }
  const cause = new Error('disk on fire')
  assert.equal(asRefusal(cause).cause, cause)
})
