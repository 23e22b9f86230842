import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Allowance } from '@svc/engine/call'
import type { BucketSize } from '@svc/engine/limits/limits'
import fc from 'fast-check'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { memoryLimiter } from './memory.ts'

const day_ms = 86_400_000
const key = { tenant_id: 'acme', protocol: 'MAX' }

function open(size: BucketSize, start = '2026-11-15T10:00:00.000Z') {
  const clock = manualClock(start)
  const limiter = memoryLimiter(clock)
  const take = (cost = 1, bucket = key) => limiter.take(bucket, size, cost, true) as Allowance
  const look = (cost = 1, bucket = key) => limiter.take(bucket, size, cost, false) as Allowance
  return { clock, take, look }
}

test('a bucket empties by what is taken, and says when to retry', () => {
  const { clock, take } = open({ capacity: 3, refill_per_s: 2, month_max: null })
  assert.deepEqual(take(), {
    allowed: true,
    limit: 3,
    remaining: 2,
    reset_s: 1,
    retry_after_ms: 0,
    reason: undefined,
  })
  take(2)
  const empty = take()
  assert.deepEqual(empty, {
    allowed: false,
    limit: 3,
    remaining: 0,
    reset_s: 2,
    retry_after_ms: 500,
    reason: 'bucket empty',
  })
  clock.advance(empty.retry_after_ms - 1)
  assert.equal(take().allowed, false)
  clock.advance(1)
  assert.equal(take().allowed, true)
})

test('tenants and protocols have separate buckets', () => {
  const { take } = open({ capacity: 1, refill_per_s: 1, month_max: null })
  assert.equal(take().allowed, true)
  assert.equal(take().allowed, false)
  assert.equal(take(1, { ...key, tenant_id: 'other' }).allowed, true)
  assert.equal(take(1, { ...key, protocol: 'MIM' }).allowed, true)
})

test('a check answers like a call and takes nothing', () => {
  const { take, look } = open({ capacity: 2, refill_per_s: 1, month_max: 10 })
  for (let i = 0; i < 5; i++) assert.equal(look().remaining, 1)
  assert.deepEqual(look(), take())
  assert.equal(look(2).allowed, false)
  assert.equal(take(1).remaining, 0)
})

test("a month's calls are counted over all protocols of a tenant, until the month ends", () => {
  const { clock, take } = open({ capacity: 100, refill_per_s: 100, month_max: 3 }, '2026-11-30T23:59:00.000Z')
  assert.equal(take().remaining, 2)
  assert.equal(take(1, { ...key, protocol: 'MIM' }).remaining, 1)
  assert.equal(take(1, { ...key, protocol: 'MOAT' }).remaining, 0)
  const over = take()
  assert.deepEqual([over.allowed, over.reason, over.remaining], [false, 'monthly quota used', 0])
  assert.equal(over.retry_after_ms, 60_000)
  assert.equal(take(1, { ...key, tenant_id: 'other' }).allowed, true)
  clock.advance(over.retry_after_ms)
  assert.equal(take().allowed, true)
})

test("a clock that goes back does not renew the month's calls", () => {
  const { clock, take } = open({ capacity: 100, refill_per_s: 100, month_max: 1 }, '2026-12-01T00:00:00.000Z')
  assert.equal(take().allowed, true)
  clock.advance(-2 * day_ms)
  assert.equal(take().allowed, false)
  clock.advance(2 * day_ms)
  assert.equal(take().allowed, false)
  clock.advance(31 * day_ms)
  assert.equal(take().allowed, true)
})

test('a cost above what is left is refused and takes nothing', () => {
  const { take } = open({ capacity: 5, refill_per_s: 1, month_max: null })
  take(3)
  assert.equal(take(3).allowed, false)
  assert.equal(take(2).allowed, true)
})

const step = fc.record({
  advance_ms: fc.oneof({ weight: 4, arbitrary: fc.nat(2000) }, fc.integer({ min: -5000, max: -1 })),
  cost: fc.integer({ min: 1, max: 4 }),
  take: fc.boolean(),
})

test('in any order no more is admitted than capacity and refill allow, and nothing is negative', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 10 }),
      fc.array(step, { maxLength: 80 }),
      (capacity, refill_per_s, steps) => {
        const { clock, take, look } = open({ capacity, refill_per_s, month_max: null })
        let [taken, newest_ms] = [1, clock.monotonic_ms()]
        const begun_ms = newest_ms
        assert.equal(take().allowed, true)
        for (const { advance_ms, cost, take: takes } of steps) {
          clock.advance(advance_ms)
          newest_ms = Math.max(newest_ms, clock.monotonic_ms())
          const answer = takes ? take(cost) : look(cost)
          if (takes && answer.allowed) taken += cost
          const allowed_at_most = capacity + ((newest_ms - begun_ms) / 1000) * refill_per_s
          assert.ok(taken <= allowed_at_most + 1e-6, `${taken} of ${allowed_at_most}`)
          assert.ok(answer.remaining >= 0 && answer.remaining <= capacity)
          assert.ok(answer.reset_s >= 0 && answer.retry_after_ms >= 0)
          assert.equal(answer.retry_after_ms === 0, answer.allowed)
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('a caller who waits as long as it was told is admitted', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 300 }),
      (capacity, refill_per_s) => {
        const { clock, take } = open({ capacity, refill_per_s, month_max: null })
        for (let i = 0; i < capacity; i++) assert.equal(take().allowed, true)
        const refused = take()
        assert.equal(refused.allowed, false)
        clock.advance(refused.retry_after_ms)
        assert.equal(take().allowed, true)
      },
    ),
  )
})

test('a month admits exactly its quota, over all protocols', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.nat(3), { maxLength: 60 }),
      (month_max, calls) => {
        const { take } = open({ capacity: 1000, refill_per_s: 1000, month_max })
        const admitted = calls.filter((n) => take(1, { ...key, protocol: `P${n}` }).allowed).length
        assert.equal(admitted, Math.min(month_max, calls.length))
      },
    ),
  )
})
