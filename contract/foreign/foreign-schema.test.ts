import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Check } from 'typebox/schema'
import type { Compute } from '../needs/computation.ts'
import { foreignFault, judgeForeign, judgeNow } from './foreign-schema.ts'
import { LinearPattern } from './linear-pattern.ts'

const judge = (schema: object, value: unknown) =>
  judgeNow({ schema: JSON.stringify(schema), value: JSON.stringify(value) })
const pointers = (schema: object, value: unknown) => judge(schema, value).faults.map(({ pointer }) => pointer)

const tags = {
  type: 'object',
  properties: { tags: { type: 'array', items: { type: 'string' } } },
  required: ['tags'],
}

test('a valid value has no fault; an invalid one lists its first few, each with its place', () => {
  assert.deepEqual(judge(tags, { tags: ['a'] }), { faults: [] })
  const { faults, unusable } = judge(tags, { tags: Array(50).fill(1) })
  assert.ok(faults.length > 0 && faults.length <= 20)
  assert.deepEqual([faults[0]!.pointer, unusable], ['/tags/0', undefined])
})

test('patterns of property names work as usual', () => {
  const counted = { type: 'object', patternProperties: { '^n': { type: 'integer' }, x$: { minimum: 5 } } }
  const schemas = [
    counted,
    { ...counted, additionalProperties: false },
    {
      ...counted,
      properties: { name: { type: 'integer', maximum: 9 } },
      additionalProperties: { type: 'null' },
    },
    { ...counted, allOf: [{ required: ['n'] }], unevaluatedProperties: false },
    { type: 'object', properties: { inner: counted } },
  ]
  const values = [
    ...[
      {},
      { n: 1 },
      { n: 'a' },
      { nx: 4 },
      { nx: 5 },
      { ax: 'b' },
      { ax: 1 },
      { other: 1 },
      { other: null },
    ],
    ...[{ name: 3 }, { name: 10 }, { n: 1, other: 2 }, { inner: { n: 1 } }, { inner: { n: 'a' } }],
    ...[JSON.parse('{"__proto__": 1}'), { constructor: 1 }, []],
  ]
  for (const schema of schemas)
    for (const value of values)
      assert.equal(
        judge(schema, value).faults.length === 0,
        Check(schema, value),
        `${JSON.stringify(schema)} on ${JSON.stringify(value)}`,
      )
  assert.deepEqual(pointers(schemas[4]!, { inner: { n: 'a' } }), ['/inner/n'])
})

test('a value that contains the word pattern is only a value', () => {
  const schema = {
    type: 'object',
    properties: { a: { const: { pattern: '(' } }, b: { enum: [{ pattern: 'x' }] } },
  }
  assert.deepEqual(pointers(schema, { a: { pattern: '(' }, b: { pattern: 'x' } }), [])
  assert.deepEqual(pointers(schema, { a: { pattern: ')' } }), ['/a'])
})

test('no pattern bypasses the linear engine', () => {
  const endless = { pattern: '^(a|a)*$' }
  const text = `${'a'.repeat(100)}!`
  // If V8 ran any of these, this test would not end.
  for (const schema of [
    endless,
    { $ref: '#/$defs/a', $defs: { a: endless } },
    { $ref: '#/x-own/a', 'x-own': { a: endless } },
    { allOf: [{ $id: 'urn:a', ...endless }] },
  ])
    assert.deepEqual(pointers(schema, text), [''], JSON.stringify(schema))
  assert.deepEqual(judge({ patternProperties: { '^(a|a)*$': false } }, { [text]: 1 }).faults, [])
  for (const schema of [
    { $ref: '#/default', default: endless },
    { $ref: '#/de%66ault', default: endless },
    { $ref: '#/enum/0', enum: [endless] },
    { $ref: '#/patternProperties/a', patternProperties: { a: endless } },
    { $ref: 'urn:a#/default', $id: 'urn:a', default: endless },
    { $ref: '#a', $defs: { a: { $anchor: 'a', ...endless } } },
    { $dynamicRef: '#a' },
  ])
    assert.match(foreignFault(schema) ?? '', /reference|\$dynamicRef/, JSON.stringify(schema))
})

test('an invalid schema says why, briefly', () => {
  const { faults, unusable } = judge({ type: 'string', pattern: '('.repeat(5_000) }, 'x')
  assert.deepEqual(faults, [])
  assert.ok(unusable && unusable.length <= 300)
  const many = Array.from({ length: 9 }, (_, i) => ({ pattern: `a{4000}${i}` }))
  assert.match(foreignFault({ anyOf: many })!, /all patterns together/)
})

test('only work that is certainly small runs in this thread', async () => {
  const sizes: number[] = []
  const compute = (async (_, __, deadline_ms) => {
    sizes.push(deadline_ms)
    return { faults: [] }
  }) as Compute
  const away = async (schema: object, value: unknown) => {
    sizes.length = 0
    await judgeForeign({ schema: JSON.stringify(schema), value: JSON.stringify(value) }, compute)
    return sizes.length === 1
  }
  const text = { type: 'string', pattern: '^a*[ab]{0,99}c0' }
  assert.equal(await away(tags, { tags: ['a'] }), false)
  assert.equal(await away(text, 'abc'), false)
  assert.equal(await away(text, 'a'.repeat(3_000)), true)
  assert.equal(await away({ uniqueItems: true }, []), true)
  assert.equal(await away({ anyOf: [tags, {}] }, {}), true)
  assert.equal(await away({ $ref: '#/$defs/a', $defs: { a: {} } }, {}), true)
  assert.equal(await away({ patternProperties: { a: {} } }, {}), true)
  assert.equal(await away({ format: 'email' }, ''), true)
  assert.equal(await away({ title: 'a'.repeat(20_000) }, 1), true)
})

test('repeated patterns are weighed once each', (t) => {
  const weighed = t.mock.getter(LinearPattern.prototype, 'weight')
  const schema = { anyOf: Array.from({ length: 2_000 }, (_, i) => ({ pattern: `a${i}` })) }
  assert.equal(foreignFault(schema), undefined)
  assert.equal(weighed.mock.callCount(), 2_000)
})

test('the memory of cached schemas is bounded', () => {
  const before = heapUsed()
  for (let i = 0; i < 60; i++)
    assert.equal(
      foreignFault({ anyOf: [1, 2, 3, 4].map((n) => ({ pattern: `a{4990}${i}${n}` })) }),
      undefined,
    )
  const grown = heapUsed() - before
  assert.ok(grown < 40 * 2 ** 20, `${grown} bytes are kept`)
})

function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

test('what only looks like a schema is refused in our words', () => {
  const unknown_keyword = { note: [{ patternProperties: { '^a': true }, allOf: {} }] }
  assert.equal(foreignFault(unknown_keyword), 'its allOf beside patternProperties is no list')
  assert.equal(foreignFault({ note: { $ref: { toString: 1 } } }), 'one of its references is no text')
})

test('a schema that applies itself to the same value is refused; one that goes deeper is not', () => {
  const unusable = (schema: object) =>
    judgeNow({ schema: JSON.stringify(schema), value: '{"a":{"a":{}}}' }).unusable
  const x = { $ref: '#/$defs/x' }
  const endless = [
    { $ref: '#' },
    { allOf: [{ $ref: '#' }] },
    { anyOf: [true, { not: { $ref: '#' } }] },
    { ...x, $defs: { x: { $ref: '#/$defs/y' }, y: { if: x } } },
    { properties: { a: x }, $defs: { x: { else: x } } },
    { dependentSchemas: { a: { $ref: '#' } } },
    { $ref: '#/allOf/0', allOf: [{ $ref: '#' }] },
  ]
  for (const schema of endless)
    assert.match(unusable(schema) ?? '', /without going deeper/, JSON.stringify(schema))
  const fine = [
    { properties: { a: { $ref: '#' } } },
    { allOf: [x, x], $defs: { x: { additionalProperties: { $ref: '#' } } } },
    { $ref: '#/$defs/x', $defs: { x: { items: x, properties: { a: x } } } },
  ]
  for (const schema of fine) assert.equal(unusable(schema), undefined, JSON.stringify(schema))
})
