import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecipeStep } from '@svc/contract/recipe'
import fc from 'fast-check'
import { compileRecipe } from '../recipes/compile.ts'
import type { Plan } from '../recipes/plan.ts'
import { hasEnded, type Manifest, recipeOf } from './manifest.ts'
import { effectFor } from './run-effect.ts'
import type { Performed } from './run-outcome.ts'
import type { Situation } from './run-progress.ts'
import type { JournalRow, OpenRun } from './run-store.ts'
import { takeTurn } from './run-turn.ts'

const turns_max = 2_000
const served = () =>
  ({ capability: 'svc.steps.act', effect: 'write', input: true, output: true, version: 'v1.0.0' }) as const

function planOf(manifest: Manifest): Plan {
  const compiled = compileRecipe(recipeOf(manifest), served, () => undefined)
  if ('problems' in compiled) throw new Error(JSON.stringify(compiled.problems))
  return compiled.plan
}

interface World {
  /** Survives every crash: effects by key, and how often each happened. */
  readonly effects: Map<string, number>
  readonly order: string[]
  readonly fails: (path: string) => boolean
}

/** The step's own transaction: the effect and its key are committed together, or not at all. */
function perform(world: World, situation: Situation, path: string): Performed {
  if (world.fails(path))
    return {
      kind: 'refused',
      code: 'policy_denied',
      message: 'no',
      details: {},
      record_id: null,
      elapsed_ms: 1,
      has_claimed: true,
    }
  const { idempotency_key } = effectFor(situation, path)
  if (!world.effects.has(idempotency_key!)) {
    world.effects.set(idempotency_key!, 0)
    world.order.push(path)
  }
  world.effects.set(idempotency_key!, world.effects.get(idempotency_key!)! + 1)
  return { kind: 'done', output: { confidence: 0.9 }, record_id: path, elapsed_ms: 1 }
}

/** Runs to the end. `crash` is the chance that everything outside the journal is lost after an event. */
function simulate(manifest: Manifest, world: World, chance: () => number, crash: number) {
  const plan = planOf(manifest)
  const rows = new Map<string, JournalRow>()
  let run = {
    tenant_id: 'acme',
    run_id: 'run',
    state: 'pending',
    journal_seq: 0,
    started_at: null,
    ended_at: null,
    deadline_at: null,
    cancel: null,
    undoing: null,
    error_code: null,
    input: {},
    acting: { correlation_id: 'c', depth: 0 },
  } as unknown as OpenRun
  let under_way = new Set<string>()
  let outcomes = new Map<string, Performed>()
  let now_ms = 1_000_000
  for (let turn = 0; turn < turns_max; turn++) {
    now_ms += 5_000
    const base = {
      run,
      manifest,
      plan,
      rows,
      signals: [],
      leaving: false,
      isOutside: () => false,
      ...{ isWrite: () => true, endingOf: () => undefined },
    }
    const situation: Situation = { ...base, under_way, outcomes, children: new Map(), now: new Date(now_ms) }
    const taken = takeTurn(situation)
    if (chance() < crash) {
      // Crash before the commit: nothing of this turn is stored.
      under_way = new Set()
      outcomes = new Map()
      continue
    }
    for (const row of taken.rows) rows.set(row.path, row)
    run = { ...run, ...taken.change } as OpenRun
    if (hasEnded(run.state)) return { state: run.state, rows, plan: taken.plan, confidence: run.confidence! }
    for (const path of outcomes.keys()) under_way.delete(path)
    outcomes = new Map()
    for (const path of taken.begun) under_way.add(path)
    for (const path of under_way) {
      if (chance() < 0.5) continue
      const performed = perform(world, { ...situation, plan: taken.plan, rows }, path)
      // Crash after the effect, before its result is stored.
      if (chance() < crash) {
        under_way = new Set()
        outcomes = new Map()
        break
      }
      outcomes.set(path, performed)
    }
  }
  throw new Error('the run did not end')
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const step = (name: string, depends_on: string[], optional: boolean): RecipeStep => ({
  kind: 'Protocol',
  name,
  protocol: 'STEPS',
  operation: 'act',
  payload: {},
  depends_on,
  optional,
})
const manifests = fc
  .array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 1, maxLength: names.length })
  .map((picks): Manifest => {
    const steps: RecipeStep[] = picks.map(([bits, optional], at) =>
      step(
        names[at]!,
        names.slice(0, at).filter((_, earlier) => (bits >> earlier) & 1),
        optional,
      ),
    )
    // The names of what is in a loop are in none of the sets above, so it does not fail.
    const inner = [step('x', [], false), step('y', ['x'], true)]
    const loops: RecipeStep[] = [
      { kind: 'ForEach', name: 'each', depends_on: [], items: [1, 2, 3], concurrency: 2, steps: inner },
      {
        kind: 'Repeat',
        name: 'again',
        depends_on: [],
        max: 4,
        until: 'index == 2',
        steps: [step('z', [], false)],
      },
    ]
    if (picks.length % 2 === 0) steps.push(...loops)
    const compensation = { a: step('a', [], false), c: step('c', [], false) }
    return { name: 'random', version: '1.0.0', steps, compensation }
  })

function generator(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

test('a run has the same effects wherever it crashes', () => {
  fc.assert(
    fc.property(manifests, fc.nat(), fc.integer({ min: 0, max: 255 }), (manifest, seed, failing) => {
      const fails = (path: string) => Boolean((failing >> names.indexOf(path)) & 1) && names.includes(path)
      const calm: World = { effects: new Map(), order: [], fails }
      const cut: World = { effects: new Map(), order: [], fails }
      const whole = simulate(manifest, calm, () => 0.9, 0)
      const torn = simulate(manifest, cut, generator(seed), 0.2)
      // Which parallel steps finish before a third fails is random; whether all succeed is not.
      assert.equal(torn.state === 'succeeded', whole.state === 'succeeded')
      if (whole.state === 'succeeded') {
        assert.equal(torn.confidence, whole.confidence)
        assert.deepEqual([...cut.effects.keys()].sort(), [...calm.effects.keys()].sort())
      } else {
        const undoable = ['a', 'c'].filter((path) => cut.order.includes(path))
        assert.equal(torn.state, undoable.length > 0 ? 'compensated' : 'failed')
        for (const path of undoable) assert.ok(cut.order.includes(`${path}@undo`), `${path} was not undone`)
      }
      for (const { path, parents } of torn.plan.steps.values()) {
        const at = cut.order.indexOf(path)
        for (const parent of parents) {
          const before = cut.order.indexOf(parent)
          assert.ok(at < 0 || before < 0 || before < at, `${path} before ${parent}`)
        }
      }
    }),
    { numRuns: 150 },
  )
})

test('an ended run does not change', () => {
  const manifest: Manifest = { name: 'one', version: '1.0.0', steps: [step('a', [], false)] }
  const run = { run_id: 'run', state: 'succeeded' } as OpenRun
  const known_of = {
    run,
    manifest,
    plan: planOf(manifest),
    rows: new Map(),
    signals: [],
    under_way: new Set<string>(),
    children: new Map(),
  }
  const situation = {
    ...known_of,
    outcomes: new Map(),
    now: new Date(0),
    leaving: false,
    isOutside: () => false,
    isWrite: () => true,
    endingOf: () => undefined,
  }
  assert.throws(() => takeTurn(situation), /has ended/)
})
