import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { factor_bps_whole, factorFor } from './throttle.ts'

const capability = fc.constantFrom('svc.marc.reasoning_task', 'svc.marc.explain', 'svc.mind.recall_memory')
const rule = fc.record({
  match: fc.constantFrom(
    '*',
    'svc.marc.*',
    'svc.mind.*',
    'svc.marc.reasoning_task',
    'svc.mind.recall_memory',
  ),
  factor_bps: fc.integer({ min: 0, max: factor_bps_whole }),
})
const rules = fc.array(rule, { maxLength: 8 })

test('the most specific rule wins in any order, and of equals the strictest', () => {
  const listed = [
    { match: '*', factor_bps: 100 },
    { match: 'svc.marc.*', factor_bps: 5000 },
    { match: 'svc.marc.*', factor_bps: 4000 },
    { match: 'svc.marc.explain', factor_bps: 9000 },
  ]
  assert.equal(factorFor(listed, 'svc.marc.explain'), 9000)
  assert.equal(factorFor(listed, 'svc.marc.reasoning_task'), 4000)
  assert.equal(factorFor(listed, 'svc.mind.recall_memory'), 100)
  assert.equal(factorFor([], 'svc.mind.recall_memory'), 10_000)
  assert.equal(factorFor(listed.slice(1), 'svc.mind.recall_memory'), factor_bps_whole)
  assert.equal(factorFor([{ match: '*', factor_bps: 0 }], 'svc.mind.recall_memory'), 0)
})

test('the order of rules never matters, and a stricter factor never lets more through', () => {
  fc.assert(
    fc.property(rules, capability, fc.nat(), fc.nat(factor_bps_whole), (listed, name, at, less) => {
      const factor = factorFor(listed, name)
      assert.ok(factor >= 0 && factor <= factor_bps_whole)
      assert.equal(factorFor(listed.toReversed(), name), factor)
      const stricter = listed.map((one, place) =>
        place === at % listed.length ? { ...one, factor_bps: Math.max(0, one.factor_bps - less) } : one,
      )
      assert.ok(factorFor(stricter, name) <= factor)
    }),
  )
})
