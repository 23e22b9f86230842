import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { depthOf } from './depth.ts'
import { lastDays, spendDays } from './spend-days.ts'

test('a period is whole days including today, and every day is listed', () => {
  const period = lastDays(Date.parse('2026-11-16T09:30:00Z'), 3)
  assert.deepEqual(period, { from: '2026-11-14T00:00:00Z', to: '2026-11-17T00:00:00Z' })
  const spent = {
    calls: 2,
    tokens: 5,
    seconds: 1,
    watts_kWh: 0.1,
    amount_usd: '0.000018',
    amount_micro_usd: '18',
  }
  const days = spendDays([{ key: { day: '2026-11-15' }, ...spent }], period)
  assert.deepEqual(
    days.map(({ day, calls, amount_usd }) => [day, calls, amount_usd]),
    [
      ['2026-11-14', 0, '0.000000'],
      ['2026-11-15', 2, '0.000018'],
      ['2026-11-16', 0, '0.000000'],
    ],
  )
})

test('depth only grows, and its last total is the sum, however large', () => {
  const level = fc.record({
    price: fc.bigInt({ min: 1n, max: 10n ** 30n }).map(String),
    quantity: fc.bigInt({ min: 1n, max: 10n ** 30n }).map(String),
    orders: fc.nat(9),
  })
  fc.assert(
    fc.property(fc.array(level, { maxLength: 8 }), fc.array(level, { maxLength: 8 }), (bids, asks) => {
      const deep = depthOf(bids, asks)
      const sum = bids.reduce((total, { quantity }) => total + BigInt(quantity), 0n)
      assert.equal(deep.bids.at(-1)?.total ?? '0', String(sum))
      for (const { share } of [...deep.bids, ...deep.asks]) assert.ok(share >= 0 && share <= 1)
      deep.asks.reduce((before, { total }) => {
        assert.ok(BigInt(total) > before)
        return BigInt(total)
      }, 0n)
    }),
  )
})
