// Steps that start another run: they wait for it, fail with it, and call it off with their own run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecipeStep } from '@svc/contract/recipe'
import { call, done, open } from '../../../checks/rehearsal/stepped-run.ts'
import type { ChildRun } from './run-progress.ts'

const child_id = '01900000-0000-7000-8000-000000000001'
const run_ref = `moon://run/${child_id}`
const ship: RecipeStep = {
  kind: 'Run',
  name: 'ship',
  manifest: 'ship-order',
  version: '1.0.0',
  input: { order: { $ref: 'input.order' } },
  timeout_ms: 60_000,
}
const going: ChildRun = {
  ...{ run_id: child_id, state: 'running', cancel: null, error_code: null, confidence: 1, is_adopted: true },
}
const with_child = (child: Partial<ChildRun>): Parameters<ReturnType<typeof open>['turn']> => [
  {},
  [],
  false,
  { [child_id]: { ...going, ...child } },
]

function openShip(more: object = {}) {
  const last = call('last', { payload: { parcel: { $ref: 'steps.ship.data.output' } } })
  const run = open({ steps: [ship, last], ...more }, { input: { order: 7 } })
  run.turn()
  run.turn({ ship: done({ run_ref, state: 'pending', confidence_score: 1 }) })
  return run
}

test('a run is started with its input and its time limit, and the step waits for its end', () => {
  const run = open({ steps: [ship] }, { input: { order: 7 } })
  assert.deepEqual(run.turn().begun, ['ship'])
  const { protocol, operation, input } = run.external_effect('ship')
  assert.deepEqual([protocol, operation], ['MOON', 'execute_workflow'])
  assert.deepEqual(input, { name: 'ship-order', version: '1.0.0', input: { order: 7 }, deadline_ms: 60_000 })
  const turn = run.turn({ ship: done({ run_ref, state: 'pending', confidence_score: 1 }) })
  assert.deepEqual([turn.adopted, turn.change.waiting_on], [[child_id], 'run'])
  assert.equal(run.turn(...with_child({})).change.state, 'waiting')
})

test('its output is the answer of the step, and its confidence that of the step', () => {
  const run = openShip()
  const { begun } = run.turn(...with_child({ state: 'succeeded', output: 'P1', confidence: 0.5 }))
  assert.deepEqual(begun, ['last'])
  assert.deepEqual(run.external_effect('last').input, { parcel: 'P1' })
  assert.equal(run.turn({ last: done() }).change.confidence, 0.5)
})

test('a run that ends without success fails the step, and is started anew where the step is retried', () => {
  const run = openShip()
  run.turn(...with_child({ state: 'compensated', error_code: 'timeout' }))
  assert.deepEqual([run.run.state, run.run.error_code], ['failed', 'unsuccessful'])
  assert.match(JSON.stringify(run.rows.get('ship')?.error), /moon:..run.*compensated, timeout/)
  const again = openShip({ steps: [{ ...ship, retry: { max: 1, backoff_ms: 10 } }] })
  const key = again.external_effect('ship').idempotency_key
  again.turn(...with_child({ state: 'failed' }))
  again.now_ms += 10
  assert.deepEqual(again.turn().begun, ['ship'])
  assert.notEqual(again.external_effect('ship').idempotency_key, key)
  const other = `moon://run/${child_id.replace(/1$/, '2')}`
  assert.deepEqual(again.turn({ ship: done({ run_ref: other }) }).adopted, [other.slice(11)])
})

test('a run that is cancelled calls its child off, and ends when the child has ended', () => {
  const run = openShip()
  run.run = { ...run.run, cancel: 'stop' }
  const turn = run.turn(...with_child({}))
  assert.deepEqual([turn.called_off, turn.change.state], [[child_id], 'waiting'])
  assert.deepEqual(run.turn(...with_child({ cancel: 'stop' })).called_off, [])
  assert.equal(run.run.state, 'waiting')
  run.turn(...with_child({ state: 'cancelled', cancel: 'stop' }))
  assert.equal(run.run.state, 'cancelled')
})

test('a child that had succeeded is undone by the compensation of its step', () => {
  const compensation = { ship: call('back', { payload: { run: { $ref: 'steps.ship.data.run_ref' } } }) }
  const run = openShip({ compensation })
  run.turn(...with_child({ state: 'succeeded' }))
  run.run = { ...run.run, cancel: 'compensate' }
  run.turn()
  run.turn({ last: done() })
  assert.deepEqual(run.external_effect('ship@undo').input, { run: run_ref })
})

test('runs do not start each other without end', () => {
  const run = open(
    { steps: [ship] },
    { input: { order: 7 }, acting: { correlation_id: 'c', depth: 4 } as never },
  )
  run.turn()
  assert.deepEqual([run.run.state, run.run.error_code], ['failed', 'policy_denied'])
})
