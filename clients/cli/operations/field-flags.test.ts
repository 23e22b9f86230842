import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Flags } from '../command.ts'
import { UsageError } from '../exit.ts'
import { parseFlags } from '../parse-flags.ts'
import { fieldFlags, flagAt, optionsOf, withFieldFlags } from './field-flags.ts'
import type { SchemaNode } from './schema-node.ts'

const schema: SchemaNode = {
  type: 'object',
  required: ['event_type'],
  properties: {
    event_type: { type: 'string' },
    limit: { type: 'integer' },
    share: { type: 'number' },
    verify: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    steps: { type: 'array', items: { type: 'object' } },
    period: { type: 'object', properties: { from: { type: 'string' }, days: { type: 'integer' } } },
    meta: { type: 'object' },
    either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    outcome: { anyOf: [{ const: 'success' }, { const: 'refused' }] },
    tenant_id: { type: 'string' },
    timeout: { type: 'integer' },
  },
}
const fields = fieldFlags(schema, new Set(['tenant-id', 'timeout', 'input', 'help', 'output', 'json']))

function inputOf(words: readonly string[], base: unknown = {}) {
  const { flags } = parseFlags(words, { ...optionsOf(fields), timeout: { type: 'string' } }, 'invoke')
  return withFieldFlags(base, fields, flags)
}

test('fields become flags of the type in the schema', () => {
  assert.deepEqual(inputOf(['--event-type', '5', '--limit', '5', '--share', '0.5', '--verify']), {
    event_type: '5',
    limit: 5,
    share: 0.5,
    verify: true,
  })
  assert.deepEqual(inputOf(['--no-verify', '--tags', 'a', '--tags', 'b']), {
    verify: false,
    tags: ['a', 'b'],
  })
  assert.deepEqual(inputOf(['--steps', '{"a":1}', '--steps', '{}']), { steps: [{ a: 1 }, {}] })
  assert.deepEqual(inputOf(['--period.from', 'now', '--period.days', '3']), {
    period: { from: 'now', days: 3 },
  })
  assert.deepEqual(inputOf(['--meta', '{"a": [1]}', '--either', '7']), { meta: { a: [1] }, either: 7 })
  assert.deepEqual(inputOf(['--either', 'seven', '--outcome', 'refused']), {
    either: 'seven',
    outcome: 'refused',
  })
})

test('a field that is called like a flag of svc is --input.<field>', () => {
  assert.deepEqual(inputOf(['--input.tenant-id', 'acme', '--input.timeout', '3', '--timeout', '9']), {
    tenant_id: 'acme',
    timeout: 3,
  })
})

test('a flag replaces its field of --input, and leaves the others', () => {
  const base = { limit: 1, period: { from: 'then', days: 1 }, other: true }
  assert.deepEqual(inputOf(['--limit', '2', '--period.days', '2'], base), {
    limit: 2,
    period: { from: 'then', days: 2 },
    other: true,
  })
  assert.equal(base.limit, 1)
  assert.throws(() => inputOf(['--limit', '2'], [1]), UsageError)
})

test('a value that does not fit is refused in one sentence', () => {
  for (const [words, sentence] of [
    [['--limit', 'five'], /^--limit is "five"; expected an integer\.$/],
    [['--limit', '1.5'], /^--limit is "1\.5"; expected an integer\.$/],
    [['--limit', '9007199254740993'], /^--limit is "9007199254740993"; /],
    [['--share', '1e999'], /^--share is "1e999"; expected a number\.$/],
    [['--meta', '{a}'], /^--meta is "\{a\}"; expected an object\.$/],
    [['--steps', '7'], /^--steps is "7"; expected an object\.$/],
    [['--verify', '--no-verify'], /^--verify and --no-verify exclude each other/],
    [['--limit', '1', '--limit', '2'], /^--limit is given twice/],
  ] as [string[], RegExp][])
    assert.throws(
      () => inputOf(words),
      (error: Error) => error instanceof UsageError && sentence.test(error.message),
      words.join(' '),
    )
})

test('a pointer into the input names its flag', () => {
  assert.equal(flagAt('/period/days', fields), '--period.days')
  assert.equal(flagAt('/tags/0', fields), '--tags')
  assert.equal(flagAt('/tenant_id', fields), '--input.tenant-id')
  assert.equal(flagAt('/unknown', fields), undefined)
})

test('a hostile schema sets no prototype, and is bounded', () => {
  const hostile: SchemaNode = {
    properties: JSON.parse('{"__proto__": {"properties": {"polluted": {"type": "string"}}}, "a b": {}}'),
  }
  const hostile_fields = fieldFlags(hostile, new Set())
  assert.deepEqual(
    hostile_fields.map(({ flag }) => flag),
    [],
    'names that a shell or JavaScript reads differently get no flag',
  )
  const deep = { properties: {} as Record<string, SchemaNode> }
  deep.properties.a = deep
  assert.equal(fieldFlags(deep, new Set()).length, 4)
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`f${i}`, { type: 'string' }]))
  assert.equal(fieldFlags({ properties: many }, new Set()).length, 500)
})

test('numbers, texts and flags survive the way from the input to flags and back', () => {
  const input = fc.record(
    {
      event_type: fc.string(),
      limit: fc.integer(),
      share: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
      verify: fc.boolean(),
      tags: fc.array(fc.string(), { minLength: 1 }),
      meta: fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(input, (value) => {
      const flags: Record<string, string | boolean | string[]> = {}
      const { event_type, limit, share, verify, tags, meta } = value
      if (event_type !== undefined) flags['event-type'] = event_type
      if (limit !== undefined) flags.limit = String(limit)
      if (share !== undefined && (!Number.isInteger(share) || Number.isSafeInteger(share)))
        flags.share = JSON.stringify(share)
      else delete (value as { share?: number }).share
      if (verify !== undefined) flags[verify ? 'verify' : 'no-verify'] = true
      if (tags !== undefined) flags.tags = tags
      if (meta !== undefined) flags.meta = JSON.stringify(meta)
      const rebuilt = withFieldFlags({}, fields, flags as Flags)
      assert.deepEqual(JSON.parse(JSON.stringify(rebuilt)), JSON.parse(JSON.stringify(value)))
    }),
  )
})
