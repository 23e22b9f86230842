import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionText, valueText, windowsOf } from './watches.ts'

test('a value has its unit, and one of a thing is singular', () => {
  assert.equal(valueText('refusals', 12), '12 calls')
  assert.equal(valueText('refusals', 1), '1 call')
  assert.equal(valueText('treaties', 1), '1 treaty')
  assert.equal(valueText('keys', 1), '1 key')
  assert.equal(valueText('spend', 3.2), '$3.20')
  assert.equal(valueText('latency', 2_000), '2 s')
})

test('a condition is one sentence, with what narrows it', () => {
  const condition = { watches: 'refusals', above: 100, window_minutes: 15 } as const
  assert.equal(conditionText(condition), 'More than 100 calls refused or failed within 15 min')
  const none = { watches: 'keys', above: 0, window_minutes: 20_160 } as const
  assert.equal(conditionText(none), 'Any keys that expire within 14 days')
  assert.equal(
    conditionText({ ...condition, protocol: 'MOAT', operation: 'propose', code: 'rate_limited' }),
    'More than 100 calls refused or failed within 15 min, MOAT propose, rate_limited',
  )
  const slo = { watches: 'slo', above: 14.4, window_minutes: 60, target: 0.999, threshold_ms: 500 } as const
  assert.equal(
    conditionText(slo),
    'Error budget burns 14.4 times too fast within 1 h, target 99.9 %, answered within 500 ms',
  )
})

test('only windows that the engine accepts are offered, and the present one', () => {
  assert.deepEqual(windowsOf('spend', 120), [60, 120, 360, 1_440, 10_080, 20_160, 43_200, 129_600])
  assert.deepEqual(windowsOf('log', 60), [5, 15, 60, 360, 1_440])
})
