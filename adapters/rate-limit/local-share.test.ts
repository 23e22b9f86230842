import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BucketSize } from '@svc/engine/limits/limits'
import fc from 'fast-check'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { localShare } from './local-share.ts'
import { monthCalls } from './month-calls.ts'

const key = { tenant_id: 'acme', protocol: 'MAX' }
const size: BucketSize = { capacity: 12, refill_per_s: 3, month_max: null }

function open(replicas: number | (() => number)) {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const count = typeof replicas === 'number' ? () => replicas : replicas
  const months = monthCalls()
  return { clock, months, share: localShare(clock, count, months) }
}

test('all shares together give out no more than what was left and refilled, plus one call each', () => {
  const step = fc.record({ who: fc.nat(3), advance_ms: fc.nat(1500), cost: fc.integer({ min: 1, max: 3 }) })
  fc.assert(
    fc.property(fc.nat(12), fc.array(step, { maxLength: 100 }), (left, steps) => {
      const clock = manualClock('2026-11-15T10:00:00.000Z')
      const shares = Array.from({ length: 4 }, () => localShare(clock, () => 4, monthCalls()))
      for (const share of shares) share.told(key, left, 0)
      let tokens_given = 0
      for (const { who, advance_ms, cost } of steps) {
        clock.advance(advance_ms)
        if (shares[who]!.take(key, size, cost, true).allowed) tokens_given += cost
        const earned = (clock.monotonic_ms() / 1000) * size.refill_per_s
        assert.ok(tokens_given <= left + earned + 1e-6, `${tokens_given} of ${left} and ${earned}`)
      }
    }),
  )
})

test('an unknown bucket begins with its share, and a call dearer than the share still passes', () => {
  const { clock, share } = open(4)
  const takes = () => Array.from({ length: 5 }, () => share.take(key, size, 1, true).allowed)
  assert.deepEqual(takes(), [true, true, true, false, false])
  clock.advance(60_000)
  assert.equal(share.take(key, size, 5, true).allowed, true, 'its share of three holds one call of five')
  assert.equal(share.take(key, size, 13, true).allowed, false, 'more than the whole bucket never fits')
})

test('engines that come and go change the share from the next call', () => {
  let replicas = 1
  const { share } = open(() => replicas)
  assert.equal(share.take(key, size, 1, true).remaining, 11)
  replicas = 6
  assert.deepEqual(
    [share.take(key, size, 1, true).remaining, share.take(key, size, 1, true).remaining],
    [1, 0],
  )
})

test('the debt is what was given and not refilled', () => {
  const { clock, share } = open(2)
  share.told(key, 12, 5_000)
  assert.deepEqual(share.report(key, size, false), {
    start: 12,
    start_at_ms: 5_000,
    debt: 0,
    carried: undefined,
  })
  for (let i = 0; i < 4; i++) share.take(key, size, 1, true)
  assert.deepEqual(share.report(key, size, false), {
    start: 8,
    start_at_ms: undefined,
    debt: 4,
    carried: undefined,
  })
  clock.advance(2_000)
  assert.equal(share.report(key, size, false).debt, 1, 'three of four were refilled')
  const report = share.report(key, size, true)
  assert.equal(share.report(key, size, true).debt, 0, 'it is reported once')
  share.takeBack(key, report)
  assert.equal(share.report(key, size, false).debt, 1, 'unless it was not received')
})

test('an answer that arrives after the share began does not end it', () => {
  const { share } = open(2)
  share.told(key, 12, 5_000)
  share.take(key, size, 6, true)
  share.told(key, 11, 5_001)
  assert.equal(share.take(key, size, 1, true).allowed, false)
})
