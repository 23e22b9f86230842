import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recipe, type RecipeStep } from '@svc/contract/recipe'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import type { Known } from './call-typing.ts'
import { type Compiled, type CompileOptions, compileRecipe } from './compile.ts'
import { resolvePayload } from './payload.ts'
import { recipeId, recipeIdsIn } from './recipe-id.ts'
import { retryDelay } from './retry-delay.ts'
import { readScope } from './scope.ts'

const closed = (properties: object, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const form = Compile(Recipe)
const text = { type: 'string', maxLength: 100 }
const count = { type: 'integer', minimum: 0, maximum: 10 }

const operations: Readonly<Record<string, { input: unknown; output: unknown }>> = {
  'TEST.make': { input: closed({}), output: closed({ text, count, note: text }, ['text', 'count']) },
  'TEST.take': {
    input: closed({ text, count, list: { type: 'array', items: text } }, ['text']),
    output: closed({}),
  },
  'TEST.any': { input: { type: 'object' }, output: { type: 'object' } },
}
const served: Known = (protocol, operation) => {
  const io_schemas = operations[`${protocol}.${operation}`]
  return (
    io_schemas && { ...io_schemas, capability: `svc.test.${operation}`, effect: 'write', version: 'v1.0.0' }
  )
}

type Draft = Partial<RecipeStep> & { kind: RecipeStep['kind'] }
const call = (operation: string, payload: object = {}, more: object = {}) =>
  ({ kind: 'Protocol', protocol: 'TEST', operation, payload, ...more }) as Draft
const make = (name: string, more: object = {}) => call('make', {}, { name, ...more })
const gate = (more: object) =>
  ({ kind: 'Gate', condition: 'true', on_true: [], on_false: [], ...more }) as Draft

function recipeOf(steps: Draft[], more: Partial<Recipe> = {}): Recipe {
  const rest = {
    version: 'v1.0.0',
    steps: steps as RecipeStep[],
    audit_checkpoints: [],
    governance_gates: [],
    ...more,
  }
  return { id: recipeId(rest), ...rest }
}

function compile(recipe: Recipe, recipes: readonly Recipe[] = [], options: CompileOptions = {}) {
  assert.deepEqual([...form.Errors(recipe)], [])
  return compileRecipe(recipe, served, (id) => recipes.find((one) => one.id === id), options)
}

function planOf(steps: Draft[], more: Partial<Recipe> = {}, recipes: readonly Recipe[] = []): Compiled {
  const compiled = compile(recipeOf(steps, more), recipes)
  if ('problems' in compiled) assert.fail(JSON.stringify(compiled.problems))
  return compiled
}

const problemsOf = (steps: Draft[], more: Partial<Recipe> = {}, recipes: readonly Recipe[] = []) => {
  const compiled = compile(recipeOf(steps, more), recipes)
  return 'problems' in compiled ? compiled.problems.map(({ pointer, reason }) => `${reason} ${pointer}`) : []
}
const warningsOf = (steps: Draft[]) =>
  planOf(steps).warnings.map(({ pointer, reason }) => `${reason} ${pointer}`)

test('a plan has a path and parents for every step, and default settings', () => {
  const inner = recipeOf([make('first'), call('take', { text: { $ref: 'input.word' } })])
  const { plan, required_capabilities, critical_path_ms } = planOf(
    [
      make('a', { timeout_ms: 1000, retry: { max: 2 } }),
      gate({
        name: 'choose',
        on_true: [make('b', { timeout_ms: 700 })],
        on_false: [{ kind: 'Audit', event_type: 'X', metadata: {} }],
      }),
      {
        kind: 'Parallel',
        steps: [make('c', { timeout_ms: 100 }), call('any', {}, { timeout_ms: 400 })] as never,
      },
      {
        kind: 'SubRecipe',
        name: 'sub',
        recipe_id: inner.id,
        params: { word: { $ref: 'steps.a.data.text' } },
        timeout_ms: 5000,
      },
      make('late', { depends_on: ['a', 'sub', 'a'], timeout_ms: 100 }),
    ],
    {
      governance_gates: [{ at_step: 'b', kind: 'MAXIM', on_pass: 'Continue', on_fail: 'Abort' }],
      audit_checkpoints: ['a'],
    },
    [inner],
  )
  assert.deepEqual(
    [...plan.steps.values()].map(({ path, parents }) => [path, parents.join()]),
    [
      ['a', ''],
      ['choose', 'a'],
      ['choose/b', ''],
      ['choose/on_false-audit-0', ''],
      ['late', 'a,sub'],
      ['parallel-2', 'choose'],
      ['parallel-2/c', ''],
      ['parallel-2/protocol-1', ''],
      ['sub', 'parallel-2'],
      ['sub/first', ''],
      ['sub/protocol-1', 'sub/first'],
    ],
  )
  const a = plan.steps.get('a')!
  const retry = { max: 2, retry_penalty: 0.05, backoff_ms: 1000, factor: 2, jitter: 0 }
  assert.deepEqual(a.kind === 'Protocol' && a.retry, retry)
  assert.equal(a.checkpoint, true)
  assert.equal(plan.steps.get('choose/b')!.gates.length, 1)
  assert.equal(plan.steps.get('sub/first')!.namespace, 'sub')
  const needed = 'svc.max.audit_log_entry svc.test.any svc.test.make svc.test.take'
  assert.equal(required_capabilities.join(' '), needed)
  // The audit step, which was never measured, takes the time limit of any call.
  assert.equal(critical_path_ms, 1000 + 30_000 + 400 + 5000 + 100)
})

test('problems of a recipe are reported with their position', () => {
  const lost = `sha256:${'0'.repeat(64)}`
  const taking = (payload: object) => [make('a'), call('take', payload)]
  const cases: [string[], Draft[], Partial<Recipe>?][] = [
    [['cycle /steps/0/depends_on'], [make('a', { depends_on: ['b'] }), make('b', { depends_on: ['a'] })]],
    [['cycle /steps/0/depends_on'], [make('a', { depends_on: ['a'] })]],
    [['unknown_step /steps/0/depends_on/0'], [make('a', { depends_on: ['nobody'] })]],
    [
      ['not_a_sibling /steps/1/depends_on/0'],
      [gate({ on_true: [make('in')] }), make('a', { depends_on: ['in'] })],
    ],
    [['duplicate_name /steps/1/on_true/0'], [make('a'), gate({ on_true: [make('a')] })]],
    [['duplicate_name /steps/1'], [make('protocol-1'), call('make')]],
    [['unknown_operation /steps/0/operation'], [call('fly')]],
    [['unknown_recipe /steps/0/recipe_id'], [{ kind: 'SubRecipe', recipe_id: lost, params: {} }]],
    [
      ['unknown_step /governance_gates/0/at_step'],
      [make('a')],
      { governance_gates: [{ at_step: 'z', kind: 'MAXIM', on_pass: 'Abort', on_fail: 'Abort' }] },
    ],
    [['unknown_step /audit_checkpoints/0'], [make('a')], { audit_checkpoints: ['z'] }],
    [['expression /steps/0/condition'], [gate({ condition: 'input.' })]],
    [['expression /steps/0/condition'], [gate({ condition: '1 + 1' })]],
    [['expression /steps/0/when'], [make('a', { when: 'nothing == 1' })]],
    [['not_an_ancestor /steps/0/when'], [make('a', { when: 'steps.b.data.count > 1' }), make('b')]],
    [['unknown_step /steps/0/when'], [make('a', { when: 'steps.b.data.count > 1' })]],
    [
      ['not_an_ancestor /steps/0/steps/1/payload/text'],
      [{ kind: 'Parallel', steps: taking({ text: { $ref: 'steps.a.data.text' } }) as never }],
    ],
    [
      ['not_an_ancestor /steps/0/on_false/0/payload/text'],
      [gate({ on_true: [make('a')], on_false: [call('take', { text: { $ref: 'steps.a.data.text' } })] })],
    ],
    [['type_error /steps/1/payload/text'], taking({ text: { $ref: 'steps.a.data.count' } })],
    [['type_error /steps/1/payload/text'], taking({ text: { $ref: 'steps.a.data.absent' } })],
    [['type_error /steps/1/payload/list/0'], taking({ text: 'x', list: [{ $ref: 'steps.a.data.count' }] })],
    [['type_error /steps/1/payload/text'], taking({ text: { $cel: '1 + 1' } })],
    [['type_error /steps/1/payload/text'], taking({ text: 5 })],
    [['type_error /steps/1/payload/list'], taking({ text: 'x', list: { $literal: ['x', 5] } })],
    [['type_error /steps/1/payload/more'], taking({ text: 'x', more: 1 })],
    [['type_error /steps/1/payload'], taking({})],
    [['reference /steps/1/payload/text'], taking({ text: { $ref: 'step.a.data' } })],
    [['reference /steps/1/payload/text'], taking({ text: { $ref: 'input.a', more: 1 } })],
    [['unknown_step /steps/1/payload/text'], taking({ text: { $ref: 'steps.b.data' } })],
  ]
  for (const [expected, steps, more] of cases)
    assert.deepEqual(problemsOf(steps, more), expected, JSON.stringify(steps))
})

test('what only the run can decide is a warning', () => {
  const takes = (value: unknown) => call('take', { text: value })
  assert.deepEqual(warningsOf([make('a'), takes({ $ref: 'steps.a.data.text' })]), [])
  assert.deepEqual(warningsOf([make('a'), takes({ $ref: 'steps.a.data.note' })]), [
    'may_be_absent /steps/1/payload/text',
  ])
  assert.deepEqual(warningsOf([make('a', { optional: true }), takes({ $ref: 'steps.a.data.text' })]), [
    'may_be_absent /steps/1/payload/text',
  ])
  assert.deepEqual(warningsOf([gate({ on_true: [make('a'), takes({ $ref: 'steps.a.data.text' })] })]), [])
  assert.deepEqual(warningsOf([gate({ on_true: [make('a')] }), takes({ $ref: 'steps.a.data.text' })]), [
    'may_be_absent /steps/1/payload/text',
  ])
  assert.deepEqual(warningsOf([takes({ $ref: 'input.text' })]), ['type_unknown /steps/0/payload/text'])
  assert.deepEqual(warningsOf([takes({ $cel: 'input.text' })]), ['type_unknown /steps/0/payload/text'])
  const typed = compile(recipeOf([takes({ $ref: 'input.text' })]), [], { input: closed({ text }) })
  assert.ok('warnings' in typed && typed.warnings.length === 0)
})

test('sub-recipes have limits on depth and size, and must match their hash', () => {
  const recipes: Recipe[] = [recipeOf([make('x')])]
  const nest = (times: number) => {
    const { id } = recipes.at(-1)!
    const sub = (name: string) => ({ kind: 'SubRecipe', name, recipe_id: id, params: {} }) as Draft
    recipes.push(recipeOf(Array.from({ length: times }, (_, at) => sub(`s${at}`))))
  }
  for (let depth = 0; depth < 8; depth++) nest(1)
  assert.equal(planOf(recipes.at(-1)!.steps as Draft[], {}, recipes).plan.steps.size, 9)
  assert.deepEqual(recipeIdsIn(recipes.at(-1)!.steps), [recipes.at(-2)!.id])
  nest(1)
  assert.match(
    problemsOf(recipes.at(-1)!.steps as Draft[], {}, recipes).join(),
    /^too_deep \/steps\/0\/recipe_id/,
  )
  recipes.splice(1)
  for (let depth = 0; depth < 7; depth++) nest(40)
  assert.match(problemsOf(recipes.at(-1)!.steps as Draft[], {}, recipes).join(), /too_many_steps/)
  const liar = { ...recipeOf([make('y')]), id: recipes[0]!.id }
  const steps = [{ kind: 'SubRecipe', recipe_id: liar.id, params: {} } as Draft]
  assert.deepEqual(problemsOf(steps, {}, [liar]), ['unknown_recipe /steps/0/recipe_id'])
  const deep = (depth: number): Draft => gate({ on_true: depth === 0 ? [] : [deep(depth - 1)] })
  assert.match(problemsOf([deep(9)]).join(), /too_deep/)
})

test('the order of a list with names and depends_on changes neither plan nor warnings', () => {
  const steps = [
    make('a', { depends_on: [] }),
    make('b', { depends_on: ['a'], optional: true }),
    gate({ name: 'c', depends_on: ['a'], on_true: [make('d')] }),
    call('take', { text: { $ref: 'steps.b.data.text' } }, { name: 'e', depends_on: ['b', 'c'] }),
  ]
  const summary = (list: Draft[]) =>
    [...planOf(list).plan.steps.values()].map(({ pointer: _, ...step }) => step)
  fc.assert(
    fc.property(fc.shuffledSubarray(steps, { minLength: 4 }), (shuffled) => {
      assert.deepEqual(summary(shuffled), summary(steps))
    }),
    { numRuns: 12 },
  )
})

test('a payload takes values from input, steps and expressions, and reports where it cannot', () => {
  const inner = recipeOf([make('x')])
  const { plan } = planOf(
    [
      make('a'),
      { kind: 'SubRecipe', name: 'sub', recipe_id: inner.id, params: { n: 1 } },
      call('any', {}, { name: 'z' }),
    ],
    {},
    [inner],
  )
  const journal = new Map([
    ['a', { state: 'succeeded' as const, attempt: 1, data: { list: [{ 'k/~': 'deep' }] } }],
    ['sub', { state: 'succeeded' as const, attempt: 1, data: { n: 1 } }],
    ['sub/x', { state: 'succeeded' as const, attempt: 1, data: { text: 'inner' } }],
  ])
  const outside = { input: JSON.parse('{"n":3,"__proto__":{"x":1}}'), now_ms: 0, seed: 's' }
  const scope = readScope(plan, journal, 'z', outside)
  const payload = JSON.parse(`{
    "pointer": { "$ref": "steps.a.data./list/0/k~1~0" }, "dotted": { "$ref": "steps.a.data.list.0" },
    "whole": { "$ref": "input" }, "inner": { "$ref": "steps.sub.data.x.text" },
    "sum": [{ "$cel": "input.n + 1" }], "schema": { "$ref": "#/definitions/x" }, "plain": { "$literal": { "$cel": "x" } },
    "ids": [{ "$cel": "uuid()" }, { "$cel": "uuid()" }], "__proto__": { "polluted": true }
  }`)
  const resolved = resolvePayload(payload, scope) as Record<string, unknown>
  assert.equal(resolved.pointer, 'deep')
  assert.deepEqual(resolved.dotted, { 'k/~': 'deep' })
  assert.equal(resolved.inner, 'inner')
  assert.deepEqual(resolved.sum, [4])
  assert.deepEqual(resolved.plain, { $cel: 'x' })
  assert.deepEqual(resolved.schema, { $ref: '#/definitions/x' })
  assert.notEqual(...(resolved.ids as [string, string]))
  assert.deepEqual(resolvePayload(payload, scope), resolved)
  assert.equal(Object.getPrototypeOf(resolved), Object.prototype)
  assert.deepEqual(Object.getOwnPropertyDescriptor(resolved, '__proto__')?.value, { polluted: true })
  assert.equal(readScope(plan, journal, 'sub/x', outside).input, journal.get('sub')!.data)
  assert.deepEqual(Object.keys(readScope(plan, journal, 'a', outside).steps), [])
  for (const leads_nowhere of [
    'steps.a.data.none',
    'steps.q.data',
    'input.constructor',
    'steps.a.data.list.length',
  ]) {
    const lost = () => resolvePayload({ 'a/b': [{ $ref: leads_nowhere }] }, scope)
    assert.throws(lost, (error) => error instanceof Refusal && error.details.path === '/a~1b/0')
  }
})

test('delays grow, are capped at an hour, and jitter the same for a replay', () => {
  const retry = { max: 20, retry_penalty: 0.05, backoff_ms: 1000, factor: 2, jitter: 0 }
  assert.deepEqual(
    [1, 2, 3, 20].map((attempt) => retryDelay(retry, attempt, 's')),
    [1000, 2000, 4000, 3_600_000],
  )
  const jittered = retryDelay({ ...retry, jitter: 0.5 }, 1, 's')
  assert.ok(jittered >= 500 && jittered <= 1000)
  assert.equal(retryDelay({ ...retry, jitter: 0.5 }, 1, 's'), jittered)
})

test('a recipe without warnings never fails at run time because a reference has the wrong type', () => {
  const leaf = fc.oneof(
    fc.record({
      type: fc.constant('integer'),
      minimum: fc.integer({ min: 0, max: 2 }),
      maximum: fc.integer({ min: 2, max: 4 }),
    }),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'b', 1), { minLength: 1 }) }),
    fc.constant({ anyOf: [{ type: 'string', maxLength: 1 }, { type: 'null' }] }),
  )
  const same_or_other = fc.option(leaf, { freq: 1 })
  const scalars = ['a', 'b', '', 'long', null, 0, 1, 2, 3, 4, 5]
  const payload = { x: { $ref: 'steps.p.data.list.0' }, y: { deep: [{ $ref: 'steps.p.data.one' }] } }
  let typed = 0
  fc.assert(
    fc.property(leaf, leaf, same_or_other, same_or_other, fc.nat(3), (a, b, other_c, other_d, least) => {
      const [c, d] = [other_c ?? a, other_d ?? b]
      const list = { type: 'array', items: a, minItems: least }
      const output = closed({ list, one: b }, least === 3 ? ['list'] : ['list', 'one'])
      const input = closed({ x: c, y: closed({ deep: { type: 'array', items: d, maxItems: 3 } }) })
      const schemas: Known = (_, operation) => ({
        ...served('TEST', 'any')!,
        ...(operation === 'take' ? { input } : { output }),
      })
      const compiled = compileRecipe(
        recipeOf([call('any', {}, { name: 'p' }), call('take', payload, { name: 'q' })]),
        schemas,
        () => undefined,
      )
      if ('problems' in compiled || compiled.warnings.length > 0) return
      typed++
      const [produced, accepted] = [Compile(output as never), Compile(input as never)]
      for (const data of scalars.flatMap((one) =>
        scalars.map((first) => ({ one, list: Array(least).fill(first) })),
      )) {
        if (!produced.Check(data)) continue
        const journal = new Map([['p', { state: 'succeeded' as const, attempt: 1, data }]])
        const scope = readScope(compiled.plan, journal, 'q', { input: null, now_ms: 0, seed: '' })
        assert.ok(accepted.Check(resolvePayload(payload, scope)))
      }
    }),
    { numRuns: 150 },
  )
  assert.ok(typed > 0)
})

test('a recipe is checked in bounded time, however its sub-recipes, references and schemas multiply', () => {
  const many = (count: number, value: unknown) => Array.from({ length: count }, () => value)
  const inner = recipeOf([call('any', { list: many(10_000, 1) }, { name: 'a' })])
  const subs = many(40, 0).map((_, at) => ({
    kind: 'SubRecipe',
    name: `s${at}`,
    recipe_id: inner.id,
    params: {},
  }))
  const computed = recipeOf([call('any', { list: many(6_000, { $cel: 'input.a' }) })])
  for (const [recipe, recipes] of [
    [recipeOf(subs as Draft[]), [inner]],
    [computed, []],
  ] as const) {
    const judged = compile(recipe, recipes)
    assert.ok('problems' in judged && judged.problems.at(-1)?.reason === 'too_large')
  }
})

test('a compensation sees the whole run, and the output only existing steps', () => {
  const steps = [make('a'), make('b')]
  const undo = (payload: object) => ({ compensation: { a: call('take', payload) as RecipeStep } })
  const good = compile(recipeOf(steps), [], undo({ text: { $ref: 'steps.b.data.text' } }))
  assert.ok('plan' in good && good.required_capabilities.includes('svc.test.take'))
  assert.equal(good.plan.steps.size, 2)
  for (const [options, reason] of [
    [undo({ text: { $ref: 'steps.b.data.count' } }), 'type_error'],
    [undo({ text: { $ref: 'steps.c.data.text' } }), 'unknown_step'],
    [{ output: 'steps.c.data' }, 'unknown_step'],
    [{ output: 'steps.' }, 'expression'],
  ] as const) {
    const judged = compile(recipeOf(steps), [], options)
    assert.ok('problems' in judged && judged.problems[0]?.reason === reason, reason)
  }
})
