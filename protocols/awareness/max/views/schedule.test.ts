import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import { nextTime, requireSchedule, type Schedule } from './schedule.ts'

const next = (schedule: Schedule, after: string) => nextTime(schedule, new Date(after)).toISOString()
const berlin = 'Europe/Berlin'

test('daily, weekly from Monday, and monthly, in UTC unless a zone is named', () => {
  assert.equal(next({ every: 'daily', at: '07:30' }, '2026-11-15T07:30:00Z'), '2026-11-16T07:30:00.000Z')
  assert.equal(
    next({ every: 'daily', at: '07:30', time_zone: berlin }, '2026-11-15T06:00:00Z'),
    '2026-11-15T06:30:00.000Z',
  )
  assert.equal(next({ every: 'weekly', at: '00:00' }, '2026-11-15T10:00:00Z'), '2026-11-16T00:00:00.000Z')
  assert.equal(
    next({ every: 'weekly', at: '00:00', day: 7 }, '2026-11-15T10:00:00Z'),
    '2026-11-22T00:00:00.000Z',
  )
  assert.equal(
    next({ every: 'monthly', at: '23:59', day: 28 }, '2027-02-01T00:00:00Z'),
    '2027-02-28T23:59:00.000Z',
  )
})

test('a change of the clocks moves it by an hour, and never skips or repeats a day', () => {
  const days: string[] = []
  let after = new Date('2027-03-26T12:00:00Z')
  for (let run = 0; run < 4; run++) {
    after = nextTime({ every: 'daily', at: '02:30', time_zone: berlin }, after)
    days.push(after.toISOString())
  }
  assert.deepEqual(
    days.map((day) => day.slice(0, 10)),
    ['2027-03-27', '2027-03-28', '2027-03-29', '2027-03-30'],
  )
  assert.deepEqual([days[0]!.slice(11, 16), days[3]!.slice(11, 16)], ['01:30', '00:30'])
})

test('a day or a zone that does not exist is refused', () => {
  for (const schedule of [
    { every: 'daily', at: '07:00', day: 1 },
    { every: 'weekly', at: '07:00', day: 8 },
    { every: 'daily', at: '07:00', time_zone: 'Europe/Atlantis' },
  ] as const)
    assert.throws(
      () => requireSchedule(schedule),
      (error) => error instanceof Refusal && error.details.reason === 'invalid schedule',
    )
})
