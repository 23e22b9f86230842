// Loops inside a run: rounds of their own, bounded, undone one by one, and what they may not do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Recipe, RecipeStep } from '@svc/contract/recipe'
import { broke, call, done, open } from '../../../checks/rehearsal/stepped-run.ts'
import { recipeId } from '../recipes/recipe-id.ts'

const orders = [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }, { id: 'e' }]

function each(steps: RecipeStep[], more: object = {}): RecipeStep {
  return { kind: 'ForEach', name: 'each', items: { $ref: 'steps.read.data.orders' }, steps, ...more }
}

function repeat(steps: RecipeStep[], more: object = {}): RecipeStep {
  return { kind: 'Repeat', name: 'loop', max: 5, steps, ...more } as RecipeStep
}

const pay = call('pay', { payload: { order: { $ref: 'item.id' }, place: { $ref: 'index' } } })

/** A run whose first step has answered the list. */
function openEach(loop: RecipeStep, more: object = {}, list: unknown = orders) {
  const run = open({ steps: [call('read'), loop], ...more })
  run.turn()
  return { run, turn: run.turn({ read: done({ orders: list }) }) }
}

test('as many rounds are under way as the loop allows, and each sees its own element', () => {
  const { run, turn } = openEach(each([pay], { concurrency: 2 }))
  assert.deepEqual(turn.begun, ['each/0/pay', 'each/1/pay'])
  assert.deepEqual(run.external_effect('each/1/pay').input, { order: 'b', place: 1 })
  // The second is done first: the third begins, although the first has not ended.
  assert.deepEqual(run.turn({ 'each/1/pay': done() }).begun, ['each/2/pay'])
  assert.deepEqual(run.turn({ 'each/0/pay': done(), 'each/2/pay': done() }).begun, [
    'each/3/pay',
    'each/4/pay',
  ])
  const keys = run.rows
    .keys()
    .filter((path) => path.endsWith('/pay'))
    .map((path) => run.external_effect(path).idempotency_key)
  assert.equal(new Set(keys).size, 5)
  run.turn({ 'each/3/pay': done(), 'each/4/pay': done() })
  assert.equal(run.run.state, 'succeeded')
})

test('a step after the loop reads the answers of all rounds, in the order of the list', () => {
  const last = call('last', { payload: { ids: { $cel: 'steps.each.data.map(round, round.pay.id)' } } })
  const run = open({ steps: [call('read'), each([pay], { concurrency: 5 }), last] })
  run.turn()
  run.turn({ read: done({ orders: orders.slice(0, 3) }) })
  run.turn({ 'each/2/pay': done({ id: 3 }) })
  run.turn({ 'each/0/pay': done({ id: 1 }) })
  assert.deepEqual(run.turn({ 'each/1/pay': done({ id: 2 }) }).begun, ['last'])
  assert.deepEqual(run.external_effect('last').input, { ids: [1, 2, 3] })
})

test('a loop over an empty list ends at once; what is no list, or too long, fails it', () => {
  assert.equal(openEach(each([pay]), {}, []).run.run.state, 'succeeded')
  assert.equal(openEach(each([pay]), {}, { no: 'list' }).run.run.error_code, 'invalid_payload')
  const long = Array.from({ length: 1_001 }, () => 1)
  assert.equal(openEach(each([pay]), {}, long).run.run.error_code, 'payload_too_large')
  const steps = Array.from({ length: 10 }, (_, at) => call(`s${at}`))
  assert.equal(openEach(each(steps), {}, long.slice(1)).run.run.error_code, 'payload_too_large')
})

test('what failed rounds left done is undone, each with the element of its round, last first', () => {
  const undo = call('back', { payload: { order: { $ref: 'item.id' }, paid: { $ref: 'steps.pay.data.id' } } })
  const { run } = openEach(each([pay]), { compensation: { pay: undo } })
  run.turn({ 'each/0/pay': done({ id: 1 }) })
  run.turn({ 'each/1/pay': done({ id: 2 }) })
  assert.deepEqual(run.turn({ 'each/2/pay': broke('policy_denied') }).begun, ['each/1/pay@undo'])
  assert.deepEqual(run.external_effect('each/1/pay@undo').input, { order: 'b', paid: 2 })
  assert.deepEqual(run.turn({ 'each/1/pay@undo': done() }).begun, ['each/0/pay@undo'])
  assert.deepEqual(run.external_effect('each/0/pay@undo').input, { order: 'a', paid: 1 })
  run.turn({ 'each/0/pay@undo': done() })
  assert.equal(run.run.state, 'compensated')
})

test('a loop goes on where it was when its engine is lost, also in a round of a round', () => {
  const inner: RecipeStep = {
    kind: 'ForEach',
    name: 'lines',
    items: { $ref: 'item.lines' },
    steps: [pay],
    concurrency: 2,
  }
  const { run } = openEach(each([inner]), {}, [{ lines: [{ id: 1 }] }, { lines: [{ id: 2 }, { id: 3 }] }])
  run.turn({ 'each/0/lines/0/pay': done() })
  run.under_way.clear()
  assert.deepEqual(run.turn().begun, ['each/1/lines/0/pay', 'each/1/lines/1/pay'])
  assert.deepEqual(run.external_effect('each/1/lines/1/pay').input, { order: 3, place: 1 })
  run.turn({ 'each/1/lines/0/pay': done(), 'each/1/lines/1/pay': done() })
  assert.equal(run.run.state, 'succeeded')
})

test('an optional step of a round may fail without the others, and a mandatory one ends the loop', () => {
  const { run } = openEach(
    each([call('pay', { optional: true })], { concurrency: 5 }),
    {},
    orders.slice(0, 2),
  )
  run.turn({ 'each/0/pay': broke('policy_denied') })
  run.turn({ 'each/1/pay': done() })
  assert.equal(run.run.state, 'succeeded')
  const strict = openEach(each([pay], { concurrency: 2 })).run
  strict.turn({ 'each/0/pay': broke('policy_denied') })
  assert.deepEqual(strict.turn({ 'each/1/pay': done() }).begun, [])
  assert.equal(strict.run.state, 'failed')
})

test('a loop repeats until its condition holds, and a round reads what the round before answered', () => {
  const ask = call('ask', { payload: { from: { $cel: 'index == 0 ? "start" : item.ask.next' } } })
  const last = call('last', { payload: { end: { $ref: 'steps.loop.data.ask.next' } } })
  const run = open({ steps: [repeat([ask], { until: 'steps.ask.data.next == "end"' }), last] })
  assert.deepEqual(run.turn().begun, ['loop/0/ask'])
  assert.deepEqual(run.external_effect('loop/0/ask').input, { from: 'start' })
  assert.deepEqual(run.turn({ 'loop/0/ask': done({ next: 'two' }) }).begun, ['loop/1/ask'])
  assert.deepEqual(run.external_effect('loop/1/ask').input, { from: 'two' })
  assert.deepEqual(run.turn({ 'loop/1/ask': done({ next: 'end' }) }).begun, ['last'])
  assert.deepEqual(run.external_effect('last').input, { end: 'end' })
})

test('while ends a loop when it is false; after its last round a loop has failed', () => {
  const run = open({ steps: [repeat([call('ask')], { while: 'steps.ask.data.more' })] })
  run.turn()
  run.turn({ 'loop/0/ask': done({ more: true }) })
  run.turn({ 'loop/1/ask': done({ more: false }) })
  assert.equal(run.run.state, 'succeeded')
  const endless = open({ steps: [repeat([call('ask')], { max: 2, until: 'false' })] })
  endless.turn()
  endless.turn({ 'loop/0/ask': done() })
  endless.turn({ 'loop/1/ask': done() })
  assert.deepEqual([endless.run.state, endless.run.error_code], ['failed', 'unsuccessful'])
})

test('a pause between rounds is a timer of the run', () => {
  const run = open({ steps: [repeat([call('ask')], { until: 'index == 1', pause_ms: 5_000 })] })
  run.turn()
  const { change } = run.turn({ 'loop/0/ask': done() })
  assert.deepEqual(
    [change.state, change.waiting_on, change.wake_at?.getTime()],
    ['waiting', 'timer', run.now_ms + 5_000],
  )
  run.now_ms += 4_999
  assert.deepEqual(run.turn().begun, [])
  run.now_ms += 1
  assert.deepEqual(run.turn().begun, ['loop/1/ask'])
})

test('a timer waits for a duration, or until a time that the run knows', () => {
  const at = new Date(1_000_000 + 60_000).toISOString()
  const run = open(
    {
      steps: [
        { kind: 'Wait', name: 'w', for_ms: 1_000 },
        { kind: 'Wait', until: { $ref: 'input.at' } },
      ],
    },
    { input: { at } },
  )
  assert.equal(run.turn().change.wake_at?.getTime(), run.now_ms + 1_000)
  run.now_ms += 1_000
  assert.equal(run.turn().change.wake_at?.toISOString(), at)
  run.now_ms += 59_000
  run.turn()
  assert.equal(run.run.state, 'succeeded')
  const past = open({ steps: [{ kind: 'Wait', until: '1969-01-01T00:00:00Z' }] })
  past.turn()
  past.turn()
  assert.equal(past.run.state, 'succeeded')
  const odd = open({ steps: [{ kind: 'Wait', until: { $cel: '"soon"' } }] })
  odd.turn()
  assert.deepEqual([odd.run.state, odd.run.error_code], ['failed', 'invalid_payload'])
})

test('a manifest is refused whose loop has no end, whose timer is none, or that reads an element outside of a loop', () => {
  const loop = (more: object) => () => open({ steps: [repeat([call('ask')], more)] })
  assert.throws(loop({}), /either until or while/)
  assert.throws(loop({ until: 'true', while: 'true' }), /either until or while/)
  assert.throws(() => open({ steps: [{ kind: 'Wait' }] }), /either for_ms or until/)
  assert.throws(() => open({ steps: [{ kind: 'Wait', until: 'soon' }] }), /is no time/)
  assert.throws(() => open({ steps: [pay] }), /outside of the steps of a loop/)
  assert.throws(() => open({ steps: [each([pay]), call('pay'), call('read')] }), /Two steps are called pay/)
  const peek = call('peek', { payload: { id: { $ref: 'steps.pay.data' } } })
  assert.throws(() => open({ steps: [call('read'), each([pay]), peek] }), /no step called pay/)
})

test('a sub-recipe that is tried again keeps the elements for which a write has succeeded', () => {
  const steps = [call('read', { operation: 'look' }), each([pay])]
  const inner = { version: '1.0.0', steps, audit_checkpoints: [], governance_gates: [] }
  const recipe: Recipe = { id: recipeId(inner), ...inner }
  const part: RecipeStep = {
    kind: 'SubRecipe',
    name: 'part',
    recipe_id: recipe.id,
    params: {},
    retry: { max: 1 },
  }
  const run = open({ steps: [part] }, {}, [recipe])
  run.turn()
  run.turn({ 'part/read': done({ orders: orders.slice(0, 2) }) })
  run.turn({ 'part/each/0/pay': done() })
  run.turn({ 'part/each/1/pay': broke('policy_denied') })
  run.now_ms += 60_000
  assert.deepEqual(run.turn().begun, ['part/read'])
  // Another list now: the round that has paid for a must not pass for one of x.
  run.turn({ 'part/read': done({ orders: [{ id: 'x' }, { id: 'y' }] }) })
  assert.equal(run.rows.get('part/each/0/pay')?.state, 'succeeded')
  assert.deepEqual(run.external_effect('part/each/1/pay').input, { order: 'b', place: 1 })
})
