import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { crossed, levelOf, worse } from './runway.ts'

test('a runway is low at a fifth, critical at a twentieth, exhausted at zero', () => {
  const levels = [100n, 21n, 20n, 6n, 5n, 1n, 0n, -1n].map((room) => levelOf(room, 100n))
  assert.deepEqual(levels, ['ample', 'ample', 'low', 'low', 'critical', 'critical', 'exhausted', 'exhausted'])
  assert.equal(levelOf(0n, 0n), 'exhausted')
})

test('each level is crossed once on the way down', () => {
  assert.deepEqual(crossed('ample', 'exhausted'), ['low', 'critical', 'exhausted'])
  assert.deepEqual(crossed('low', 'critical'), ['critical'])
  assert.deepEqual(crossed('critical', 'low'), [])
  assert.deepEqual(crossed('low', 'low'), [])
})

test('less money is never a better level', () => {
  const amount = fc.bigInt({ min: -10n, max: 1000n })
  fc.assert(
    fc.property(amount, amount, fc.bigInt({ min: 0n, max: 1000n }), (a, b, full) => {
      const [less, more] = a < b ? [a, b] : [b, a]
      assert.equal(worse(levelOf(less, full), levelOf(more, full)), levelOf(less, full))
    }),
  )
})
