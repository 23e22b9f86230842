import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  envelopeDay,
  envelopeMonth,
  grantHour,
  grantWeek,
  isoWeekStart,
  parseCounter,
  runway_counter,
  treatyDay,
  treatyGrantHour,
  treatyGrantWeek,
  treatyHour,
} from './budget-counter.ts'

const at = '2026-11-19T14:25:36.789Z'
const at_ms = Date.parse(at)

test('each counter names what is limited and the time it counts', () => {
  assert.equal(runway_counter, 'runway')
  assert.equal(envelopeDay('e', at), 'envelope/e/2026-11-19')
  assert.equal(envelopeMonth('e', at), 'envelope/e/2026-11')
  assert.equal(grantWeek('d', 'c', at_ms), 'week/2026-11-16/d/c')
  assert.equal(grantHour('d', 'c', at), 'hour/2026-11-19T14/d/c')
  assert.equal(treatyHour('t', at), 'treaty/t/2026-11-19T14')
  assert.equal(treatyDay('t', at), 'treaty/t/2026-11-19')
  assert.equal(treatyGrantHour('t', 'c', at), 'treaty/t/2026-11-19T14/c')
  assert.equal(treatyGrantWeek('t', 'c', at_ms), 'treaty/t/w2026-11-16/c')
})

test('a counter is read back as its kind, its beginning, holder and grant', () => {
  assert.deepEqual(parseCounter('runway'), { kind: 'runway' })
  assert.deepEqual(parseCounter(envelopeDay('e', at)), { kind: 'envelope' })
  assert.deepEqual(parseCounter(treatyHour('t', at)), { kind: 'treaty' })
  const holder = { holder: 'd', capability: 'c' }
  assert.deepEqual(parseCounter(grantWeek('d', 'c', at_ms)), {
    kind: 'week',
    from: '2026-11-16T00:00:00.000Z',
    ...holder,
  })
  assert.deepEqual(parseCounter(grantHour('d', 'c', at)), {
    kind: 'hour',
    from: '2026-11-19T14:00:00.000Z',
    ...holder,
  })
  const nothing = { from: 'T00:00:00.000Z', holder: '', capability: '' }
  assert.deepEqual(parseCounter('week'), { kind: 'week', ...nothing })
  for (const name of ['', 'month/x', 'runway/x', 'Week/2026-11-16/d/c'])
    assert.throws(() => parseCounter(name), new Error(`${name} is not a budget counter`))
})

test('a week begins on Monday at midnight, UTC', () => {
  const instant = fc.date({
    min: new Date('1990-01-01'),
    max: new Date('2090-01-01'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(instant, (date) => {
      const start_ms = isoWeekStart(date.getTime())
      assert.equal(new Date(start_ms).getUTCDay(), 1)
      assert.equal(start_ms % 86_400_000, 0)
      const since_ms = date.getTime() - start_ms
      assert.ok(since_ms >= 0 && since_ms < 7 * 86_400_000)
    }),
  )
  for (const day of ['2026-11-16T00:00:00.000Z', '2026-11-22T23:59:59.999Z'])
    assert.equal(isoWeekStart(Date.parse(day)), Date.parse('2026-11-16T00:00:00.000Z'))
})
