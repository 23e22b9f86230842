import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { alertOf, budgetLeft, burnRate, sliOf } from './slo.ts'

test('a burn rate of 1 uses exactly the budget, and no requests violate nothing', () => {
  assert.equal(burnRate({ good: 90, total: 100 }, 0.9).toFixed(9), '1.000000000')
  assert.equal(budgetLeft({ good: 95, total: 100 }, 0.9).toFixed(9), '0.500000000')
  assert.deepEqual([sliOf({ good: 0, total: 0 }), burnRate({ good: 0, total: 0 }, 0.99)], [1, 0])
})

test('an alert requires the long window and the short one', () => {
  assert.equal(alertOf({ '1h': 15, '5m': 15 }), 'page')
  assert.equal(alertOf({ '1h': 15, '5m': 14.4 }), 'none')
  assert.equal(alertOf({ '6h': 7, '30m': 7 }), 'page')
  assert.equal(alertOf({ '6h': 7, '30m': 1, '3d': 2 }), 'ticket')
  assert.equal(alertOf({ '3d': 2, '6h': 1 }), 'none')
  assert.equal(alertOf({}), 'none')
})

test('more failures never lower the burn rate, and a higher rate never lowers the alert', () => {
  const share = fc.integer({ min: 0, max: 1000 })
  const severity = { none: 0, ticket: 1, page: 2 }
  fc.assert(
    fc.property(share, share, fc.double({ min: 0.5, max: 0.99999, noNaN: true }), (a, b, target) => {
      const [bad, worse] = [Math.min(a, b), Math.max(a, b)]
      const burnOf = (failed: number) => burnRate({ good: 1000 - failed, total: 1000 }, target)
      assert.ok(burnOf(bad) <= burnOf(worse))
      const alarm = (burn: number) =>
        severity[alertOf({ '5m': burn, '30m': burn, '1h': burn, '6h': burn, '3d': burn })]
      assert.ok(alarm(burnOf(bad)) <= alarm(burnOf(worse)))
    }),
  )
})
