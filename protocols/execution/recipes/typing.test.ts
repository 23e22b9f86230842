import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recipe } from '@svc/contract/recipe'
import fc from 'fast-check'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { schemaAt } from './schema-place.ts'
import { fits } from './typing.ts'

const closed = (properties: object, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const text = { type: 'string' }

test('the output of one step fits the input of another, does not, or may', () => {
  const cases: [unknown, unknown, 'yes' | 'no' | 'unknown'][] = [
    [text, {}, 'yes'],
    [{}, text, 'unknown'],
    [text, text, 'yes'],
    [text, { type: 'number' }, 'no'],
    [{ type: 'integer' }, { type: 'number' }, 'yes'],
    [{ type: 'number' }, { type: 'integer' }, 'no'],
    [{ const: 'a' }, { enum: ['a', 'b'] }, 'yes'],
    [{ enum: ['a', 'c'] }, { enum: ['a', 'b'] }, 'no'],
    [text, { enum: ['a'] }, 'unknown'],
    [{ type: 'string', maxLength: 5 }, { type: 'string', maxLength: 9 }, 'yes'],
    [{ type: 'string', maxLength: 9 }, { type: 'string', maxLength: 5 }, 'no'],
    [text, { type: 'string', maxLength: 5 }, 'unknown'],
    [{ type: 'number', minimum: 2 }, { type: 'number', exclusiveMinimum: 2 }, 'no'],
    [{ type: 'number', exclusiveMinimum: 2 }, { type: 'number', minimum: 2 }, 'yes'],
    [{ type: 'number', maximum: 1 }, { type: 'number', minimum: 2 }, 'no'],
    [{ const: 'x-1' }, { type: 'string', pattern: '^x-\\d$' }, 'yes'],
    [{ const: 'y-1' }, { type: 'string', pattern: '^x-\\d$' }, 'no'],
    [text, { type: 'string', pattern: '^x$' }, 'unknown'],
    [{ anyOf: [text, { type: 'null' }] }, text, 'no'],
    [{ anyOf: [{ const: 'a' }, { const: 'b' }] }, { anyOf: [{ enum: ['b'] }, { enum: ['a'] }] }, 'yes'],
    [{ type: ['string', 'null'] }, { anyOf: [{ type: 'null' }, text] }, 'yes'],
    [closed({ a: text }), closed({ a: text }), 'yes'],
    [closed({ a: text }), closed({ a: text, b: text }, ['a']), 'yes'],
    [closed({ a: text }), closed({ a: text, b: text }), 'no'],
    [closed({ a: text }, []), closed({ a: text }), 'no'],
    [closed({ a: text, b: text }), closed({ a: text }), 'no'],
    [{ type: 'object' }, closed({ a: text }), 'unknown'],
    [closed({ a: text }), { type: 'object' }, 'yes'],
    [{ type: 'object' }, { type: 'object' }, 'yes'],
    [closed({ a: text }), { type: 'object', patternProperties: { '^.*$': text } }, 'yes'],
    [
      { type: 'object', patternProperties: { '^.*$': text } },
      { type: 'object', patternProperties: { '^.*$': {} } },
      'yes',
    ],
    [{ type: 'array', items: text }, { type: 'array', items: text }, 'yes'],
    [{ type: 'array', items: text, minItems: 1 }, { type: 'array', items: { type: 'number' } }, 'no'],
    [
      { type: 'array', items: text, maxItems: 3 },
      { type: 'array', items: text, minItems: 1, maxItems: 2 },
      'no',
    ],
    [{ type: 'array', items: text }, { type: 'array', items: text, uniqueItems: true }, 'unknown'],
    [text, { type: 'string', not: { const: 'x' } }, 'unknown'],
    [{ allOf: [text], type: 'string', maxLength: 9 }, { type: 'string', maxLength: 5 }, 'unknown'],
    [
      closed({ kind: { enum: ['a', 'b'] } }),
      { anyOf: [closed({ kind: { const: 'a' } }), closed({ kind: { const: 'b' } })] },
      'unknown',
    ],
  ]
  for (const [from, to, expected] of cases)
    assert.equal(fits(from, to), expected, `${JSON.stringify(from)} into ${JSON.stringify(to)}`)
})

test('recursive schemas are compared with themselves and others, and hostile ones end', () => {
  const tree = (leaf: object) =>
    Type.Cyclic({ Tree: Type.Object({ leaf: leaf as never, more: Type.Array(Type.Ref('Tree')) }) }, 'Tree')
  assert.equal(fits(Recipe, Recipe), 'yes')
  assert.equal(fits(structuredClone(Recipe), Recipe), 'yes')
  assert.equal(fits(tree({ type: 'integer' }), tree({ type: 'number' })), 'yes')
  assert.equal(fits(tree({ type: 'number' }), tree({ type: 'integer' })), 'no')
  const node = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }
  assert.equal(fits(node, node), 'yes')
  const knots = [{ $ref: '#' }, { $ref: '#/nowhere' }, { $ref: 'Nobody' }]
  for (const knot of knots) assert.equal(fits(knot, text), 'unknown')
  // Two references to itself would double at every step.
  const loop = { anyOf: [{ $ref: '#' }, { $ref: '#' }] }
  for (const hostile of [loop, ...knots]) assert.equal(schemaAt(hostile, ['a'])?.presence, 'maybe')
})

test('the schema at a position says whether it is always present', () => {
  const answer = closed(
    { id: text, tags: { type: 'array', items: text, minItems: 1 }, more: closed({ x: text }) },
    ['id', 'tags'],
  )
  const at = (...tokens: string[]) => schemaAt(answer, tokens)
  assert.equal(at('id')?.presence, 'always')
  assert.equal(at('tags', '0')?.presence, 'always')
  assert.equal(at('tags', '7')?.presence, 'maybe')
  assert.equal(at('more', 'x')?.presence, 'maybe')
  assert.equal(at('nothing'), undefined)
  assert.equal(at('id', 'x'), undefined)
  assert.equal(at('tags', 'length'), undefined)
  assert.equal(at('__proto__'), undefined)
  assert.equal(schemaAt({ anyOf: [answer, { type: 'null' }] }, ['id'])?.presence, 'maybe')
  // Taken out of its document, a step still resolves RecipeStep.
  const step = schemaAt(Recipe, ['steps', '0', 'on_true', '3'])!
  assert.equal(fits(step.schema, schemaAt(Recipe, ['steps', '0'])!.schema), 'yes')
})

test('a fitting schema accepts every value, and for the answer no a counterexample exists', () => {
  const leaf = fc.oneof(
    fc.record({
      type: fc.constant('integer'),
      minimum: fc.integer({ min: 0, max: 3 }),
      maximum: fc.integer({ min: 3, max: 5 }),
    }),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'b', 1, null), { minLength: 1 }) }),
    fc.constant({ type: 'boolean' }),
  )
  const object = fc
    .tuple(leaf, leaf, fc.subarray(['p', 'q']))
    .map(([p, q, required]) => closed({ p, q }, required))
  const schema = fc.oneof(
    leaf,
    object,
    fc.tuple(leaf, object).map((anyOf) => ({ anyOf })),
  )
  const scalars = ['a', 'b', null, true, 0, 1, 2, 3, 4, 5, 6]
  const values: unknown[] = [
    ...scalars,
    {},
    ...scalars.flatMap((p) => [{ p }, { q: p }, ...scalars.map((q) => ({ p, q }))]),
  ]
  fc.assert(
    fc.property(schema, schema, (from, to) => {
      const [produced, accepted] = [Compile(from as never), Compile(to as never)]
      const stray = values.some((value) => produced.Check(value) && !accepted.Check(value))
      const verdict = fits(from, to)
      if (verdict === 'yes') assert.equal(stray, false)
      if (verdict === 'no') assert.equal(stray, true)
    }),
    { numRuns: 60 },
  )
})
