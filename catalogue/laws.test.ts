import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Operation, operation, type Protocol } from '@svc/contract/protocol'
import { AnyObject, Closed, described, ListOf, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { Type } from 'typebox'
import { catalogue, findProtocol } from './catalogue.ts'
import { breachesOf } from './laws.ts'

for (const protocol of catalogue) {
  test(`${protocol.id} keeps every law`, () => assert.deepEqual(breachesOf(protocol), []))
}

test('no two protocols share an id, in any letter case', () => {
  const ids = catalogue.map(({ id }) => id.toUpperCase())
  assert.deepEqual(ids, [...new Set(ids)])
})

test('a protocol is found by its id in any letter case', () => {
  for (const protocol of catalogue) assert.equal(findProtocol(protocol.id.toLowerCase()), protocol)
  assert.equal(findProtocol('NOBODY'), undefined)
  assert.equal(findProtocol('constructor'), undefined)
})

const good: Operation = operation({
  summary: 'Do a thing.',
  effect: 'read',
  level: 'L0',
  meters: ['seconds'],
  input: Closed({
    id: described(Uuid, 'What to do it to.'),
    mode: Type.Optional(described(OneOf('a', 'b'), 'How to do it.')),
    notes: described(ListOf(Text(20), 0, 4), 'What to note.'),
    free: Type.Optional(described(AnyObject, 'Content of the caller.')),
  }),
  output: Closed({
    text: Type.String({ description: 'What was done.' }),
    list: Type.Array(Type.String(), { description: 'What was noted.' }),
  }),
  example: { id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', notes: [] },
  handle: () => ({ text: '', list: [] }),
})

const lawful: Protocol = {
  id: 'GOOD',
  version: 'v1.0.0',
  plane: 'truth',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Keeps every law.',
  operations: { do_thing: good, 'charter.declare': good },
}

test('a lawful protocol breaks no law', () => assert.deepEqual(breachesOf(lawful), []))

const unlawful_protocols: [Partial<Protocol>, RegExp][] = [
  [{ id: 'Good' }, /upper-case/],
  [{ id: 'GO-OD' }, /upper-case/],
  [{ version: '1.0.0' }, /semantic/],
  [{ version: 'v1' }, /semantic/],
  [{ plane: 'nowhere' as never }, /plane/],
  [{ summary: 'no full stop' }, /one sentence/],
  [{ summary: 'Two. Sentences.' }, /one sentence/],
  [{ summary: 'Hidden\u200b text.' }, /one sentence/],
  [{ operations: {} }, /at least one/],
  [{ operations: { doThing: good } }, /snake_case/],
  [{ operations: { 'do-thing': good } }, /snake_case/],
]

const unlawful_operations: [Partial<Operation>, RegExp][] = [
  [{ summary: 'Do a thing' }, /one sentence/],
  [{ summary: '.' }, /one sentence/],
  [{ summary: `${'x'.repeat(200)}.` }, /one sentence/],
  [{ example: { id: 'x', notes: [] } }, /example fits/],
  [{ example: undefined }, /example/],
  [{ meters: ['seconds', 'seconds'] }, /twice/],
  [{ multipliers: [1, 0, 1] }, /positive/],
  [{ rate_cost: 0 }, /at least 1/],
  [{ input: Type.Object({}), example: {} }, /input takes fields nobody declared/],
  [
    { input: Closed({ a: ListOf(Type.Object({})) }), example: { a: [] } },
    /input\/properties\/a\/items takes fields/,
  ],
  [
    { output: Closed({ a: Type.Union([Type.Object({}), Type.Null()]) }) },
    /output\/properties\/a\/anyOf\/0 takes fields/,
  ],
  [{ input: Closed({ a: Type.Array(Uuid) }), example: { a: [] } }, /without maxItems/],
  [{ input: Closed({ a: Type.String() }), example: { a: '' } }, /without maxLength/],
  [{ input: Closed({ a: Type.String({ pattern: '[a-z]+' }) }), example: { a: 'a' } }, /anchor/],
  [{ output: Closed({ a: Type.String({ pattern: '^a' }) }) }, /anchor/],
  [{ output: Closed({ a: Type.String({ pattern: '^a(b|c)|d$' }) }) }, /anchor/],
  [{ output: Closed({ a: Type.Tuple([Type.String()]) }) }, /tuple/],
  [
    { input: Closed({ a: Type.Record(Type.String({ pattern: '^a$' }), Uuid) }), example: { a: {} } },
    /takes fields/,
  ],
  [
    {
      input: Closed({
        a: Type.Record(Type.String({ pattern: '^a$' }), Uuid, { additionalProperties: false }),
      }),
      example: { a: {} },
    },
    /without maxProperties/,
  ],
  [{ output: Closed({ a: Type.Integer({ description: 'Safe\u202e.' }) }) }, /invisible/],
  [
    { output: Closed({ a: Type.Integer(), b: described(Uuid, 'Of what.') }) },
    /output does not say what a means/,
  ],
  [{ output: Closed({ a: Type.Integer({ description: '1.' }) }) }, /does not say what a means/],
  [{ input: Closed({ a: Type.Optional(Timestamp) }) }, /does not say what a means/],
  [
    { input: Closed({ a: described(ListOf(Closed({ b: Text(9) })), 'Parts.') }), example: { a: [] } },
    /input\/properties\/a\/items does not say what b means/,
  ],
  [{ input: ListOf(Uuid), example: [] }, /input is an object/],
]

test('each law catches its violation', () => {
  for (const [change, law] of unlawful_protocols)
    assert.match(breachesOf({ ...lawful, ...change }).join('\n'), law)
  for (const [change, law] of unlawful_operations) {
    const breaches = breachesOf({ ...lawful, operations: { do_thing: { ...good, ...change } } })
    assert.match(breaches.join('\n'), law)
    assert.ok(breaches.every((breach) => breach.startsWith('GOOD.do_thing: ')))
  }
})
