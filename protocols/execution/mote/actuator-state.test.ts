import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holdsInterlock, interlockFault } from './actuator-interlock.ts'
import {
  envelopeBreach,
  type Fields,
  fieldsFault,
  matchesState,
  safeStateFault,
  stateFaults,
} from './actuator-state.ts'

const fields: Fields = {
  setpoint: { kind: 'number', min: 5, max: 30, step: 0.1, rate_max_per_s: 0.5, tolerance: 0.2 },
  mode: { kind: 'choice', choices: ['heat', 'cool'] },
  on: { kind: 'flag' },
}

test('an accepted state is in range, on its step, and within the rate limit', () => {
  const tenths = fc.integer({ min: 0, max: 400 }).map((count) => count / 10)
  const value = fc.oneof(fc.double(), tenths)
  fc.assert(
    fc.property(tenths, value, fc.integer({ min: 0, max: 100_000 }), (before, after, elapsed_ms) => {
      const reference = { setpoint: { value: before, at_ms: 1_000_000 } }
      if (stateFaults(fields, { setpoint: after }).length > 0) return assert.ok(!Number.isFinite(after))
      const breach = envelopeBreach(fields, { setpoint: after }, 1_000_000 + elapsed_ms, reference)
      const nearest = Math.round(after * 10)
      const in_range = after >= 5 && after <= 30
      const on_step = in_range && Math.abs(after * 10 - nearest) < 1e-6
      const in_time = Math.abs(after - before) <= (0.5 * elapsed_ms) / 1000 + 1e-6
      if (breach === undefined) assert.ok(in_range && on_step && in_time)
      else
        assert.ok(
          !in_range || Math.abs(after * 10 - nearest) > 1e-10 || !in_time || breach.rule === 'rate_of_change',
        )
    }),
  )
})

test('each rule names itself', () => {
  const rule = (setpoint: number, elapsed_ms = 1e9) =>
    envelopeBreach(fields, { setpoint }, elapsed_ms, { setpoint: { value: 20, at_ms: 0 } })?.rule
  assert.deepEqual(
    [rule(90), rule(4.9), rule(20.05), rule(25, 1_000)],
    ['range', 'range', 'step', 'rate_of_change'],
  )
  assert.deepEqual(
    [rule(20.3), rule(25, 10_000), rule(5), rule(30)],
    [undefined, undefined, undefined, undefined],
  )
  assert.equal(
    envelopeBreach(fields, { setpoint: 30 }, 0),
    undefined,
    'the first has nothing to be compared with',
  )
})

test('a state has only declared fields and kinds', () => {
  const faults = stateFaults(fields, { setpoint: true, mode: 'dry', on: 1, constructor: 1 } as never)
  assert.deepEqual(
    faults.map(({ pointer }) => pointer),
    ['/state/setpoint', '/state/mode', '/state/on', '/state/constructor'],
  )
  assert.deepEqual(stateFaults(fields, { setpoint: 20, mode: 'heat', on: false }), [])
})

test('a readback is compared within its tolerance, field by field', () => {
  const desired = { setpoint: 20, on: true }
  assert.ok(matchesState(fields, desired, { setpoint: 20.2, on: true, mode: 'cool' }))
  assert.ok(!matchesState(fields, desired, { setpoint: 20.21, on: true }))
  assert.ok(!matchesState(fields, desired, { setpoint: 20, on: false }))
  assert.ok(!matchesState(fields, desired, { setpoint: 20 }))
})

test('a safe state sets every field within the envelope; an empty range is invalid', () => {
  assert.equal(safeStateFault(fields, { setpoint: 5, mode: 'heat', on: false }), undefined)
  assert.match(safeStateFault(fields, { setpoint: 5, on: false })!, /mode/)
  assert.match(safeStateFault(fields, { setpoint: 99, mode: 'heat', on: false })!, /envelope/)
  assert.match(fieldsFault({ x: { kind: 'number', min: 1, max: 1 } })!, /empty/)
})

test('an interlock holds only if it is exactly true', () => {
  const facts = { state: { setpoint: 21, on: true }, reported: {}, sensors: { temperature: 19.5 } }
  const holds = (interlock: string) => holdsInterlock(interlock, facts, 0)
  assert.ok(holds('input.state.setpoint <= 30 && input.sensors.temperature < 60'))
  assert.ok(holds('input.state.setpoint - input.sensors.temperature < 5'))
  for (const no of [
    'input.sensors.door < 1',
    'input.state.setpoint',
    'input.state.on == "yes"',
    'false',
    '1 =',
  ])
    assert.ok(!holds(no), no)
  assert.equal(interlockFault('input.sensors.temperature < 60'), undefined)
  for (const fault of ['1 =', 'process.exit()', '"text"', `${'1 + '.repeat(2000)}1 == 1`])
    assert.notEqual(interlockFault(fault), undefined, fault.slice(0, 20))
})
