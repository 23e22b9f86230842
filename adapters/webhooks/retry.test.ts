import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { too_slow } from '../outbound/outbound.ts'
import { lastSentence, sentenceOf, waitAfter } from './retry.ts'

const hour_ms = 3_600_000

test('the pauses double from 5 seconds to an hour', () => {
  const waits = Array.from({ length: 12 }, (_, i) => waitAfter({ failures: i + 1, failing_ms: 0 }, 0)! / 1000)
  assert.deepEqual(waits, [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600])
})

test('whatever the chance and the number of failures, a pause is within a fifth of its length', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 0, max: 72 * hour_ms - 1 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, failing_ms, chance) => {
        const whole = waitAfter({ failures, failing_ms }, 0)!
        const wait_ms = waitAfter({ failures, failing_ms, status: 503 }, chance)!
        assert.ok(wait_ms <= whole && wait_ms >= whole * 0.8 - 1 && whole <= hour_ms)
      },
    ),
  )
})

test('it ends after 72 hours without success, and at once with 410', () => {
  assert.equal(waitAfter({ failures: 80, failing_ms: 72 * hour_ms - 1 }, 0), hour_ms)
  assert.equal(waitAfter({ failures: 80, failing_ms: 72 * hour_ms }, 0), undefined)
  assert.equal(waitAfter({ failures: 1, failing_ms: 0, status: 410 }, 0), undefined)
})

test('the sentences say what happened', () => {
  assert.equal(sentenceOf(503, ''), 'The receiver answered 503.')
  assert.match(sentenceOf(302, ''), /answered 302; redirects are not followed/)
  assert.equal(sentenceOf(undefined, too_slow), 'The receiver did not answer within 10 seconds.')
  assert.equal(sentenceOf(undefined, 'ECONNREFUSED'), 'The receiver could not be reached: ECONNREFUSED.')
  assert.match(
    lastSentence(sentenceOf(500, ''), 500),
    /answered 500. Nothing could be delivered for 72 hours/,
  )
  assert.match(lastSentence(sentenceOf(410, ''), 410), /wants no more events\.$/)
})
