import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Recipe, RecipeStep } from '@svc/contract/recipe'
import fc from 'fast-check'
import { advance, running_max } from './advance.ts'
import { compileRecipe } from './compile.ts'
import { scoresOf } from './confidence.ts'
import type { StepRecord } from './journal.ts'
import { isGroup, type Plan, type PlannedStep, stepAt, stepsInside } from './plan.ts'
import { recipeId } from './recipe-id.ts'

/** A step in the test's model, with its outcome. */
interface Fate {
  kind: 'Protocol' | 'Audit' | 'Gate' | 'Parallel' | 'SubRecipe'
  name: string
  depends_on: string[] | undefined
  optional: boolean
  weight: number
  when: boolean | undefined
  /** Fails while its sub-recipe has been opened at most this often; 0 never. */
  fails: number
  score: number
  attempt: number
  tries: number
  decision: boolean
  inside: Fate[]
  otherwise: Fate[]
}
const penalty = 0.1

const fates = fc.letrec<{ list: Fate[]; step: Fate }>((tie) => ({
  list: fc.array(tie('step'), { maxLength: 5, depthIdentifier: 'recipe' }),
  step: fc.record({
    kind: fc.constantFrom('Protocol', 'Protocol', 'Audit', 'Gate', 'Parallel', 'SubRecipe'),
    name: fc.constant(''),
    depends_on: fc.option(fc.array(fc.nat(9).map(String), { maxLength: 3 }), { nil: undefined }),
    optional: fc.boolean(),
    weight: fc.constantFrom(1, 1, 2, 0.5),
    when: fc.constantFrom(undefined, undefined, undefined, true, false),
    fails: fc.constantFrom(0, 0, 0, 0, 0, 1, 2),
    score: fc.constantFrom(1, 1, 0.9, 0.5, 0.25, 0),
    attempt: fc.constantFrom(1, 1, 2, 3),
    tries: fc.constantFrom(0, 1, 2),
    decision: fc.boolean(),
    inside: fc.oneof({ depthSize: 'small', depthIdentifier: 'recipe' }, fc.constant([]), tie('list')),
    otherwise: fc.oneof({ depthSize: 'small', depthIdentifier: 'recipe' }, fc.constant([]), tie('list')),
  }) as fc.Arbitrary<Fate>,
})).list

/** Names every step, and turns numbers into the names of earlier steps. */
function name(list: Fate[], prefix = 's'): Fate[] {
  return list.map((fate, at) => {
    const depends_on =
      at === 0 ? fate.depends_on && [] : fate.depends_on?.map((pick) => `${prefix}${Number(pick) % at}`)
    const nested = fate.kind === 'Gate' || fate.kind === 'Parallel' || fate.kind === 'SubRecipe'
    const own = `${prefix}${at}`
    return {
      ...fate,
      name: own,
      depends_on,
      inside: nested ? name(fate.inside, `${own}-i`) : [],
      otherwise: fate.kind === 'Gate' ? name(fate.otherwise, `${own}-o`) : [],
    }
  })
}

function toRecipe(list: readonly Fate[], recipes: Recipe[]): Recipe {
  const write = (fate: Fate): RecipeStep => {
    const { kind, name, depends_on, optional, weight, when } = fate
    const common = {
      name,
      optional,
      weight,
      ...(depends_on && { depends_on }),
      ...(when !== undefined && { when: `${when}` }),
    }
    switch (kind) {
      case 'Protocol':
        return {
          kind,
          ...common,
          protocol: 'T',
          operation: 'any',
          payload: {},
          retry: { max: 2, retry_penalty: penalty },
        }
      case 'Audit':
        return { kind, ...common, event_type: 'X', metadata: {} }
      case 'Gate':
        return {
          kind,
          ...common,
          condition: 'true',
          on_true: fate.inside.map(write),
          on_false: fate.otherwise.map(write),
        }
      case 'Parallel':
        return { kind, ...common, steps: fate.inside.map(write) }
      case 'SubRecipe':
        return {
          kind,
          ...common,
          recipe_id: toRecipe(fate.inside, recipes).id,
          params: {},
          retry: { max: fate.tries, retry_penalty: penalty },
        }
    }
  }
  const rest = { version: 'v1.0.0', steps: list.map(write), audit_checkpoints: [], governance_gates: [] }
  const recipe = { id: recipeId(rest), ...rest }
  recipes.push(recipe)
  return recipe
}

const open_schema = {
  capability: 'svc.t.any',
  effect: 'read',
  input: true,
  output: true,
  version: 'v1.0.0',
} as const

function planOf(list: readonly Fate[]): Plan {
  const recipes: Recipe[] = []
  const compiled = compileRecipe(
    toRecipe(list, recipes),
    () => open_schema,
    (id) => recipes.find((one) => one.id === id),
  )
  if ('problems' in compiled) assert.fail(JSON.stringify(compiled.problems))
  return compiled.plan
}

interface Expected {
  failed: boolean
  score: number
  states: Map<string, string>
}

/** Reference model: the spec's algebra and rules, recursively over the fates, without plans and journals. */
function expect(list: readonly Fate[], inflow: number, prefix = '', opened = 1, chained = true): Expected {
  const mean = (parts: [number, number][]) => {
    const sum = parts.reduce((total, [, weight]) => total + weight, 0)
    return parts.reduce((product, [score, weight]) => product * score ** (weight / sum), 1)
  }
  const scores = new Map<string, [number, number]>()
  const states = new Map<string, string>()
  const used = new Set<string>()
  let failed = false
  for (const [at, fate] of list.entries()) {
    const parents = [...new Set(fate.depends_on ?? (chained && at > 0 ? [list[at - 1]!.name] : []))]
    for (const parent of parents) used.add(parent)
    const coming = parents.length > 0 ? mean(parents.map((parent) => scores.get(parent)!)) : inflow
    const path = prefix + fate.name
    const outcome = fate.when === false ? undefined : expectStep(fate, coming, `${path}/`, opened)
    const skipped = outcome === undefined || (outcome.failed && fate.optional)
    failed ||= !skipped && outcome.failed
    scores.set(fate.name, [skipped ? 0.95 * coming : outcome.score, fate.weight])
    states.set(path, skipped ? 'skipped' : outcome.failed ? 'failed' : 'succeeded')
    if (!skipped) for (const [inner, state] of outcome.states) states.set(inner, state)
  }
  const sinks = list.filter((fate) => !used.has(fate.name)).map((fate) => scores.get(fate.name)!)
  return { failed, states, score: list.length === 0 ? inflow : mean(sinks) }
}

function expectStep(fate: Fate, coming: number, prefix: string, opened: number): Expected {
  const states = new Map<string, string>()
  if (fate.kind === 'Gate')
    return expect(fate.decision ? fate.inside : fate.otherwise, coming, prefix, opened)
  if (fate.kind === 'Parallel') return expect(fate.inside, coming, prefix, opened, false)
  if (fate.kind === 'SubRecipe') {
    let tried = 1
    while (tried <= fate.tries && expect(fate.inside, coming, prefix, tried).failed) tried++
    const inner = expect(fate.inside, coming, prefix, tried)
    return { ...inner, score: inner.score * (1 - penalty) ** (tried - 1) }
  }
  if (fate.fails >= opened) return { failed: true, score: 0, states }
  const own = fate.kind === 'Protocol' ? fate.score * (1 - penalty) ** (fate.attempt - 1) : 1
  return { failed: false, score: Math.min(coming, own), states }
}

function fatesByPath(list: readonly Fate[], prefix = ''): Map<string, Fate> {
  return new Map(
    list.flatMap((fate): [string, Fate][] => {
      const path = prefix + fate.name
      return [[path, fate], ...fatesByPath([...fate.inside, ...fate.otherwise], `${path}/`)]
    }),
  )
}

/** Whether a step and everything inside it is over, read naively from the journal. */
function isOver(plan: Plan, journal: ReadonlyMap<string, StepRecord>, step: PlannedStep): boolean {
  const record = journal.get(step.path)
  if (record?.state === 'skipped') return true
  if (record?.state !== 'succeeded') return false
  const untaken = record.decision ? 'on_false' : 'on_true'
  return stepsInside(plan, step.path).every(
    (inner) => inner.branch === untaken || isOver(plan, journal, inner),
  )
}

const world = () => ({ input: null, steps: {}, now_ms: 0, seed: '' })

/** Drives a run to its end in random order and checks every rule on the way. */
function drive(plan: Plan, fate_of: ReadonlyMap<string, Fate>, chance: (below: number) => number) {
  const journal = new Map<string, StepRecord>()
  for (let turn = 0; turn < 5000; turn++) {
    const next = advance(plan, journal, world)
    for (const { path, reason } of next.skip) {
      const before = journal.get(path)
      if (reason === 'optional_failed') assert.ok(before && stepAt(plan, path).optional)
      else assert.ok(!before || before.state === 'waiting', `${path} was ${before?.state}`)
      journal.set(path, { attempt: 1, ...before, state: 'skipped', skip_reason: reason })
    }
    assert.deepEqual(next.fail, [])
    if (next.ended) {
      assert.deepEqual([next.ready, next.again], [[], []])
      return { journal, ended: next.ended }
    }
    for (const path of next.again) {
      const { attempt } = journal.get(path)!
      for (const below of journal.keys()) if (below.startsWith(`${path}/`)) journal.delete(below)
      journal.set(path, { state: 'running', attempt: attempt + 1 })
    }
    for (const path of next.ready) {
      const step = stepAt(plan, path)
      assert.equal(journal.has(path), false)
      for (const parent of step.parents)
        assert.ok(isOver(plan, journal, stepAt(plan, parent)), `${path} too early`)
      if (step.within) assert.equal(journal.get(step.within)?.state, 'succeeded')
      journal.set(path, { state: 'running', attempt: isGroup(step) ? 1 : fate_of.get(path)!.attempt })
    }
    assert.deepEqual([...next.ready], next.ready.toSorted())
    const live = [...journal].filter(
      ([, { state }]) => state === 'running' || state === 'waiting' || state === 'indeterminate',
    )
    assert.ok(live.filter(([, { state }]) => state === 'running').length <= running_max)
    if (live.length === 0) {
      assert.ok(next.skip.length > 0, 'a run that has not ended and does nothing')
      continue
    }
    const [path, record] = live[chance(live.length)]!
    journal.set(path, endStep(stepAt(plan, path), record, fate_of.get(path)!, journal, chance))
  }
  assert.fail('the run did not end')
}

function endStep(
  step: PlannedStep,
  record: StepRecord,
  fate: Fate,
  journal: ReadonlyMap<string, StepRecord>,
  chance: (below: number) => number,
): StepRecord {
  if (isGroup(step))
    return { ...record, state: 'succeeded', ...(step.kind === 'Gate' && { decision: fate.decision }) }
  const detour = record.state === 'running' ? chance(6) : 5
  if (detour < 2) return { ...record, state: detour === 0 ? 'waiting' : 'indeterminate' }
  const opened = step.namespace === '' ? 1 : journal.get(step.namespace)!.attempt
  return fate.fails >= opened
    ? { ...record, state: 'failed' }
    : { ...record, state: 'succeeded', base_score: fate.score }
}

test('with any interleaving a run ends like the reference, in every step and in its score', () => {
  fc.assert(
    fc.property(fates, fc.array(fc.nat(), { minLength: 8, maxLength: 40 }), (drawn, draws) => {
      const list = name(drawn)
      const plan = planOf(list)
      const expected = expect(list, 1)
      let drawn_at = 0
      const { journal, ended } = drive(
        plan,
        fatesByPath(list),
        (below) => draws[drawn_at++ % draws.length]! % below,
      )
      assert.equal(ended.state, expected.failed ? 'failed' : 'succeeded')
      for (const path of plan.steps.keys())
        assert.match(`${journal.get(path)?.state}`, /^(succeeded|failed|skipped|waiting)$/, path)
      if (expected.failed) {
        assert.equal(ended.score, 0)
        assert.equal(journal.get(ended.failed_path!)?.state, 'failed')
      } else {
        assert.ok(Math.abs(ended.score - expected.score) < 1e-9, `${ended.score} is not ${expected.score}`)
        for (const [path, state] of expected.states) assert.equal(journal.get(path)?.state, state, path)
      }
      for (const score of scoresOf(plan, journal).values()) assert.ok(score >= 0 && score <= 1)
      // The end is final: another call starts nothing and returns the same.
      const after = advance(plan, journal, world)
      assert.deepEqual(
        { ...after, skip: [] },
        { ready: [], skip: [], fail: [], again: [], repeat: [], ended },
      )
    }),
    { numRuns: 150 },
  )
})

const fate = (name: string, more: Partial<Fate> = {}): Fate => ({
  kind: 'Protocol',
  name,
  depends_on: undefined,
  optional: false,
  weight: 1,
  when: undefined,
  fails: 0,
  score: 1,
  attempt: 1,
  tries: 0,
  decision: true,
  inside: [],
  otherwise: [],
  ...more,
})
const done = (more: Partial<StepRecord> = {}): StepRecord => ({ state: 'succeeded', attempt: 1, ...more })

test('at most sixteen steps run at a time, in path order', () => {
  const plan = planOf([
    fate('p', { kind: 'Parallel', inside: Array.from({ length: 30 }, (_, at) => fate(`s${at}`)) }),
  ])
  const journal = new Map<string, StepRecord>([['p', done()]])
  const first = advance(plan, journal, world).ready
  assert.deepEqual(first, [...plan.steps.keys()].slice(1, 17))
  for (const path of first.slice(0, 10)) journal.set(path, { state: 'running', attempt: 1 })
  assert.equal(advance(plan, journal, world).ready.length, 6)
})

test('a condition that cannot be evaluated fails only its step', () => {
  const recipe = toRecipe([fate('a')], [])
  const broken = { ...recipe, steps: [{ ...recipe.steps[0]!, when: 'input.absent == 1' }] }
  const compiled = compileRecipe(
    broken,
    () => open_schema,
    () => undefined,
  )
  if ('problems' in compiled) assert.fail()
  const { fail, ready } = advance(compiled.plan, new Map(), () => ({ ...world(), input: {} }))
  assert.equal(fail[0]?.path, 'a')
  assert.deepEqual(ready, [])
})

test('the branch not taken is skipped and costs no confidence; a group that timed out waits for steps inside', () => {
  const plan = planOf([fate('g', { kind: 'Gate', inside: [fate('a')], otherwise: [fate('b')] }), fate('c')])
  const journal = new Map<string, StepRecord>([['g', done({ decision: true })]])
  assert.deepEqual(advance(plan, journal, world), {
    ready: ['g/a'],
    skip: [{ path: 'g/b', reason: 'not_taken' }],
    fail: [],
    again: [],
    repeat: [],
  })
  journal
    .set('g/b', { state: 'skipped', attempt: 1, skip_reason: 'not_taken' })
    .set('g/a', { state: 'running', attempt: 1 })
  assert.deepEqual(advance(plan, journal, world).ready, [])
  const cut = new Map(journal).set('g', { state: 'failed', attempt: 1 })
  assert.equal(advance(plan, cut, world).ended, undefined)
  assert.equal(advance(plan, cut.set('g/a', { state: 'failed', attempt: 1 }), world).ended?.failed_path, 'g')
  journal.set('g/a', done({ base_score: 0.8 })).set('c', done())
  assert.deepEqual(advance(plan, journal, world).ended, { state: 'succeeded', score: 0.8 })
})
