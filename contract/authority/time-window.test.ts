import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isInWindow, readWindow, timeThere } from './time-window.ts'

const holds = (text: string, at: string) => isInWindow(readWindow(text)!, new Date(at))

test('a window follows the clock of its zone through both changes of the hour', () => {
  const window = 'mon-fri 09:30-17:00@Europe/Berlin'
  // In winter Berlin is an hour ahead of UTC, in summer two; it changed on Sunday 2026-03-29 and 2026-10-25.
  for (const [at, expected] of [
    ['2026-03-27T08:29:59Z', false],
    ['2026-03-27T08:30:00Z', true],
    ['2026-03-27T15:59:59Z', true],
    ['2026-03-27T16:00:00Z', false],
    ['2026-03-30T07:29:59Z', false],
    ['2026-03-30T07:30:00Z', true],
    ['2026-03-30T15:00:00Z', false],
    ['2026-03-29T12:00:00Z', false],
    ['2026-10-23T07:30:00Z', true],
    ['2026-10-26T07:30:00Z', false],
    ['2026-10-26T08:30:00Z', true],
  ] as const)
    assert.equal(holds(window, at), expected, at)
})

test('an hour that is skipped never comes, and one that is repeated counts twice', () => {
  const skipped = '02-03@Europe/Berlin'
  for (let minute = 0; minute < 120; minute++)
    assert.equal(holds(skipped, new Date(Date.UTC(2026, 2, 29, 0, minute)).toISOString()), false)
  for (const at of ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'])
    assert.equal(holds(skipped, at), true, at)
  assert.equal(holds(skipped, '2026-10-25T02:00:00Z'), false)
})

test('a night belongs to the day on which it begins, in its zone', () => {
  const night = 'fri 22-06@America/New_York'
  for (const [at, expected] of [
    ['2026-11-21T02:59:00Z', false],
    ['2026-11-21T03:00:00Z', true],
    ['2026-11-21T10:59:00Z', true],
    ['2026-11-21T11:00:00Z', false],
    ['2026-11-22T03:00:00Z', false],
    ['2026-11-20T04:00:00Z', false],
  ] as const)
    assert.equal(holds(night, at), expected, at)
})

test('the time there is told as people there would', () => {
  const now = new Date('2026-11-21T03:05:00Z')
  assert.equal(
    timeThere(now, readWindow('fri 22-06@America/New_York')!),
    'it is fri 22:05 in America/New_York',
  )
  assert.equal(timeThere(now, readWindow('22-06')!), 'it is 03:05 UTC')
})

test('every minute of a week is in a window or in its complement, in any zone', () => {
  const minute = fc.integer({ min: 0, max: 1_439 })
  const zone = fc.constantFrom('', '@Europe/Berlin', '@America/St_Johns', '@Asia/Kathmandu', '@Pacific/Apia')
  const clock = (at: number) =>
    `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`
  const now = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(minute, minute, zone, now, (from, to, there, at) => {
      fc.pre(from !== to)
      const [one, other] = [`${clock(from)}-${clock(to)}${there}`, `${clock(to)}-${clock(from)}${there}`]
      assert.notEqual(holds(one, at.toISOString()), holds(other, at.toISOString()))
    }),
  )
})

test('no text makes it fail', () => {
  fc.assert(fc.property(fc.string({ maxLength: 40 }), (text) => void readWindow(text)))
  for (const zone of ['Europe/berlin', 'UTC', 'Etc/GMT+5']) assert.ok(readWindow(`09-17@${zone}`), zone)
  for (const text of ['09-17@Mars/Base', '09-17@/', '09-09', '24:01-25', 'mon 09', ' 09-17'])
    assert.equal(readWindow(text), undefined, text)
})
