import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import {
  AccountType,
  account_types,
  apportion,
  MicroUsd,
  microUsd,
  microUsdAbove,
  microUsdOf,
  Qty,
  quanta_per_micro_usd,
  Usd,
  UsdText,
  usd_asset,
  usdOf,
  usdText,
} from './money.ts'

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
    [100_000_000_000.1, 100_000_000_000_100_000n],
    [999_999_999_999.1, 999_999_999_999_100_000n],
    [Number.NaN, undefined],
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
})

test('of equal remainders the first gets the unit, of different ones the largest', () => {
  assert.deepEqual(apportion(5n, [1n, 1n, 1n]), [2n, 2n, 1n])
  assert.deepEqual(apportion(1n, [1n, 1n]), [1n, 0n])
  assert.deepEqual(apportion(10n, [1n, 5n, 3n]), [1n, 6n, 3n])
  // The smaller weight has the larger remainder.
  assert.deepEqual(apportion(2n, [5n, 3n]), [1n, 1n])
  assert.deepEqual(apportion(4n, [1n]), [4n])
})

test('weights that add up to zero divide nothing', () => {
  for (const weights of [[], [0n], [0n, 0n], [-1n]])
    assert.throws(
      () => apportion(1n, weights),
      new RangeError('cannot divide by weights that add up to zero'),
    )
})

test('a decimal string is read to the millionth', () => {
  for (const [text, micro_usd] of [
    ['7', 7_000_000n],
    ['0.5', 500_000n],
    ['1.000001', 1_000_001n],
    ['999999999999.999999', 999_999_999_999_999_999n],
    ['1000000000000', undefined],
    ['1.', undefined],
    ['.5', undefined],
    ['-1', undefined],
    ['x1', undefined],
    ['1x', undefined],
  ] as const) {
    assert.equal(microUsd(text), micro_usd, text)
    assert.equal(Check(Usd, text), micro_usd !== undefined, text)
  }
  assert.ok(microUsdAbove(1n) === 1n && microUsdAbove(quanta_per_micro_usd + 1n) === 2n)
})

test('fields of money take whole numbers of a limited length, and no other text', () => {
  const cases: [TSchema, valid: unknown[], invalid: unknown[]][] = [
    [Qty, ['0', '10', `9${'0'.repeat(30)}`], ['', '01', '-1', '1.5', 'x1', '1x', `9${'0'.repeat(31)}`]],
    [Usd, [0, 999_999_999_999], [-0.1, 1_000_000_000_000, null]],
    [
      UsdText,
      ['0.000000', '-1.500000', `${'9'.repeat(32)}.000000`],
      ['1', '1.00000', `${'9'.repeat(33)}.000000`],
    ],
    [MicroUsd, ['0', '-5', '9'.repeat(38)], ['', '1.5', '9'.repeat(39)]],
  ]
  for (const [schema, valid, invalid] of cases) {
    for (const value of valid) assert.ok(Check(schema, value), String(value))
    for (const value of invalid) assert.ok(!Check(schema, value), String(value))
  }
})

test("the types of account, and the name of the operator's currency, are as stored", () => {
  const names = ['available', 'reserved', 'escrow', 'runway', 'fees', 'revenue', 'issuance']
  assert.deepEqual(account_types, names)
  for (const name of names) assert.ok(Check(AccountType, name))
  assert.ok(!Check(AccountType, 'other'))
  assert.equal(usd_asset, 'usd')
})
