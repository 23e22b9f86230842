import assert from 'node:assert/strict'
import { test } from 'node:test'
import { periodOf, periodOfDays, periodText } from './period.ts'

const now_ms = Date.parse('2026-02-18T10:30:00.000Z')

test('named periods begin and end at months of UTC, and none ends in the future', () => {
  const now = '2026-02-18T10:30:00.000Z'
  assert.deepEqual(periodOf('this_month', now_ms), { from: '2026-02-01T00:00:00.000Z', to: now })
  assert.deepEqual(periodOf('last_month', now_ms), {
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-02-01T00:00:00.000Z',
  })
  assert.deepEqual(periodOf('this_quarter', now_ms), { from: '2026-01-01T00:00:00.000Z', to: now })
  assert.deepEqual(periodOf('last_quarter', now_ms), {
    from: '2025-10-01T00:00:00.000Z',
    to: '2026-01-01T00:00:00.000Z',
  })
  assert.deepEqual(periodOf('last_30_days', now_ms), { from: '2026-01-19T10:30:00.000Z', to: now })
})

test('a period of days includes the last one', () => {
  const january = periodOfDays('2026-01-01', '2026-01-31')!
  assert.deepEqual(january, periodOf('last_month', now_ms))
  assert.equal(periodText(january), 'Jan 1, 2026 – Jan 31, 2026')
  assert.equal(periodOfDays('2026-02-01', '2026-01-31'), undefined)
  assert.equal(periodOfDays('', '2026-01-31'), undefined)
})
