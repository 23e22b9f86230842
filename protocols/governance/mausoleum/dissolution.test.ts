import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { advance, isSupermajority, nextStep, stateAfter, steps } from './dissolution.ts'

const now = new Date('2026-11-15T10:00:00Z')
const due = { state: 'INITIATED', notice_until: now } as const

test('the order of steps is fixed, and only sealing waits for a request', () => {
  const done = new Set<string>()
  const taken: string[] = []
  for (const _ of steps) {
    const step = nextStep({ ...due, state: stateAfter(done) }, done, now) ?? 'seal'
    taken.push(step)
    done.add(step)
  }
  assert.deepEqual(taken, steps)
  assert.deepEqual([stateAfter(done), nextStep(due, done, now)], ['ARCHIVED', undefined])
})

test('nothing is distributed before the notice period ends, nor after a cancellation', () => {
  const early = { ...due, notice_until: new Date(now.getTime() + 1) }
  assert.deepEqual([nextStep(early, new Set(), now), advance(early, now)], [undefined, 'INITIATED'])
  assert.deepEqual([nextStep(due, new Set(), now), advance(due, now)], ['orders', 'DISTRIBUTING'])
  assert.equal(nextStep({ ...due, state: 'CANCELLED' }, new Set(), now), undefined)
})

test('exactly two thirds are enough', () => {
  assert.deepEqual(
    [isSupermajority(2, 3), isSupermajority(3, 5), isSupermajority(4, 6), isSupermajority(0, 0)],
    [true, false, true, false],
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 101 }), fc.nat(101), (members, votes) => {
      assert.equal(isSupermajority(votes, members), votes / members >= 2 / 3 - Number.EPSILON)
    }),
  )
})
