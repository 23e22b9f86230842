import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOf } from './input-check.ts'

const schema = {
  type: 'object',
  required: ['who', 'when'],
  properties: {
    who: { type: 'string', pattern: '^did:', description: 'did:oas:<tenant>:<kind>:<64 hex>.' },
    when: { type: 'string', description: 'RFC 3339 time in UTC.' },
    purpose: { enum: ['send', 'take'] },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    what: {
      type: 'array',
      items: {
        anyOf: [
          { type: 'string' },
          {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' } },
            additionalProperties: false,
          },
        ],
      },
    },
  },
  additionalProperties: false,
}
const faults = async (input: unknown) =>
  (await faultsOf(schema, input)).map(({ pointer, text }) => `${pointer} ${text}`)

test('a valid input has no faults', async () => {
  assert.deepEqual(await faults({ who: 'did:x', when: 'now', what: ['a', { name: 'b' }] }), [])
})

test('each fault names its position, and what was expected', async () => {
  assert.deepEqual(await faults({ who: 'me', purpose: 'give', limit: 0, whn: 1, zzz: 1 }), [
    '/when is required: a string: RFC 3339 time in UTC',
    '/whn is not a field here; did you mean when?',
    '/zzz is not a field here; there are who, when, purpose, limit, what',
    '/who is "me"; expected a string: did:oas:<tenant>:<kind>:<64 hex>',
    '/purpose is "give"; expected one of "send", "take"',
    '/limit is 0; it must be >= 1',
  ])
})

test('a described field also names the form it shares with others', async () => {
  const at = { type: 'string', pattern: '^\\d{4}-\\d{2}$', description: 'Time to judge by.' }
  const [fault] = await faultsOf({ type: 'object', properties: { at } }, { at: 'yesterday' })
  assert.equal(fault!.text, 'is "yesterday"; expected a string (RFC 3339 time in UTC): Time to judge by')
})

test('of several forms only the intended one is reported', async () => {
  const fine = { who: 'did:x', when: 'now' }
  assert.deepEqual(await faults({ ...fine, what: [{ nam: 'b' }] }), [
    '/what/0/name is required: a string',
    '/what/0/nam is not a field here; did you mean name?',
  ])
  assert.deepEqual(await faults({ ...fine, what: [5] }), ['/what/0 is 5; expected a string, or an object'])
})

test('the whole input has the empty pointer, and keys are escaped', async () => {
  assert.deepEqual(await faults('text'), [' is the input; expected an object'])
  assert.deepEqual(await faults({ who: 'did:x', when: 'now', 'a/b~c': 1 }), [
    '/a~1b~0c is not a field here; there are who, when, purpose, limit, what',
  ])
})
