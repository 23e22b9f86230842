// Steps of our own rows that may be done: they are asked again before anything gives them up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecipeStep } from '@svc/contract/recipe'
import { broke, call, done, open } from '../../../checks/rehearsal/stepped-run.ts'
import type { Performed, Refused } from './run-outcome.ts'

const refused = (code: Refused['code'], details: object = {}, has_claimed = false): Performed => {
  const more = { message: 'no', record_id: null, elapsed_ms: 1, has_claimed }
  return { kind: 'refused', code, details: { retry_after_ms: 1_000, ...details }, ...more }
}
const unconfirmed = refused('unavailable', { outcome: 'unknown' })
const compensation = { pay: call('refund') }

/** A run whose only step may be done. */
function openUnconfirmed() {
  const run = open({ steps: [call('pay')], compensation })
  run.turn()
  run.turn({ pay: unconfirmed })
  return run
}

test('a step that may be done is not skipped when a step beside it fails', () => {
  const steps = [call('pay', { depends_on: [] }), call('other', { depends_on: [] })]
  const run = open({ steps, compensation })
  run.turn()
  run.turn({ pay: unconfirmed })
  run.turn({ other: broke('policy_denied') })
  assert.deepEqual([run.run.state, run.rows.get('pay')?.state], ['waiting', 'waiting'])
  run.now_ms += 1_000
  assert.deepEqual(run.turn().begun, ['pay'])
  assert.deepEqual(run.turn({ pay: done() }).begun, ['pay@undo'])
})

test('a step that may be done is not skipped when the group around it is late', () => {
  const group: RecipeStep = { kind: 'Parallel', name: 'both', timeout_ms: 500, steps: [call('pay')] }
  const run = open({ steps: [group], compensation })
  run.turn()
  run.turn({ 'both/pay': unconfirmed })
  run.now_ms += 600
  run.turn()
  assert.equal(run.rows.get('both')?.state, 'failed')
  run.now_ms += 400
  assert.deepEqual(run.turn().begun, ['both/pay'])
  assert.deepEqual(run.turn({ 'both/pay': done() }).begun, ['both/pay@undo'])
})

test('a refusal before the key is looked up leaves the step in doubt, and a cancelled run waits for it', () => {
  const run = openUnconfirmed()
  run.now_ms += 1_000
  run.turn()
  run.run = { ...run.run, cancel: 'compensate' }
  const { change, begun } = run.turn({ pay: refused('circuit_open') })
  assert.deepEqual([begun, change.state], [[], 'waiting'])
  assert.equal(change.wake_at?.getTime(), run.now_ms + 1_000)
  run.now_ms += 1_000
  assert.deepEqual(run.turn().begun, ['pay'])
  assert.deepEqual(run.turn({ pay: done() }).begun, ['pay@undo'])
})

test('a refusal after the key was claimed shows that nothing was committed before', () => {
  const run = openUnconfirmed()
  run.now_ms += 1_000
  run.turn()
  run.run = { ...run.run, cancel: 'compensate' }
  run.turn({ pay: refused('rate_limited', {}, true) })
  assert.deepEqual([run.run.state, run.rows.get('pay')?.state], ['cancelled', 'skipped'])
})

test('a step that may be done and is not allowed any more is not called failed: a signal must report it', () => {
  const run = openUnconfirmed()
  run.now_ms += 1_000
  run.turn()
  run.turn({ pay: refused('capability_denied') })
  assert.deepEqual([run.run.waiting_on, run.rows.get('pay')?.state], ['signal', 'indeterminate'])
})

/** A run whose step was begun by an engine that is gone, or has lost the run and is still at it. */
function openRecovered() {
  const run = open({ steps: [call('pay')], compensation })
  run.turn()
  run.under_way.clear()
  assert.deepEqual(run.turn().begun, ['pay'])
  return run
}

for (const code of ['idempotency_in_flight', 'circuit_open'] as const)
  test(`a step that another engine began is not skipped by a cancel after ${code}`, () => {
    const run = openRecovered()
    run.turn({ pay: refused(code) })
    run.run = { ...run.run, cancel: 'compensate' }
    run.turn()
    assert.deepEqual([run.run.state, run.rows.get('pay')?.state], ['waiting', 'waiting'])
    run.now_ms += 1_000
    assert.deepEqual(run.turn().begun, ['pay'])
    assert.deepEqual(run.turn({ pay: done() }).begun, ['pay@undo'])
  })

test('a step whose key is in flight is in doubt again, though an attempt had claimed the key before', () => {
  const run = openRecovered()
  run.turn({ pay: refused('rate_limited', {}, true) })
  run.now_ms += 1_000
  run.turn()
  run.turn({ pay: refused('idempotency_in_flight') })
  run.run = { ...run.run, cancel: 'compensate' }
  run.turn()
  assert.equal(run.rows.get('pay')?.state, 'waiting')
})

test('a step that another engine began and that is not allowed any more waits for a signal', () => {
  const run = openRecovered()
  run.turn({ pay: refused('capability_denied') })
  assert.deepEqual([run.run.waiting_on, run.rows.get('pay')?.state], ['signal', 'indeterminate'])
})

test('a read that another engine began is never in doubt', () => {
  const run = open({ steps: [call('pay', { operation: 'look' })] })
  run.turn()
  run.under_way.clear()
  run.turn()
  run.turn({ pay: refused('capability_denied') })
  assert.deepEqual([run.run.state, run.rows.get('pay')?.state], ['failed', 'failed'])
})
