import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastOf, forecastPeriod } from './forecast.ts'
import { spendDays } from './spend-days.ts'

const now_ms = Date.parse('2026-03-10T12:00:00Z')

function daysWith(usdOf: (day: string) => number) {
  return spendDays([], forecastPeriod(now_ms)).map((each) => ({
    ...each,
    amount_usd: usdOf(each.day).toFixed(6),
  }))
}

test('it reads from the first of the month before until the end of today, over a new year too', () => {
  assert.deepEqual(forecastPeriod(now_ms), { from: '2026-02-01T00:00:00Z', to: '2026-03-11T00:00:00Z' })
  assert.equal(forecastPeriod(Date.parse('2026-01-31T23:00:00Z')).from, '2025-12-01T00:00:00Z')
})

test('an even month is forecast as what it will be', () => {
  const { spent_usd, month_usd, before_usd, days } = forecastOf(
    daysWith(() => 2),
    now_ms,
  )
  assert.deepEqual([spent_usd, month_usd, before_usd, days.length], [20, 62, 56, 31])
})

test('today counts as a whole day, or more if it already cost more', () => {
  const recent = (today: number) => daysWith((day) => (day === '2026-03-10' ? today : 7))
  assert.equal(forecastOf(recent(1), now_ms).month_usd, 31 * 7)
  assert.equal(forecastOf(recent(100), now_ms).month_usd, 30 * 7 + 100)
})

test('only the last seven days say what the next will cost', () => {
  const days = daysWith((day) => (day < '2026-03-03' ? 50 : 1))
  assert.equal(forecastOf(days, now_ms).month_usd, 2 * 50 + 8 + 21)
  assert.equal(
    forecastOf(
      daysWith(() => 0),
      now_ms,
    ).before_usd,
    undefined,
  )
})
