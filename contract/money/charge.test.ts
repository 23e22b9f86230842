import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Meter } from '../operation-facts.ts'
import {
  affordable,
  base_rate,
  chargeQuanta,
  energyOf,
  type Measured,
  multipliersOf,
  rateAt,
} from './charge.ts'
import { microUsdOf, quanta_per_micro_usd, usdText } from './money.ts'

const all: Meter[] = ['tokens', 'seconds', 'watts']

function charge(meters: Meter[], measured: Measured, multipliers?: [number, number, number]): bigint {
  return chargeQuanta(measured, base_rate, multipliersOf({ meters, multipliers }))
}

// One token costs 3 µUSD, one millisecond 18 µUSD, one kWh 420,000 µUSD; a quantum is 10^-19 USD.
test('each meter by hand', () => {
  const nothing = { tokens_in: 0, tokens_out: 0, ms: 0, uwh: 0 }
  assert.equal(charge(all, nothing), 0n)
  assert.equal(charge(all, { ...nothing, tokens_in: 1 }), 3n * 10n ** 13n)
  assert.equal(charge(all, { ...nothing, tokens_out: 1_000_000 }), 3n * 10n ** 19n)
  assert.equal(charge(all, { ...nothing, ms: 1 }), 18n * 10n ** 13n)
  assert.equal(charge(all, { ...nothing, ms: 1000 }), 18n * 10n ** 16n)
  assert.equal(charge(all, { ...nothing, uwh: 1_000_000_000 }), 42n * 10n ** 17n)
})

test('only what an operation meters is charged', () => {
  const measured = { tokens_in: 10, tokens_out: 5, ms: 3, uwh: 4 }
  assert.equal(usdText(microUsdOf(charge(['seconds'], measured))), '0.000054')
  assert.equal(usdText(microUsdOf(charge(['tokens'], measured))), '0.000045')
  assert.equal(charge(['watts'], measured), 4n * 42n * 10n ** 8n)
  assert.equal(charge([], measured), 0n)
})

test('multipliers of the price list are exact', () => {
  const measured = { tokens_in: 600, tokens_out: 400, ms: 2000, uwh: 2778 }
  // 1000 tokens 3,000 µUSD; 2 s 36,000 µUSD; 2778 µWh 1.16676 µUSD.
  const micro = (multipliers: [number, number, number]) => Number(charge(all, measured, multipliers)) / 1e13
  assert.equal(micro([1, 1, 1.2]), 3_000 + 36_000 + 1.400112)
  assert.equal(micro([1.5, 1.5, 1.2]), 4_500 + 54_000 + 1.400112)
  assert.equal(micro([1, 2, 4]), 3_000 + 72_000 + 4.66704)
  assert.equal(micro([0.8, 1, 1]), 2_400 + 36_000 + 1.16676)
})

test('the rate in force applies from its own instant on, never before', () => {
  const later = { ...base_rate, version: 1, from_ms: 1_000, seconds: 1n }
  const latest = { ...later, version: 2, from_ms: 2_000 }
  const at = (ms: number) => rateAt([later, latest], ms).version
  assert.deepEqual([0, 999, 1_000, 1_999, 2_000, 9_000].map(at), [0, 0, 1, 1, 2, 2])
  assert.equal(rateAt([], 5).version, 0)
})

test('an amount pays for the largest quantity that costs no more', () => {
  const unit = { tokens: 'tokens_in', seconds: 'ms', watts: 'uwh' } as const
  const scale = { tokens: 1n, seconds: 1_000n, watts: 1_000_000_000n }
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 12n), fc.constantFrom(...all), (micro_usd, meter) => {
      const most = affordable(micro_usd, meter, base_rate)
      const priced = (amount: bigint) => {
        const measured = {
          ms: 0,
          tokens_in: 0,
          tokens_out: 0,
          uwh: 0,
          [unit[meter]]: Number(amount * scale[meter]),
        }
        return chargeQuanta(measured, base_rate, [10_000, 10_000, 10_000])
      }
      fc.pre(most * scale[meter] < 2n ** 53n)
      assert.ok(priced(most) <= micro_usd * quanta_per_micro_usd)
      assert.ok(priced(most + 1n) > micro_usd * quanta_per_micro_usd)
    }),
  )
})

test('a multiplier is the nearest whole number of basis points, however small', () => {
  // 0.57 * 10000 is 5699.999999999999 in floating point.
  assert.deepEqual(multipliersOf({ meters: all, multipliers: [0.57, 0.0001, 1] }), [5_700, 1, 10_000])
  const measured = { tokens_in: 2, tokens_out: 3, ms: 7, uwh: 11 }
  const rates = { tokens: 1n, seconds: 1n, watts: 1n }
  assert.equal(chargeQuanta(measured, rates, [1, 1, 1]), 5_000n + 7n + 11n)
})

test('energy is in whole millionths of a watt-hour, to the nearest', () => {
  // 3600 ms at 1 W are 1 mWh.
  assert.equal(energyOf(3_600, 1), 1_000)
  assert.equal(energyOf(3_600_000, 5), 5_000_000)
  assert.equal(energyOf(1, 2), 1)
  assert.equal(energyOf(1, 1), 0)
})

test('one dollar pays for 333,333 tokens, 55 seconds or 2 kWh at the base rate', () => {
  const at = (meter: Meter) => affordable(1_000_000n, meter, base_rate)
  assert.deepEqual(all.map(at), [333_333n, 55n, 2n])
  // An amount large enough that one part in 10^9 of the price shows.
  assert.equal(affordable(420_000n * 10n ** 10n, 'watts', base_rate), 10n ** 10n)
  assert.equal(base_rate.from_ms, 0)
})
