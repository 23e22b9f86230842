import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Meter, OperationFacts } from '@svc/contract/protocol'
import fc from 'fast-check'
import { Type } from 'typebox'
import { chargeQuanta, measure, microUsdOf, usageOf, usdText } from './usage.ts'

function factsOf(meters: Meter[], multipliers?: [number, number, number]): OperationFacts {
  const any = Type.Unknown()
  const plain = { summary: 'x', effect: 'read', level: 'L0', input: any, output: any, example: {} } as const
  return { ...plain, meters, multipliers }
}
const all: Meter[] = ['tokens', 'seconds', 'watts']

// One token costs 3 µUSD, one millisecond 18 µUSD, one kWh 420,000 µUSD; a quantum is 10^-19 USD.
test('each meter by hand', () => {
  const nothing = { tokens_in: 0, tokens_out: 0, ms: 0, uwh: 0 }
  assert.equal(chargeQuanta(factsOf(all), nothing), 0n)
  assert.equal(chargeQuanta(factsOf(all), { ...nothing, tokens_in: 1 }), 3n * 10n ** 13n)
  assert.equal(chargeQuanta(factsOf(all), { ...nothing, tokens_out: 1_000_000 }), 3n * 10n ** 19n)
  assert.equal(chargeQuanta(factsOf(all), { ...nothing, ms: 1 }), 18n * 10n ** 13n)
  assert.equal(chargeQuanta(factsOf(all), { ...nothing, ms: 1000 }), 18n * 10n ** 16n)
  assert.equal(chargeQuanta(factsOf(all), { ...nothing, uwh: 1_000_000_000 }), 42n * 10n ** 17n)
})

test('only what an operation meters is charged', () => {
  const measured = { tokens_in: 10, tokens_out: 5, ms: 3, uwh: 4 }
  assert.equal(usdText(microUsdOf(chargeQuanta(factsOf(['seconds']), measured))), '0.000054')
  assert.equal(usdText(microUsdOf(chargeQuanta(factsOf(['tokens']), measured))), '0.000045')
  assert.equal(chargeQuanta(factsOf(['watts']), measured), 4n * 42n * 10n ** 8n)
  assert.equal(chargeQuanta(factsOf([]), measured), 0n)
})

test('multipliers of the price list are exact', () => {
  const measured = { tokens_in: 600, tokens_out: 400, ms: 2000, uwh: 2778 }
  // 1000 tokens 3,000 µUSD; 2 s 36,000 µUSD; 2778 µWh 1.16676 µUSD.
  const micro = (multipliers: [number, number, number]) =>
    Number(chargeQuanta(factsOf(all, multipliers), measured)) / 1e13
  assert.equal(micro([1, 1, 1.2]), 3_000 + 36_000 + 1.400112)
  assert.equal(micro([1.5, 1.5, 1.2]), 4_500 + 54_000 + 1.400112)
  assert.equal(micro([1, 2, 4]), 3_000 + 72_000 + 4.66704)
  assert.equal(micro([0.8, 1, 1]), 2_400 + 36_000 + 1.16676)
})

test('time is counted in whole milliseconds, and at least one', () => {
  const ms = (milliseconds: number) =>
    measure(factsOf(all), { tokens_in: 0, tokens_out: 0, milliseconds }, 5).ms
  assert.deepEqual([0, 0.2, 0.5, 1.4, 1.5, 2.5, 30_000].map(ms), [1, 1, 1, 1, 2, 3, 30_000])
})

test('energy is time on a core times its watts', () => {
  const uwh = (milliseconds: number, watts: number) =>
    measure(factsOf(all), { tokens_in: 0, tokens_out: 0, milliseconds }, watts).uwh
  assert.equal(uwh(3_600_000, 5), 5_000_000)
  assert.equal(uwh(1000, 5), 1389)
  assert.equal(uwh(1, 5), 1)
  assert.equal(uwh(1000, 0), 0)
})

test('tokens of an operation that does not meter them are not reported', () => {
  const used = { tokens_in: 7, tokens_out: 8, milliseconds: 1 }
  const seconds_only = measure(factsOf(['seconds']), used, 5)
  assert.deepEqual([seconds_only.tokens_in, seconds_only.tokens_out], [0, 0])
  const both = measure(factsOf(all), used, 5)
  assert.deepEqual([both.tokens_in, both.tokens_out], [7, 8])
})

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

test('the answer of the decisions page', () => {
  const measured = measure(factsOf(['seconds']), { tokens_in: 0, tokens_out: 0, milliseconds: 3 }, 24)
  assert.deepEqual(usageOf(measured, chargeQuanta(factsOf(['seconds']), measured)), {
    tokens_in: 0,
    tokens_out: 0,
    seconds: 0.003,
    watt_hours: 0.00002,
    amount_usd: '0.000054',
  })
})
