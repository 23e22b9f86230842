import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCondition, plainValue, whyNot } from './condition.ts'
import { applyEffects, compileEffect, type EffectSource } from './effect.ts'
import { factsOf, fingerprint, plainOf, setFact } from './facts.ts'

const state = factsOf({ at: { t1: 'A', p1: 't1' }, fuel: 10, list: [1, 2], constructor: { x: 1 } })
const args = factsOf({ truck: 't1', package: 'p1', n: 3 })
const reads = (text: string) =>
  compileCondition(text)
    .reads(args)
    .map((path) => path.join('.'))
    .sort()

test('an expression reports the facts it reads, as narrowly as possible', () => {
  const cases: [string, string[]][] = [
    ['state.at[args.truck] == "A"', ['at.t1']],
    ['state.at["t" + "1"] == "A" && state.fuel > 2', ['at.t1', 'fuel']],
    ['state.at[args.package + "x"] == "A"', ['at.p1x']],
    ['args.truck in state.at', ['at.t1']],
    ['state.at[state.at[args.package]] == "A"', ['at', 'at.p1']],
    ['state.list.exists(one, one == state.fuel)', ['fuel', 'list']],
    ['has(state.at.t1)', ['at.t1']],
    ['size(state) > 1', ['']],
    ['state.list[1 + 1] == 2', ['list']],
    ['args.n > 2', []],
  ]
  for (const [text, paths] of cases) assert.deepEqual([...new Set(reads(text))], paths, text)
})

test('a missing, non-boolean or invalid condition is never true', () => {
  const why = (text: string) => whyNot(compileCondition(text), { state, args })
  assert.equal(why('state.fuel >= 10 && state.at[args.truck] == "A"'), undefined)
  assert.equal(why('state.fuel > 10'), 'it is false')
  assert.match(why('state.nothing == 1')!, /nothing/)
  assert.equal(why('state.fuel + 1'), 'it answers neither true nor false')
  assert.equal(plainValue(compileCondition('state.fuel + args.n * 2'), { state, args }), 16)
  for (const text of ['state.(', '1 + "a"', 'unknown.x', '[1].exists(args, args > 0)'])
    assert.throws(() => compileCondition(text), Error, text)
  const endless =
    'state.list.all(a, state.list.all(b, state.list.all(c, state.list.all(d, a + b + c + d > 0))))'
  const long = factsOf({ list: Array.from({ length: 100 }, (_, at) => at + 1) })
  assert.match(whyNot(compileCondition(endless), { state: long, args })!, /units of work/)
})

test('whole numbers and fractions mix in any order', () => {
  for (const [text, value] of [
    ['2 - 2.5 - 3', -3.5],
    ['5 / 2.0 / 5', 0.5],
    ['2.5 * 2 + 1', 6],
  ] as const)
    assert.equal(plainValue(compileCondition(text), { state, args }), value, text)
})

test('a condition matches patterns, and pays for them', () => {
  const why = (text: string) => whyNot(compileCondition(text), { state, args })
  assert.equal(why('args.truck.matches("^t[0-9]$")'), undefined)
  assert.equal(why('args.truck.matches("x")'), 'it is false')
  const long = factsOf({ text: 'a'.repeat(10_000) })
  const costly = compileCondition('state.text.matches("(a|aa|aaa){40}b")')
  assert.match(whyNot(costly, { state: long, args })!, /units of work/)
})

test('effects set, remove and increment from the previous state, and refuse invalid paths', () => {
  const apply = (...effects: EffectSource[]) =>
    plainOf(applyEffects(effects.map(compileEffect), { state, args })) as Record<string, unknown>
  const after = apply(
    { set: 'at.{truck}', to: { $cel: 'state.at[args.package] + "!"' } },
    { set: 'at.{package}', to: 'B' },
    { unset: 'list' },
    { unset: 'at.nobody.nothing' },
    { increment: 'fuel', by: { $cel: '-args.n' } },
    { increment: 'trips.{truck}' },
  )
  assert.deepEqual(after.at, { t1: 't1!', p1: 'B' })
  assert.deepEqual([after.fuel, after.trips, 'list' in after], [7, { t1: 1 }, false])
  assert.throws(() => apply({ set: 'fuel.deep', to: 1 }), /holds no facts/)
  assert.throws(() => apply({ increment: 'at.t1' }), /no number/)
  assert.throws(() => apply({ set: 'at.{nobody}', to: 1 }), /no text/)
  for (const path of ['', 'a..b', '{', 'a.{}', 'a.b.c.d.e.f.g.h.i'])
    assert.throws(() => compileEffect({ unset: path }), /no path/, path)
})

test('equal facts have one fingerprint, however they were built', () => {
  const one = setFact(setFact(factsOf({}), ['a', 'b'], 1)!, ['c'], [1, 'x'])!
  assert.equal(fingerprint(one), fingerprint(factsOf({ c: [1, 'x'], a: { b: 1 } })))
  assert.notEqual(fingerprint(one), fingerprint(factsOf({ c: [1, 'x'], a: { b: '1' } })))
})
