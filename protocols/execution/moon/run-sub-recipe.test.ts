// Sub-recipes inside a run: how often they are retried, and what a retry keeps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Recipe, RecipeStep } from '@svc/contract/recipe'
import type { Retry } from '@svc/contract/recipe-retry'
import { broke, call, done, open } from '../../../checks/rehearsal/stepped-run.ts'
import { recipeId } from '../recipes/recipe-id.ts'

/** A run of one step: a sub-recipe with these steps. */
function openPart(steps: RecipeStep[], retry: Retry) {
  const inner = { version: '1.0.0', steps, audit_checkpoints: [], governance_gates: [] }
  const recipe: Recipe = { id: recipeId(inner), ...inner }
  const part: RecipeStep = { kind: 'SubRecipe', name: 'part', recipe_id: recipe.id, params: {}, retry }
  return open({ steps: [part] }, {}, [recipe])
}

const retry = { max: 2, backoff_ms: 100 }

test('a write that succeeded stays in the journal when its sub-recipe is retried, even if that is cancelled', () => {
  const run = openPart([call('x'), call('y')], retry)
  run.turn()
  run.turn({ 'part/x': done() })
  run.turn({ 'part/y': broke('policy_denied') })
  assert.equal(run.rows.get('part')?.state, 'waiting')
  run.run = { ...run.run, cancel: 'stop' }
  run.turn()
  const states = ['part', 'part/x'].map((path) => run.rows.get(path)?.state)
  assert.deepEqual([run.run.state, ...states], ['cancelled', 'skipped', 'succeeded'])
})

test('a retried sub-recipe reads again and repeats no write; a step waits for all that is before it', () => {
  const last = call('last', { payload: { seen: { $ref: 'steps.look.data.value' } } })
  const run = openPart([call('look', { operation: 'look' }), call('pay'), last], retry)
  run.turn()
  run.turn({ 'part/look': done({ value: 1 }) })
  run.turn({ 'part/pay': done() })
  run.turn({ 'part/last': broke('policy_denied') })
  run.now_ms += 60_000
  assert.deepEqual(run.turn().begun, ['part/look'])
  assert.deepEqual(run.turn({ 'part/look': done({ value: 2 }) }).begun, ['part/last'])
  assert.deepEqual(run.external_effect('part/last').input, { seen: 2 })
  run.turn({ 'part/last': done() })
  assert.deepEqual([run.run.state, run.rows.get('part/pay')?.attempt], ['succeeded', 1])
})

test('a sub-recipe that fails at once is retried as often as configured, with its delays', () => {
  const broken: RecipeStep = {
    kind: 'Gate',
    name: 'g',
    condition: 'input.absent == 1',
    on_true: [],
    on_false: [],
  }
  const run = openPart([broken], { max: 5, backoff_ms: 10, factor: 1 })
  for (let tried = 1; tried <= 5; tried++) {
    const { change } = run.turn()
    assert.deepEqual([change.state, run.rows.get('part')?.attempt], ['waiting', tried])
    assert.equal(change.wake_at?.getTime(), run.now_ms + 10)
    run.now_ms += 10
  }
  run.turn()
  assert.deepEqual([run.run.state, run.run.error_code], ['failed', 'invalid_payload'])
})
