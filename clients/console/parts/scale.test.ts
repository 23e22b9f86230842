import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { linePath, roundSteps } from './scale.ts'
import { shortened } from './shorten.ts'

test('steps increase evenly from 0, reach the largest value, and are few', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (largest) => {
      const steps = roundSteps(largest)
      assert.equal(steps[0], 0)
      assert.ok(steps.at(-1)! >= largest * (1 - 1e-9))
      assert.ok(steps.length >= 2 && steps.length <= 6, String(steps))
    }),
  )
  assert.deepEqual(roundSteps(0), [0, 1])
  assert.deepEqual(roundSteps(Number.NaN), [0, 1])
})

test('a line has a gap at a missing value', () => {
  assert.equal(linePath([0, 10, null, 5], 30, 10, 10), 'M0.0 10.0L10.0 0.0M30.0 5.0')
})

test('shortened text still shows its owner', () => {
  assert.equal(shortened(`did:oas:acme:agent:${'ab'.repeat(32)}`, 12), 'did:oas:acme:agent:abababab…')
  assert.equal(shortened('ab'.repeat(32), 12), 'abababababab…abab')
  assert.equal(shortened('short', 12), 'short')
})
