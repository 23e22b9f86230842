import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { system_clock } from './system.ts'

const v4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('a manual clock moves only when advanced', () => {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  assert.equal(clock.now_ms(), Date.parse('2026-11-15T10:00:00.000Z'))
  assert.equal(clock.monotonic_ms(), 0)
  clock.advance(1500)
  assert.equal(clock.now_ms(), Date.parse('2026-11-15T10:00:01.500Z'))
  assert.equal(clock.monotonic_ms(), 1500)
})

test('a manual clock draws the same ids and numbers from the same seed', () => {
  const draw = (seed?: string) => {
    const clock = manualClock('2026-11-15T10:00:00.000Z', seed)
    return [clock.uuid(), clock.random(), clock.uuid(), clock.randomBytes(40).toString('hex')]
  }
  assert.deepEqual(draw('a'), draw('a'))
  assert.notDeepEqual(draw('a'), draw('b'))
  assert.equal(new Set(draw()).size, 4)
})

test('ids of both clocks are version 4 UUIDs, numbers lie in [0, 1)', () => {
  for (const clock of [manualClock('2026-11-15T10:00:00.000Z'), system_clock]) {
    const ids = Array.from({ length: 50 }, () => clock.uuid())
    for (const id of ids) assert.match(id, v4)
    assert.equal(new Set(ids).size, 50)
    for (const count of [0, 12, 32, 33]) assert.equal(clock.randomBytes(count).length, count)
    for (let i = 0; i < 50; i++) {
      const drawn = clock.random()
      assert.ok(drawn >= 0 && drawn < 1)
    }
  }
})

test('the system clock never measures a negative duration', () => {
  let before = system_clock.monotonic_ms()
  for (let i = 0; i < 1000; i++) {
    const now = system_clock.monotonic_ms()
    assert.ok(now >= before)
    before = now
  }
})
