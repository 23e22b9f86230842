import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breakerWord, toneOf } from './tone.ts'

test('refusals and failures are never green', () => {
  for (const state of ['refused', 'failed', 'FAILED', 'error', 'denied', 'revoked', 'no: expired', 'STOPPED'])
    assert.equal(toneOf(state), 'bad', state)
  assert.equal(toneOf('something new'), 'plain')
  assert.equal(toneOf('not reached'), 'plain')
  assert.equal(toneOf('success'), 'good')
})

test('a closed breaker reads as healthy, and an open one as failing', () => {
  assert.equal(toneOf(breakerWord('CLOSED')), 'good')
  assert.equal(toneOf(breakerWord('OPEN')), 'bad')
  assert.equal(breakerWord('HALF_OPEN'), 'recovering')
})
