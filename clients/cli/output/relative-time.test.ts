import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { relativeTime } from './relative-time.ts'

const now_ms = Date.parse('2026-01-31T12:00:00.000Z')

test('whole minutes, hours and days, before and after', () => {
  for (const [time, text] of [
    ['2026-01-31T12:00:59.999Z', 'now'],
    ['2026-01-31T11:59:00.001Z', 'now'],
    ['2026-01-31T11:59:00.000Z', '1 minute ago'],
    ['2026-01-31T13:20:00.000Z', 'in 1 hour'],
    ['2026-01-29T12:00:00.000Z', '2 days ago'],
    ['2026-05-01T11:59:59.000Z', 'in 90 days'],
  ] as const)
    assert.equal(relativeTime(time, now_ms), text)
})

test('the past and the future are told apart, and mirror each other', () => {
  fc.assert(
    fc.property(fc.integer({ min: 60_000, max: 4e11 }), (ms) => {
      const [past, future] = [-ms, ms].map((by) => relativeTime(new Date(now_ms + by).toISOString(), now_ms))
      assert.equal(`in ${past!.replace(/ ago$/, '')}`, future)
    }),
  )
})
