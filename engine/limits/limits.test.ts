import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tier } from '@svc/contract/authority/tier'
import { tiers } from '@svc/contract/authority/tier'
import type { RateClass } from '@svc/contract/protocol'
import { bucketSize, default_limits } from './limits.ts'

test("a bucket is the protocol's class times the tier's factor", () => {
  const table: [RateClass, Tier, number, number, number | null][] = [
    ['infrastructure', 'sandbox', 200, 100, 10_000],
    ['standard', 'sandbox', 50, 25, 10_000],
    ['heavy', 'sandbox', 6, 1, 10_000],
    ['infrastructure', 'charter', 2000, 1000, 1_000_000],
    ['standard', 'charter', 500, 250, 1_000_000],
    ['heavy', 'charter', 60, 10, 1_000_000],
    ['infrastructure', 'institution', 10_000, 5000, 10_000_000],
    ['standard', 'institution', 2500, 1250, 10_000_000],
    ['heavy', 'institution', 300, 50, 10_000_000],
    ['infrastructure', 'sovereign', 100_000, 50_000, null],
    ['standard', 'sovereign', 25_000, 12_500, null],
    ['heavy', 'sovereign', 3000, 500, null],
  ]
  for (const [rate, tier, capacity, refill_per_s, month_max] of table) {
    assert.deepEqual(bucketSize(default_limits, rate, tier), { capacity, refill_per_s, month_max })
  }
  assert.equal(table.length, Object.keys(default_limits).length * Object.keys(tiers).length)
})

test('the smallest tier of the smallest bucket still admits one call', () => {
  const tiny = { ...default_limits, heavy: { capacity: 2, refill_per_s: 1 } }
  assert.equal(bucketSize(tiny, 'heavy', 'sandbox').capacity, 1)
})

test('off means no limit of any kind', () => {
  const { capacity, refill_per_s, month_max } = bucketSize('off', 'heavy', 'sandbox')
  assert.ok(capacity >= 1e9 && refill_per_s >= 1e9)
  assert.equal(month_max, null)
})
