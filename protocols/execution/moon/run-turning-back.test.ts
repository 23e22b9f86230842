// Runs that turn back after a cancel, a deadline or a failure: what still starts, and what is undone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecipeStep } from '@svc/contract/recipe'
import { broke, call, done, open } from '../../../checks/rehearsal/stepped-run.ts'
import { recipeId } from '../recipes/recipe-id.ts'
import type { Performed } from './run-outcome.ts'

const side_by_side = {
  steps: [
    call('paid', { depends_on: [] }),
    call('later', { depends_on: [], retry: { max: 3, backoff_ms: 100 } }),
  ],
  compensation: { paid: call('refund'), later: call('take-back') },
}

test('a step that waits for a retry is not retried once the run is cancelled', () => {
  const run = open(side_by_side)
  run.turn()
  run.turn({ paid: done(), later: broke('adapter_error') })
  assert.equal(run.rows.get('later')?.state, 'waiting')
  run.run = { ...run.run, cancel: 'compensate' }
  run.now_ms += 60_000
  assert.deepEqual(run.turn().begun, ['paid@undo'])
  run.now_ms += 60_000
  assert.deepEqual(run.turn({ 'paid@undo': done() }).begun, [])
  assert.deepEqual([run.run.state, run.rows.get('later')?.state], ['compensated', 'skipped'])
})

test('steps are compensated one after another, the last one first', () => {
  const names = ['first', 'second', 'third']
  const compensation = Object.fromEntries(names.map((name) => [name, call(`undo-${name}`)]))
  const run = open({ steps: [...names, 'fails'].map((name) => call(name)), compensation })
  run.turn()
  for (const name of names) run.turn({ [name]: done() })
  let { begun } = run.turn({ fails: broke('policy_denied') })
  const undone: string[] = []
  while (begun.length > 0) {
    undone.push(...begun)
    begun = run.turn(Object.fromEntries(begun.map((path) => [path, done()]))).begun
  }
  assert.deepEqual([undone, run.run.state], [['third@undo', 'second@undo', 'first@undo'], 'compensated'])
})

test('a call cut off by a cancel may have happened: it is compensated or not once its outcome is reported', () => {
  for (const performed of [true, false]) {
    const run = open({ steps: [call('wire')], compensation: { wire: call('take-back') } })
    run.turn({}, [], true)
    run.run = { ...run.run, cancel: 'compensate' }
    assert.equal(run.turn({}, [], true).stop, true)
    run.turn({ wire: broke('invalid_request', 'caller left') }, [], true)
    assert.deepEqual([run.rows.get('wire')?.state, run.run.state], ['indeterminate', 'waiting'])
    assert.equal(run.run.waiting_on, 'signal')
    const payload = { path: 'wire', performed, data: {} }
    const { begun } = run.turn({}, [{ seq: 1, name: 'outcome', payload }], true)
    assert.deepEqual(begun, performed ? ['wire@undo'] : [])
    if (performed) run.turn({ 'wire@undo': done() }, [], true)
    assert.equal(run.run.state, performed ? 'compensated' : 'cancelled')
  }
})

test('a report that is sent twice answers once: the next unknown outcome waits for a new one', () => {
  const run = open({ steps: [call('wire')] })
  const report = (seq: number, performed: boolean) => ({
    seq,
    name: 'outcome',
    payload: { path: 'wire', performed },
  })
  run.turn({}, [], true)
  run.turn({ wire: broke('adapter_error') }, [], true)
  const { begun, taken } = run.turn({}, [report(1, false), report(2, false)], true)
  assert.deepEqual([begun, [...taken.keys()]], [['wire'], [1, 2]])
  run.turn({ wire: broke('adapter_error') }, [], true)
  assert.deepEqual(run.turn({}, [report(3, false), report(4, true)], true).begun, [])
  assert.equal(run.run.state, 'succeeded')
})

test('a step of our own rows whose commit is unknown is asked again before the run fails or turns back', () => {
  const unconfirmed: Performed = {
    ...{ kind: 'refused', code: 'unavailable', message: 'no', record_id: null, elapsed_ms: 1 },
    details: { reason: 'database unavailable', outcome: 'unknown', retry_after_ms: 1_000 },
  }
  const run = open({ steps: [call('pay')], compensation: { pay: call('refund') } })
  run.turn()
  run.turn({ pay: unconfirmed })
  assert.equal(run.rows.get('pay')?.state, 'waiting')
  run.run = { ...run.run, cancel: 'compensate' }
  assert.deepEqual(run.turn().begun, ['pay'])
  assert.deepEqual(run.turn({ pay: done() }).begun, ['pay@undo'])
  run.turn({ 'pay@undo': done() })
  assert.equal(run.run.state, 'compensated')
})

test('an overdue run that waits for a report does not wake itself in a tight loop', () => {
  const run = open({ steps: [call('wire')], compensation: { wire: call('take-back') } })
  run.run = { ...run.run, deadline_at: new Date(run.now_ms + 100) }
  run.turn({}, [], true)
  run.now_ms += 200
  const { change } = run.turn({ wire: broke('adapter_error') }, [], true)
  assert.deepEqual([change.state, change.wake_at], ['waiting', null])
})

test('a compensation does not apply to a step of the same name inside a sub-recipe', () => {
  const inner = { version: '1.0.0', steps: [call('pay')], audit_checkpoints: [], governance_gates: [] }
  const recipe = { id: recipeId(inner), ...inner }
  const steps: RecipeStep[] = [
    call('pay'),
    { kind: 'SubRecipe', name: 'more', recipe_id: recipe.id, params: {} },
    call('last'),
  ]
  const run = open({ steps, compensation: { pay: call('refund') } }, {}, [recipe])
  run.turn()
  run.turn({ pay: done() })
  run.turn({ 'more/pay': done() })
  assert.deepEqual(run.turn({ last: broke('policy_denied') }).begun, ['pay@undo'])
  assert.deepEqual(run.turn({ 'pay@undo': done() }).begun, [])
  assert.equal(run.run.state, 'compensated')
})

test('every attempt of a step sends the same call, including its time', () => {
  const payload = { at: { $cel: 'now()' }, id: { $cel: 'uuid()' } }
  const run = open({ steps: [call('a', { payload, retry: { max: 3, backoff_ms: 10 } })] })
  run.turn()
  const first = run.external_effect('a')
  for (let tried = 2; tried <= 4; tried++) {
    run.now_ms += 5_000
    run.turn({ a: broke('adapter_error') })
    run.now_ms += 3_600_000
    assert.deepEqual(run.turn().begun, ['a'])
    assert.equal(run.rows.get('a')?.attempt, tried)
    assert.deepEqual(run.external_effect('a').input, first.input)
  }
  // The intent's age counts from its last attempt: only that decides whether its key is still valid.
  assert.equal(run.rows.get('a')?.started_at.getTime(), run.now_ms)
})

test('a run whose output cannot be computed fails, and is compensated like any other', () => {
  const run = open({ steps: [call('a')], compensation: { a: call('undo') }, output: 'steps.a.data.absent' })
  run.turn()
  assert.deepEqual(run.turn({ a: done({}) }).begun, ['a@undo'])
  run.turn({ 'a@undo': done() })
  assert.deepEqual([run.run.state, run.run.error_code], ['compensated', 'invalid_payload'])
})

test('a reported outcome is judged like the answer of the call', () => {
  const run = open({ steps: [call('wire')], audit_checkpoints: ['wire'] })
  run.turn({}, [], true)
  run.turn({ wire: broke('adapter_error') }, [], true)
  const payload = { path: 'wire', performed: true, data: { confidence: 0.5 } }
  const { events } = run.turn({}, [{ seq: 1, name: 'outcome', payload }], true)
  assert.deepEqual([run.run.state, run.run.confidence], ['succeeded', 0.5])
  assert.ok(events.some(({ event_type }) => event_type === 'StepCompleted'))
})

test('a gate whose case is not accepted is also recorded', () => {
  const gate = { at_step: 'a', kind: 'MOAT-treaty', on_pass: 'Continue', on_fail: 'Escalate' } as const
  const run = open({ steps: [call('a')], governance_gates: [gate] })
  run.turn()
  run.turn({ 'a@gate-0': done({ active: false }) })
  const { events } = run.turn({ 'a@gate-0': broke('policy_denied') })
  const check = events.find(({ event_type }) => event_type === 'AuthorizationCheck')
  assert.deepEqual([check?.outcome, check?.meta.gate], ['refused', 'MOAT-treaty'])
  assert.deepEqual([run.run.state, run.run.error_code], ['failed', 'policy_denied'])
})

test('a long chain of instant steps takes several turns, so that other runs get theirs', () => {
  const gate = (at: number): RecipeStep => ({
    kind: 'Gate',
    name: `a${at}`,
    condition: 'true',
    on_true: [],
    on_false: [],
  })
  const run = open({ steps: Array.from({ length: 120 }, (_, at) => gate(at)) })
  const turns = Array.from({ length: 3 }, () => run.turn())
  assert.deepEqual(
    turns.map(({ more, change }) => [more, change.state, change.released]),
    [
      [true, 'running', false],
      [true, 'running', false],
      [false, 'succeeded', true],
    ],
  )
})
