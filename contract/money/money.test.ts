import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { apportion, microUsdAbove, microUsdOf, quanta_per_micro_usd, usdOf, usdText } from './money.ts'

test('rounding to micro-USD is half-even', () => {
  const half = 5n * 10n ** 12n
  const one = 10n ** 13n
  const table: [bigint, bigint][] = [
    [0n, 0n],
    [half - 1n, 0n],
    [half, 0n],
    [half + 1n, 1n],
    [one, 1n],
    [one + half - 1n, 1n],
    [one + half, 2n],
    [2n * one + half, 2n],
    [3n * one + half, 4n],
  ]
  for (const [quanta, micro_usd] of table) assert.equal(microUsdOf(quanta), micro_usd, String(quanta))
})

test('rounding never moves by more than half, and amounts are written with six places', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 30n), (quanta) => {
      const off = microUsdOf(quanta) * 10n ** 13n - quanta
      assert.ok(off <= 5n * 10n ** 12n && off >= -5n * 10n ** 12n)
      const text = usdText(microUsdOf(quanta))
      assert.match(text, /^\d+\.\d{6}$/)
      assert.equal(BigInt(text.replace('.', '')), microUsdOf(quanta))
    }),
  )
})

test('amounts checked against a limit are rounded up, by less than one unit', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 30n), (quanta) => {
      const off = microUsdAbove(quanta) * quanta_per_micro_usd - quanta
      assert.ok(off >= 0n && off < quanta_per_micro_usd)
    }),
  )
})

test('a number of dollars is accepted only with at most six decimal places', () => {
  for (const [amount, micro_usd] of [
    [0, 0n],
    [1.5, 1_500_000n],
    [0.000001, 1n],
    ['0.000001', 1n],
    [0.1 + 0.2, undefined],
    [0.0000001, undefined],
    [-1, undefined],
    [1e13, undefined],
    ['1.0000001', undefined],
    ['1e3', undefined],
    ['', undefined],
  ] as const)
    assert.equal(usdOf(amount), micro_usd, String(amount))
})

test('debts are written with a sign', () => {
  assert.deepEqual([usdText(-1n), usdText(-1_500_000n), usdText(0n)], ['-0.000001', '-1.500000', '0.000000'])
})

test('parts add up to the whole, each within one unit of exact, the same for the same weights', () => {
  const weights = fc.array(fc.bigInt(0n, 10n ** 20n), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 24n), weights, (total, shares) => {
      const sum = shares.reduce((all, share) => all + share, 0n)
      fc.pre(sum > 0n)
      const parts = apportion(total, shares)
      assert.equal(
        parts.reduce((all, part) => all + part, 0n),
        total,
      )
      for (const [place, part] of parts.entries()) {
        const off = part * sum - total * shares[place]!
        assert.ok(off < sum && off > -sum)
      }
      assert.deepEqual(apportion(total, shares), parts)
    }),
  )
  assert.deepEqual(apportion(10n, [3333n, 3333n, 3334n]), [3n, 3n, 4n])
  assert.throws(() => apportion(1n, [0n]), RangeError)
})
