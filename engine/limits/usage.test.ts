import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base_rate, chargeQuanta, multipliersOf } from '@svc/contract/money/charge'
import type { Meter } from '@svc/contract/operation-facts'
import { measure, usageOf } from './usage.ts'

const all: Meter[] = ['tokens', 'seconds', 'watts']
const metering = (meters: Meter[]) => ({ multipliers: multipliersOf({ meters }) })
const worst = { ms: 10_000_000, tokens: 1_000 }

test('charged time never exceeds reserved time', () => {
  const { ms, uwh } = measure(
    metering(all),
    { tokens_in: 0, tokens_out: 0, milliseconds: 5_000 },
    { ms: 1_000, tokens: 0 },
    5,
  )
  assert.deepEqual([ms, uwh], [1_000, 1_389])
})

test('time is counted in whole milliseconds, and at least one', () => {
  const ms = (milliseconds: number) =>
    measure(metering(all), { tokens_in: 0, tokens_out: 0, milliseconds }, worst, 5).ms
  assert.deepEqual([0, 0.2, 0.5, 1.4, 1.5, 2.5, 30_000].map(ms), [1, 1, 1, 1, 2, 3, 30_000])
})

test('energy is time on a core times its watts', () => {
  const uwh = (milliseconds: number, watts: number) =>
    measure(metering(all), { tokens_in: 0, tokens_out: 0, milliseconds }, worst, watts).uwh
  assert.equal(uwh(3_600_000, 5), 5_000_000)
  assert.equal(uwh(1000, 5), 1389)
  assert.equal(uwh(1, 5), 1)
  assert.equal(uwh(1000, 0), 0)
})

test('tokens of an operation that does not meter them are not reported', () => {
  const used = { tokens_in: 7, tokens_out: 8, milliseconds: 1 }
  const seconds_only = measure(metering(['seconds']), used, worst, 5)
  assert.deepEqual([seconds_only.tokens_in, seconds_only.tokens_out], [0, 0])
  const both = measure(metering(all), used, worst, 5)
  assert.deepEqual([both.tokens_in, both.tokens_out], [7, 8])
})

test('the answer of the decisions page', () => {
  const seconds = metering(['seconds'])
  const measured = measure(seconds, { tokens_in: 0, tokens_out: 0, milliseconds: 3 }, worst, 24)
  assert.deepEqual(usageOf(measured, chargeQuanta(measured, base_rate, seconds.multipliers)), {
    tokens_in: 0,
    tokens_out: 0,
    seconds: 0.003,
    watt_hours: 0.00002,
    amount_usd: '0.000054',
  })
})

test('events of untrusted code are charged per KiB beside the time, within their reservation', () => {
  const ms = (event_bytes: number, event_ms?: number) =>
    measure(
      metering(['seconds']),
      { tokens_in: 0, tokens_out: 0, milliseconds: 5_000, event_bytes },
      { ms: 1_000, tokens: 0, ...(event_ms === undefined ? {} : { event_ms }) },
      5,
    ).ms
  assert.deepEqual([ms(0, 640), ms(1, 640), ms(1_025, 640), ms(65_536, 640)], [1_000, 1_010, 1_020, 1_640])
  assert.deepEqual([ms(10_000_000, 640), ms(1)], [1_640, 1_000])
})

test('tokens count at any price, and energy only where an agent worked', () => {
  const used = { tokens_in: 7, tokens_out: 8, milliseconds: 1_000 }
  assert.equal(measure({ multipliers: [1, 0, 0] }, used, worst, 5).tokens_in, 7)
  assert.equal(measure(metering(all), { ...used, path: 'protocol' }, worst, 5).uwh, 0)
  assert.equal(measure(metering(all), { ...used, path: 'agent' }, worst, 5).uwh, 1_389)
  assert.equal(measure(metering(all), used, { ...worst, event_ms: 640 }, 5).ms, 1_000)
})
