// What counts as a failure of a step: its answer, its own errors, and what is tried again after each.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecipeStep } from '@svc/contract/recipe'
import { broke, call, done, open } from '../../../checks/rehearsal/stepped-run.ts'
import { recipeId } from '../recipes/recipe-id.ts'

const declined = {
  errors: [{ type: 'card_declined', when: 'data.status == 402' }],
  success_when: 'data.status < 400',
}

test('an answer that is no success fails the step, and the run is compensated', () => {
  const steps = [call('reserve'), call('pay', { success_when: 'data.status < 400' })]
  const run = open({ steps, compensation: { reserve: call('release') } })
  run.turn()
  run.turn({ reserve: done() })
  assert.deepEqual(run.turn({ pay: done({ status: 500 }) }).begun, ['reserve@undo'])
  run.turn({ 'reserve@undo': done() })
  assert.deepEqual(
    [run.run.state, run.run.error_code, run.run.confidence],
    ['compensated', 'unsuccessful', 0],
  )
})

test('an answer without success is retried as a new call, and the retry costs confidence', () => {
  const run = open({ steps: [call('pay', { ...declined, retry: { max: 2, backoff_ms: 10 } })] })
  run.turn()
  const keys = [run.external_effect('pay').idempotency_key]
  for (const status of [500, 503]) {
    assert.deepEqual(run.turn({ pay: done({ status }) }).begun, [])
    assert.equal(run.rows.get('pay')?.state, 'waiting')
    run.now_ms += 60_000
    assert.deepEqual(run.turn().begun, ['pay'])
    keys.push(run.external_effect('pay').idempotency_key)
  }
  assert.equal(new Set(keys).size, 3)
  // A call that was not answered keeps its key: it may have been performed.
  run.turn({ pay: done({ status: 200 }) })
  assert.deepEqual([run.run.state, run.run.confidence], ['succeeded', 0.95 ** 2])
})

test('an attempt without an answer keeps the key of the call, also after one with an answer', () => {
  const run = open({ steps: [call('pay', { ...declined, retry: { max: 3, backoff_ms: 10 } })] })
  run.turn()
  run.turn({ pay: done({ status: 500 }) })
  run.now_ms += 60_000
  run.turn()
  const second = run.external_effect('pay').idempotency_key
  run.turn({ pay: broke('adapter_error') })
  run.now_ms += 60_000
  assert.deepEqual(run.turn().begun, ['pay'])
  assert.equal(run.external_effect('pay').idempotency_key, second)
})

test('a retry that names errors is for these only', () => {
  for (const [status, state] of [
    [402, 'failed'],
    [503, 'waiting'],
  ] as const) {
    const run = open({ steps: [call('pay', { ...declined, retry: { max: 2, on: ['unsuccessful'] } })] })
    run.turn()
    run.turn({ pay: done({ status }) })
    assert.equal(run.rows.get('pay')?.state, state)
    assert.equal(run.rows.get('pay')?.error_code, status === 402 ? 'card_declined' : 'unsuccessful')
  }
  const run = open({ steps: [call('pay', { retry: { max: 2, on: ['timeout'] } })] })
  run.turn()
  run.turn({ pay: broke('adapter_error') })
  assert.deepEqual([run.run.state, run.run.error_code], ['failed', 'adapter_error'])
})

test('a sub-recipe is tried again after the errors it names, and calls anew what was answered', () => {
  const inner = {
    version: '1.0.0',
    steps: [call('pay', declined)],
    audit_checkpoints: [],
    governance_gates: [],
  }
  const recipe = { id: recipeId(inner), ...inner }
  const part = { kind: 'SubRecipe' as const, name: 'part', recipe_id: recipe.id, params: {} }
  const run = open({ steps: [{ ...part, retry: { max: 2, backoff_ms: 10, on: ['card_declined'] } }] }, {}, [
    recipe,
  ])
  run.turn()
  const first = run.external_effect('part/pay').idempotency_key
  run.turn({ 'part/pay': done({ status: 402 }) })
  run.now_ms += 60_000
  assert.deepEqual(run.turn().begun, ['part/pay'])
  assert.notEqual(run.external_effect('part/pay').idempotency_key, first)
  run.turn({ 'part/pay': done({ status: 500 }) })
  assert.deepEqual([run.run.state, run.run.error_code], ['failed', 'unsuccessful'])
})

test('a Fail step ends its run with its own error, or is skipped where it is optional', () => {
  const fail = { kind: 'Fail' as const, name: 'sold', error: 'out_of_stock', message: 'None is left.' }
  const run = open({ steps: [call('look'), fail, call('never')] })
  run.turn()
  assert.deepEqual(run.turn({ look: done() }).begun, [])
  assert.deepEqual([run.run.state, run.run.error_code], ['failed', 'out_of_stock'])
  const other = open({ steps: [{ ...fail, optional: true }, call('on')] })
  assert.deepEqual(other.turn().begun, ['on'])
})

test('an answer that its condition cannot read fails the step without another call', () => {
  const run = open({ steps: [call('pay', { success_when: 'data.state == "done"', retry: { max: 3 } })] })
  run.turn()
  run.turn({ pay: done({}) })
  assert.deepEqual([run.run.state, run.run.error_code], ['failed', 'invalid_payload'])
})

test('a compensation that is answered without success has failed', () => {
  const steps = [call('pay'), call('ship')]
  const run = open({ steps, compensation: { pay: call('refund', { success_when: 'data.ok' }) } })
  run.turn()
  run.turn({ pay: done() })
  run.turn({ ship: broke('policy_denied') })
  run.turn({ 'pay@undo': done({ ok: false }) })
  assert.equal(run.run.state, 'compensation_failed')
})

const action = call('act', { operation: 'later' })

test('a step whose work goes on asks how it ends, and costs no attempt', () => {
  const run = open({ steps: [action] })
  run.turn()
  run.turn({ act: done({ state: 'running', id: 'a1' }) }, [], true)
  assert.deepEqual([run.run.state, run.run.waiting_on], ['waiting', 'action'])
  for (let attempt = 0; attempt < 3; attempt++) {
    run.now_ms += 60_000
    assert.deepEqual(run.turn({}, [], true).begun, ['act'])
    const { operation, input, idempotency_key } = run.external_effect('act')
    assert.deepEqual([operation, input, idempotency_key], ['status', { id: 'a1' }, undefined])
    run.turn({ act: done({ state: 'running', id: 'a1' }) }, [], true)
  }
  run.now_ms += 60_000
  run.turn({}, [], true)
  run.turn({ act: done({ state: 'succeeded', id: 'a1' }) }, [], true)
  assert.deepEqual([run.run.state, run.run.confidence, run.rows.get('act')?.attempt], ['succeeded', 1, 1])
})

test('a cancelled run waits for the work it has begun, then undoes it', () => {
  const run = open({ steps: [action], compensation: { act: call('undo') } })
  run.turn()
  run.turn({ act: done({ state: 'running', id: 'a1' }) }, [], true)
  run.run = { ...run.run, cancel: 'compensate' }
  run.now_ms += 60_000
  assert.deepEqual(run.turn({}, [], true).begun, ['act'])
  assert.deepEqual(run.turn({ act: done({ state: 'succeeded', id: 'a1' }) }, [], true).begun, ['act@undo'])
})

test('after a crash the next engine asks again, and begins no second action', () => {
  const run = open({ steps: [action] })
  run.turn()
  run.turn({ act: done({ state: 'running', id: 'a1' }) }, [], true)
  run.now_ms += 60_000
  run.turn({}, [], true)
  run.under_way.clear()
  run.now_ms += 48 * 3_600_000
  assert.deepEqual(run.turn({}, [], true).begun, ['act'])
  assert.equal(run.external_effect('act').operation, 'status')
})

test('a question that is refused for good leaves the outcome to a person; one that is disturbed is put again', () => {
  const run = open({ steps: [action] })
  run.turn()
  run.turn({ act: done({ state: 'running', id: 'a1' }) }, [], true)
  run.now_ms += 60_000
  run.turn({}, [], true)
  run.turn({ act: broke('adapter_error') }, [], true)
  assert.equal(run.rows.get('act')?.state, 'waiting')
  run.now_ms += 60_000
  run.turn({}, [], true)
  run.turn({ act: broke('policy_denied') }, [], true)
  assert.equal(run.rows.get('act')?.state, 'indeterminate')
  run.turn({}, [{ seq: 1, name: 'outcome', payload: { path: 'act', performed: true } }], true)
  assert.equal(run.run.state, 'succeeded')
})

test('a reference that leads nowhere says whether the input, a round or a step lacks it', () => {
  const pay = (ref: string) => call('pay', { payload: { to: { $ref: ref } } })
  const each = (ref: string) => ({
    ...{ kind: 'ForEach', name: 'each', items: { $ref: 'input.list' }, steps: [pay(ref)] },
  })
  for (const [steps, input, message] of [
    [[each('item')], {}, 'The value refers to input.list, but the input has no list; give it'],
    [[pay('input.to')], {}, 'The payload at "/to" refers to input.to, but the input has no to; give it'],
    [[each('item.to')], { list: [{}] }, 'item.to, but the item of this round has no to.'],
    [[call('look', { when: 'false' }), pay('steps.look.data.to')], {}, 'it may have been skipped'],
    [[call('look'), pay('steps.look.data.to')], {}, 'but the answer of the step look has no to.'],
  ] as const) {
    const run = open({ steps: [...steps] as RecipeStep[] }, { input })
    let begun = run.turn().begun
    if (begun.includes('look')) begun = run.turn({ look: done({}) }).begun
    const failed = begun.map((path) => broken(() => run.external_effect(path)))
    const stored = [...run.rows.values()].map(({ error }) => (error as { message: string })?.message)
    assert.ok(
      [...failed, ...stored].some((one) => one?.includes(message)),
      message,
    )
  }
})

function broken(make: () => unknown): string | undefined {
  try {
    make()
    return undefined
  } catch (thrown) {
    return (thrown as Error).message
  }
}
