import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeNow } from './foreign/foreign-schema.ts'

const schema = {
  type: 'object',
  required: ['id'],
  additionalProperties: false,
  properties: {
    id: { type: 'integer' },
    kind: { enum: ['buy', 'sell'] },
    fixed: { const: 'yes' },
    lines: {
      type: 'array',
      items: { type: 'object', properties: { count: { type: 'integer', minimum: 1 } } },
    },
    'a/b': { type: 'string' },
    note: { type: 'object' },
  },
}
const faults = (value: unknown) =>
  judgeNow({ schema: JSON.stringify(schema), value: JSON.stringify(value) }).faults.map(
    ({ pointer, message }) => `${pointer} ${message}`,
  )

test('a fault names the place, what is expected there, and the kind of what is there, never the value', () => {
  const cases: [object, string][] = [
    [{ id: 'secret' }, '/id must be integer, and is a string of 6'],
    [{ id: 1.5 }, '/id must be integer, and is a number'],
    [{ id: null }, '/id must be integer, and is null'],
    [{ id: 1, kind: 'steal' }, '/kind must be one of buy, sell, and is a string of 5'],
    [{ id: 1, fixed: 3 }, '/fixed must be "yes", and is an integer'],
    [{ id: 1, 'a/b': true }, '/a~1b must be string, and is a boolean'],
    [{ id: 1, note: [1, 2] }, '/note must be object, and is an array of 2'],
    [{ id: 1, lines: [{ count: {} }] }, '/lines/0/count must be integer, and is an object'],
    [{}, '/id is required'],
    [{ id: 1, more: 'secret' }, '/more is not a known field, and is a string of 6'],
  ]
  for (const [value, expected] of cases) {
    assert.ok(faults(value).includes(expected), `${expected}: ${faults(value).join('; ')}`)
    assert.doesNotMatch(faults(value).join(), /secret|steal/)
  }
  assert.deepEqual(faults({ id: 1 }), [])
})

test('names in a value are cut, and faults are few', () => {
  const long = 'k'.repeat(5_000)
  const strays = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${long}${i}`, 1]))
  const all = judgeNow({ schema: JSON.stringify(schema), value: JSON.stringify({ id: 1, ...strays }) }).faults
  assert.ok(all.length <= 20)
  for (const { pointer, message } of all) assert.ok(pointer.length <= 300 && message.length <= 300)
  assert.deepEqual(faults(JSON.parse('{"id":1,"__proto__":2}')), [
    '/__proto__ is not a known field, and is an integer',
  ])
})
