import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { timeoutMs, timeoutText } from './external-protocol.ts'

test('a timeout is a whole number of ms, s or m, at most ten minutes', () => {
  const good = { '1ms': 1, '500ms': 500, '30s': 30_000, '10m': 600_000, '600s': 600_000, '600000ms': 600_000 }
  for (const [text, ms] of Object.entries(good)) assert.equal(timeoutMs(text), ms, text)
  for (const text of ['', '0s', '30', '11m', '601s', '600001ms', '1h', '-1s', '1.5s', ' 1s', '1s ', '1e3ms'])
    assert.equal(timeoutMs(text), undefined, text)
})

test('a written timeout parses to the same duration', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 600_000 }), (ms) => assert.equal(timeoutMs(timeoutText(ms)), ms)),
  )
})
