import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import type { Client, SceneStep } from '@svc/sdk'
import fc from 'fast-check'
import tools from '../../../../generated/mcp-tools.json' with { type: 'json' }
import { stand_ins } from '../../../../generated/sdk-operations.ts'
import { prepareExample, whyNotPlayed } from './example-scene.ts'
import { surfaces } from './same-call.ts'
import { choicesOf, kindOf, type Schema, startOf, withField, withItem } from './schema-value.ts'

const rows = tools as unknown as readonly { readonly name: string; readonly inputSchema: Schema }[]
const schemas = rows.map(({ name, inputSchema }): [string, Schema] => [name, inputSchema])

test('every operation of the catalogue has a form that begins with the required fields', () => {
  assert.ok(schemas.length > 90)
  for (const [path, schema] of schemas) {
    assert.equal(kindOf(schema), 'object', path)
    assert.deepEqual(Object.keys(startOf(schema) as object), schema.required ?? [], path)
  }
})

test('a choice begins with one of its values, and a list with its minimum length', () => {
  assert.deepEqual(choicesOf({ anyOf: [{ const: 'a' }, { const: 'b' }] }), ['a', 'b'])
  assert.equal(startOf({ enum: ['x', 'y'] }), 'x')
  assert.deepEqual(startOf({ type: 'array', items: { type: 'string' }, minItems: 2 }), ['', ''])
  assert.equal(startOf({ type: 'integer', minimum: 5, default: 7 }), 7)
})

test('fields keep their order, and a removed one is gone', () => {
  assert.equal(JSON.stringify(withField({ a: 1, b: 2 }, 'a', 3)), '{"a":3,"b":2}')
  assert.equal(JSON.stringify(withField({ a: 1, b: 2 }, 'a', undefined)), '{"b":2}')
  assert.equal(JSON.stringify(withField(undefined, 'c', 1)), '{"c":1}')
  assert.deepEqual(withItem([1, 2, 3], 1, 9), [1, 9, 3])
})

test('a shell passes on exactly what is sent', () => {
  const curl = surfaces[0]!
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 2 }), (value) => {
      const input = { value }
      const call = { protocol: 'MAX', operation: 'audit_query', input, tenant_id: 'acme' }
      const text = curl.text({ ...call, agent_did: 'did:oas:acme:agent:0' })
      const script = text.replace('curl -s', 'set -- ') + '; for last; do :; done; printf %s "$last"'
      const stdout = execFileSync('sh', ['-c', script], { encoding: 'utf8' })
      assert.deepEqual(JSON.parse(stdout).input, JSON.parse(JSON.stringify(input)))
    }),
    { numRuns: 25 },
  )
})

const textIn = (name: string, input: unknown) =>
  surfaces
    .find((surface) => surface.name === name)!
    .text({
      protocol: 'MAX',
      operation: 'audit_query',
      input,
      tenant_id: 'acme',
      agent_did: 'did:oas:acme:agent:0',
    })

test('Python reads exactly what is sent', () => {
  const stub = [
    'import json, sys, types',
    'class Client:',
    '    def __enter__(self): return self',
    '    def __exit__(self, *_): pass',
    '    def dispatch(self, *call): return types.SimpleNamespace(output=json.dumps(call))',
    'sys.modules["svc_sdk"] = types.SimpleNamespace(Client=Client)',
    '',
  ].join('\n')
  const input = {
    texts: ['a"b\\', 'ü🦉\u0007\n', "it's"],
    none: null,
    is: [true, false],
    n: [1.5, 2 ** 40, {}],
  }
  const stdout = execFileSync('python3', ['-'], { input: stub + textIn('Python', input), encoding: 'utf8' })
  assert.deepEqual(JSON.parse(stdout), ['MAX', 'audit_query', input])
})

test('Rust gets its own escapes, and whole numbers that fit their type', () => {
  const text = textIn('Rust', { a: 'b\b"\\u0041\u0007', n: [5, 2 ** 40, 1e20, -1.5], none: null })
  for (const part of [
    '"b\\u{08}\\"\\\\u0041\\u{0007}"',
    ' 5,',
    ' 1099511627776i64,',
    ' 1e+20,',
    ' -1.5,',
    '"none": null,',
  ])
    assert.ok(text.includes(part), `${part} in ${text}`)
})

const you = { tenant_id: 'sud', did: `did:oas:sud:agent:${'d4'.repeat(32)}` }
const store: SceneStep = {
  call: 'MIND.store_memory',
  input: { by: stand_ins.did },
  answer: { ref: 'the ref' },
}

/** Answers every call with a new ref, and records it. */
function countingClient() {
  const calls: unknown[] = []
  const dispatch = async (...call: unknown[]) => {
    calls.push(call.slice(0, 3))
    return { output: { ref: `mind://cell/${calls.length}` } }
  }
  return { calls, client: { dispatch } as unknown as Client }
}

test('the steps of an example are played as yourself, and their ids are filled in', async () => {
  const { calls, client } = countingClient()
  const steps: SceneStep[] = []
  const facts = { scene: [store, store], example: { target: 'the ref', tenant: 'acme' } }
  const input = await prepareExample(facts, client, you, (step) => steps.push(step))
  assert.deepEqual(input, { target: 'mind://cell/2', tenant: 'sud' })
  assert.deepEqual(calls[0], ['MIND', 'store_memory', { by: you.did }])
  assert.deepEqual([calls.length, steps.length], [2, 2])
})

test('steps or calls of another organization are not played, and the reason is a sentence', async () => {
  const example = { target: 'the ref', tenant: 'acme' }
  const others = [
    { scene: [store, { ...store, as: 'partner' } as const], example },
    { scene: [store], example_by: 'operator', example } as const,
  ]
  for (const facts of others) {
    const { calls, client } = countingClient()
    const input = await prepareExample(facts, client, you, () => assert.fail('nothing is played'))
    assert.deepEqual([calls, input], [[], { target: 'the ref', tenant: 'sud' }])
    assert.match(whyNotPlayed(facts) ?? '', /^[A-Z].*another organization.*\.$/)
  }
  assert.equal(whyNotPlayed({ scene: [store, { new_key: 'a key' }], example }), undefined)
})
