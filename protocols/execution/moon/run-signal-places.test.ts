// How many signals of a name a run can still take: by gates that wait or may yet be reached, and by rounds that may follow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecipeStep } from '@svc/contract/recipe'
import { call, done, open } from '../../../checks/rehearsal/stepped-run.ts'
import { signalPlaces } from './run-signal-places.ts'

const gate = (name: string, more: object = {}) =>
  ({
    ...{ kind: 'Gate', name, condition: 'signal.ok', await: { signal: 'go' } },
    ...{ on_true: [], on_false: [], ...more },
  }) as RecipeStep
const sent = (seq: number, ok: boolean) => ({ seq, name: 'go', payload: { ok } })
const stepped = (...steps: RecipeStep[]) => {
  const run = open({ steps })
  const { turn } = run
  const places = () => signalPlaces({ plan: run.situation.plan, journal: run.rows, name: 'go' })
  return { run, turn, places }
}

test('a gate counts until it has decided, also before it is reached', () => {
  const { turn, places } = stepped(call('before'), gate('one'), gate('two'))
  turn()
  assert.equal(places(), 2)
  turn({ before: done() })
  assert.equal(places(), 2)
  turn({}, [sent(1, true)])
  assert.equal(places(), 1)
  turn({}, [sent(2, true)])
  assert.equal(places(), 0)
})

test('of two branches only one is taken, and a gate that was skipped counts no more', () => {
  const inner = { on_true: [gate('yes-1'), gate('yes-2')], on_false: [gate('no')] }
  const { turn, places } = stepped(gate('ask', inner), call('last', { when: 'false' }))
  turn()
  assert.equal(places(), 3)
  turn({}, [sent(1, false)])
  assert.equal(places(), 1)
  const skipped = stepped(gate('never', { when: 'false' }), call('last'))
  skipped.turn()
  assert.equal(skipped.places(), 0)
})

test('a loop counts its gates for each round that may follow', () => {
  const repeat = { kind: 'Repeat', name: 'loop', max: 3, until: 'item == 1', steps: [gate('in')] }
  const { turn, places } = stepped(call('before'), repeat as RecipeStep)
  turn()
  assert.equal(places(), 3)
  turn({ before: done() })
  assert.equal(places(), 3)
  turn({}, [sent(1, true)])
  assert.equal(places(), 2)
  turn({}, [sent(2, true), sent(3, true)])
  assert.equal(places(), 0)
  const each = {
    ...{ kind: 'ForEach', name: 'each', items: { $ref: 'steps.list.data' }, concurrency: 2 },
    steps: [gate('at')],
  } as RecipeStep
  const listed = stepped(call('list'), each)
  listed.turn()
  assert.equal(listed.places(), 1000)
  listed.turn({ list: done([1, 2, 3]) })
  assert.equal(listed.places(), 3)
  listed.turn({}, [sent(1, true)])
  assert.equal(listed.places(), 2)
})
