import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Judged, nextStep, type OpenAlert, type Step } from './alert.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 15, 10, minute))
const judged = (value: number, silenced_until: Date | null = null): Judged => ({
  ...{ value, above: 10, resolve_after_ms: 5 * 60_000, silenced_until },
})
const firing: OpenAlert = { alert_id: 'a', quiet_since: null, acknowledged_at: null, told_at: at(0) }

test('it fires above the threshold only, and once', () => {
  assert.deepEqual(nextStep(undefined, judged(10), at(0)), { kind: 'none' })
  assert.deepEqual(nextStep(undefined, judged(11), at(0)), { kind: 'fire', tell: true })
  assert.deepEqual(nextStep(firing, judged(11), at(1)), { kind: 'stay', quiet_since: null, tell: false })
})

test('it resolves after the quiet time, which begins anew when the value rises', () => {
  assert.deepEqual(nextStep(firing, judged(10), at(1)), { kind: 'stay', quiet_since: at(1), tell: false })
  const quiet = { ...firing, quiet_since: at(1) }
  assert.deepEqual(nextStep(quiet, judged(0), at(5)), { kind: 'stay', quiet_since: at(1), tell: false })
  assert.deepEqual(nextStep(quiet, judged(11), at(5)), { kind: 'stay', quiet_since: null, tell: false })
  assert.deepEqual(nextStep(quiet, judged(0), at(6)), { kind: 'resolve', tell: true })
})

test('a silence delays the word to people until it ends, unless somebody took the alert on', () => {
  assert.deepEqual(nextStep(undefined, judged(11, at(9)), at(0)), { kind: 'fire', tell: false })
  const untold = { ...firing, told_at: null }
  assert.equal((nextStep(untold, judged(11, at(9)), at(8)) as { tell: boolean }).tell, false)
  assert.equal((nextStep(untold, judged(11, at(9)), at(9)) as { tell: boolean }).tell, true)
  const taken_on = { ...untold, acknowledged_at: at(1) }
  assert.equal((nextStep(taken_on, judged(11), at(9)) as { tell: boolean }).tell, false)
  const quiet = { ...untold, quiet_since: at(1) }
  assert.deepEqual(nextStep(quiet, judged(0), at(9)), { kind: 'resolve', tell: false })
})

test('whatever the values and silences, people hear of firing and resolving in turns', () => {
  const reading = fc.record({ value: fc.integer({ min: 0, max: 20 }), silenced: fc.boolean() })
  fc.assert(
    fc.property(fc.array(reading, { maxLength: 60 }), (readings) => {
      let alert: OpenAlert | undefined
      const words: string[] = []
      readings.forEach(({ value, silenced }, minute) => {
        const now = at(minute)
        const step: Step = nextStep(alert, judged(value, silenced ? at(minute + 1) : null), now)
        if (step.kind === 'none') return
        if (step.tell) words.push(step.kind === 'resolve' ? 'resolved' : 'firing')
        const told_at = step.tell ? now : (alert?.told_at ?? null)
        const quiet_since = step.kind === 'stay' ? step.quiet_since : null
        alert = step.kind === 'resolve' ? undefined : { ...firing, told_at, quiet_since }
      })
      assert.ok(words.every((word, place) => word === (place % 2 === 0 ? 'firing' : 'resolved')))
    }),
  )
})
