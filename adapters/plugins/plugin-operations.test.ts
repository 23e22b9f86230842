import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnyObject } from '@svc/contract/schema'
import { Compile } from 'typebox/compile'
import { operationsFault, PluginOperations, pluginFacts } from './plugin-operations.ts'

const check = Compile(PluginOperations)
const faultOf = (input: object, declared = ['run']) => operationsFault({ run: { input } } as never, declared)

test('an undeclared operation is treated as strictly as possible', () => {
  const facts = pluginFacts('greeting')
  assert.deepEqual(
    [facts.effect, facts.level, facts.meters, facts.deadline_ms, facts.input, facts.output],
    ['write', 'L1', ['seconds'], 10_000, AnyObject, AnyObject],
  )
  assert.match(facts.summary, /plugin greeting, untyped/)
})

test('its own declarations count', () => {
  const input = { type: 'object', properties: {} }
  const facts = pluginFacts('greeting', {
    summary: 'Says hello.',
    effect: 'read',
    level: 'L0',
    rate_cost: 7,
    deadline_ms: 50,
    input,
  })
  assert.deepEqual(
    [facts.summary, facts.effect, facts.level, facts.rate_cost, facts.deadline_ms, facts.input],
    ['Says hello.', 'read', 'L0', 7, 50, input],
  )
})

test('no fact exceeds its bounds, and unknown facts are refused', () => {
  for (const wrong of [
    { deadline_ms: 9 },
    { deadline_ms: 600_001 },
    { deadline_ms: 1.5 },
    { rate_cost: 0 },
    { rate_cost: 101 },
    { effect: 'none' },
    { level: 'L9' },
    { meters: [] },
    { summary: '' },
    { engages: [] },
    { secret_output: false },
  ])
    assert.equal(check.Check({ run: wrong }), false, JSON.stringify(wrong))
  assert.equal(check.Check(Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`o${i}`, {}]))), false)
})

test('only operations of the manifest are described, by object schemas that compile', () => {
  assert.equal(faultOf({ type: 'object' }), undefined)
  assert.match(faultOf({ type: 'object' }, ['walk'])!, /run is not among/)
  assert.match(faultOf({ type: 'array' })!, /must be of type object/)
  assert.match(faultOf({})!, /must be of type object/)
  assert.match(faultOf({ type: 'object', properties: 1 })!, /input schema of run/)
  assert.match(faultOf({ type: 'object', $ref: 'https://example.com/schema' })!, /input schema of run/)
})

test('a pattern that cannot run in linear time is found at any depth', () => {
  const slow = { type: 'string', pattern: '^(a+)\\1$' }
  for (const schema of [
    { properties: { a: slow } },
    { patternProperties: { '^(a+)\\1$': {} } },
    { patternProperties: { '^a$': slow } },
    { properties: { a: { type: 'array', items: slow } } },
    { properties: { a: { anyOf: [{ type: 'null' }, slow] } } },
    { $defs: { a: slow } },
    { additionalProperties: slow },
    { dependencies: { a: slow } },
  ])
    assert.match(faultOf({ type: 'object', ...schema })!, /refers back/, JSON.stringify(schema))
  for (const pattern of ['^[a-z]{1,8}$', '^(a+)+$', 'b|c'])
    assert.equal(
      faultOf({ type: 'object', properties: { a: { type: 'string', pattern } } }),
      undefined,
      pattern,
    )
})

test('a property may be called pattern, or patternProperties', () => {
  const properties = { pattern: { type: 'string' }, patternProperties: { type: 'string', maxLength: 5 } }
  assert.equal(faultOf({ type: 'object', properties }), undefined)
  const slow = { type: 'string', pattern: '^(a+)\\1$' }
  assert.match(faultOf({ type: 'object', properties: { pattern: slow } })!, /refers back/)
})

test('a schema that would keep the engine busy is refused, a tree is not', () => {
  const a = { properties: { a: { $ref: '#' } } }
  assert.equal(faultOf({ type: 'object', ...a }), undefined)
  assert.match(
    faultOf({
      type: 'object',
      anyOf: [
        { ...a, required: ['x'] },
        { ...a, required: ['y'] },
      ],
    })!,
    /input schema of run: it holds itself more than once/,
  )
})
