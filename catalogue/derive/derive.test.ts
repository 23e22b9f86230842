import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { operation, protocol } from '@svc/contract/protocol'
import { refusals } from '@svc/contract/refusal'
import { AnyObject, Closed, Did, ListOf, OneOf, Period, Text } from '@svc/contract/schema'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { deriveCompletions } from './completions.ts'
import { fieldsOf } from './fields.ts'
import { deriveSchemas } from './json-schemas.ts'
import { deriveLlms } from './llms.ts'
import { deriveMcpTools } from './mcp-tools.ts'
import { deriveOpenApi } from './openapi.ts'
import { refusalsOf } from './operation-refusals.ts'
import { deriveReference } from './reference.ts'
import { asSchemaNode, everyNode, type SchemaNode } from './schema-node.ts'
import { deriveSdkTypes } from './sdk-types.ts'

const weigh = operation({
  summary: 'Weigh a thing | carefully.',
  effect: 'write',
  level: 'L1',
  meters: ['seconds', 'tokens'],
  multipliers: [1, 1, 1.2],
  deadline_ms: 5000,
  input: Closed({
    agent_did: Did,
    mode: Type.Optional(OneOf('fast', 'exact')),
    period: Period,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'How many */ at most' }),
    ),
    rules: ListOf(Closed({ match: Text(64), factor: Type.Union([Type.Number(), Type.Null()]) }), 1, 8),
    labels: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.Boolean(), {
        additionalProperties: false,
        maxProperties: 4,
      }),
    ),
    extra: AnyObject,
  }),
  output: Closed({ weight: Type.Number(), 'odd-name': Type.Optional(Type.String()) }),
  example: {
    agent_did: `did:oas:acme:agent:${'a'.repeat(64)}`,
    period: { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
    rules: [{ match: 'x', factor: null }],
    extra: {},
  },
  handle: () => ({ weight: 1 }),
})

const declare = operation({
  summary: 'Declare nothing.',
  effect: 'read',
  level: 'L0',
  meters: [],
  exempt: true,
  rate_cost: 3,
  input: Closed({}),
  output: Type.Union([Closed({ a: Type.String() }), Closed({ a: Type.String(), b: Type.Boolean() })]),
  example: {},
  handle: () => ({ a: 'x' }),
})

const facts = {
  version: 'v1.2.0',
  plane: 'truth',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-cognitive',
} as const
const zeta = protocol({
  ...facts,
  id: 'ZETA',
  summary: 'Scales.',
  operations: { weigh, 'charter.declare': declare },
})
const alpha = protocol({ ...facts, id: 'Alpha', summary: 'An adapter.', operations: { declare } })
const sample = [zeta, alpha]

function fits(schema: unknown, value: unknown): boolean {
  return Check(schema as never, value)
}

test('schemas: two per operation and one per resource, sorted, self-describing, and the example fits', () => {
  const schemas = deriveSchemas(sample)
  const paths = [...schemas.keys()]
  assert.deepEqual(paths, [...paths].sort())
  assert.deepEqual(
    paths.filter((path) => !path.startsWith('schemas/resources/')),
    [
      'schemas/alpha/v1/operations.alpha.declare.request.json',
      'schemas/alpha/v1/operations.alpha.declare.response.json',
      'schemas/zeta/v1/operations.zeta.charter.declare.request.json',
      'schemas/zeta/v1/operations.zeta.charter.declare.response.json',
      'schemas/zeta/v1/operations.zeta.weigh.request.json',
      'schemas/zeta/v1/operations.zeta.weigh.response.json',
    ],
  )
  for (const path of [
    'schemas/resources/delegation-token.json',
    'schemas/resources/agent-capability.json',
    'schemas/resources/handle-request-input.json',
  ]) {
    assert.ok(schemas.has(path), path)
  }
  const request = schemas.get('schemas/zeta/v1/operations.zeta.weigh.request.json')
  assert.equal(request?.$schema, 'https://json-schema.org/draft/2020-12/schema')
  assert.equal(request?.$id, '/schemas/zeta/v1/operations.zeta.weigh.request.json')
  assert.equal(request?.title, 'ZETA weigh request')
  assert.ok(fits(request, request?.examples?.[0]))
  assert.ok(!fits(request, { ...(weigh.example as object), surprise: 1 }))
  const based = deriveSchemas(sample, 'https://api.example')
  assert.equal(
    based.get('schemas/alpha/v1/operations.alpha.declare.response.json')?.$id,
    'https://api.example/schemas/alpha/v1/operations.alpha.declare.response.json',
  )
})

test('tools: the spec’s name, the complete schemas, and hints from the effect', () => {
  const tools = deriveMcpTools(sample)
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['svc.alpha.declare', 'svc.zeta.charter.declare', 'svc.zeta.weigh'],
  )
  const tool = tools[2]
  assert.deepEqual(tool?.inputSchema, asSchemaNode(weigh.input))
  assert.deepEqual(tool?.outputSchema, asSchemaNode(weigh.output))
  assert.equal(tool?.category, 'svc-cognitive')
  assert.deepEqual([tool?.protocol, tool?.operation], ['ZETA', 'weigh'])
  const [read, write] = [tools[0]?.annotations, tool?.annotations]
  assert.deepEqual([read?.readOnlyHint, read?.idempotentHint, read?.destructiveHint], [true, true, false])
  assert.deepEqual([write?.readOnlyHint, write?.idempotentHint, write?.destructiveHint], [false, false, true])
  for (const { name } of tools) assert.match(name, /^[A-Za-z0-9_.-]{1,128}$/)
})

interface OpenApi {
  paths: Record<string, Record<string, { security?: unknown; responses: Record<string, unknown> }>>
  components: {
    schemas: Record<string, SchemaNode & { discriminator?: { mapping: Record<string, string> } }>
    securitySchemes: object
  }
}

interface DescribedOperation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  requestBody: { content: { 'application/json': { schema: object; example: unknown } } }
  responses: object
}

test('openapi: every reference resolves, every refusal status is there, and only what is about the caller needs a key', () => {
  const document = deriveOpenApi(sample, ['https://api.example']) as unknown as OpenApi
  for (const [, pointer] of JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)) {
    const value = pointer!
      .slice(1)
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document)
    assert.ok(value, `${pointer} leads nowhere`)
  }
  const statuses = Object.keys(document.paths['/v1/dispatch']!.post!.responses)
  for (const row of Object.values(refusals))
    assert.ok(statuses.includes(String(row.status)), String(row.status))
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of Object.values(methods)) {
      const open = path.startsWith('/v1/log/') ? [{}, { bearer: [] }] : []
      const needs_key = /^\/v1\/(dispatch|whoami|live)(#|$)/.test(path)
      assert.deepEqual(method.security, needs_key ? [{ bearer: [] }] : open, path)
    }
  }
  const open = [
    '/v1/protocols',
    '/v1/protocols/{id}',
    '/v1/search',
    '/v1/log/{tenant}/checkpoint',
    '/openapi.json',
    '/docs',
    '/llms.txt',
    '/health',
    '/ready',
  ]
  for (const path of open) assert.ok(document.paths[path], path)
})

test('openapi: each operation is a path that leads to the endpoint, with its example and refusals', () => {
  const { paths, components } = deriveOpenApi(sample) as unknown as OpenApi
  const path = '/v1/dispatch#ZETA.weigh'
  assert.equal(new URL(path, 'https://api.example').pathname, '/v1/dispatch')
  const { post } = paths[path] as unknown as { post: DescribedOperation }
  assert.deepEqual([post.operationId, post.summary, post.tags], ['ZetaWeigh', 'weigh', ['ZETA']])
  assert.match(
    post.description,
    /^Weigh a thing \| carefully\.\n\nWrites: .*`svc\.zeta\.weigh` and level L1\./,
  )
  const { schema, example } = post.requestBody.content['application/json']
  assert.ok(fits({ components, ...schema }, example))
  const refused = JSON.stringify(post.responses)
  for (const code of refusalsOf(zeta, weigh)) assert.ok(refused.includes(code), code)
  assert.doesNotMatch(refused, /unknown_protocol|adapter_error/)
})

test('openapi: a request fits exactly one operation, found by protocol and then by operation', () => {
  const { components } = deriveOpenApi(sample) as unknown as OpenApi
  assert.equal(
    components.schemas.DispatchRequest?.discriminator?.mapping.ZETA,
    '#/components/schemas/ZetaRequest',
  )
  assert.equal(
    components.schemas.ZetaRequest?.discriminator?.mapping['charter.declare'],
    '#/components/schemas/ZetaCharterDeclareRequest',
  )
  const request = {
    protocol: 'ZETA',
    version: 'v1',
    operation: 'weigh',
    input: weigh.example,
    tenant_id: 'acme',
  }
  const dispatch = { components, $ref: '#/components/schemas/DispatchRequest' }
  assert.ok(fits(dispatch, request))
  assert.ok(!fits(dispatch, { ...request, operation: 'declare' }))
  assert.ok(!fits(dispatch, { ...request, protocol: 'Alpha' }))
  assert.ok(!fits(dispatch, { ...request, input: {} }))
})

test('completions: protocols, operations, fields with their words', () => {
  const { ZETA, Alpha } = deriveCompletions(sample).protocols
  assert.deepEqual(Object.keys(ZETA?.operations ?? {}), ['charter.declare', 'weigh'])
  const input = ZETA?.operations.weigh?.input
  assert.deepEqual(input?.mode, { type: 'string', required: false, values: ['fast', 'exact'] })
  assert.equal(input?.period?.required, true)
  assert.deepEqual(Alpha?.operations.declare?.input, {})
})

test('sdk types: valid TypeScript in which nothing is any and no comment can be closed from inside', async (t) => {
  const text = deriveSdkTypes(sample)
  const folder = mkdtempSync(join(tmpdir(), 'svc-sdk-types-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'sdk-types.mts'), text)
  assert.deepEqual(Object.keys(await import(join(folder, 'sdk-types.mts'))), [])
  assert.match(text, /export interface ZetaWeighInput \{/)
  assert.match(text, / {2}mode\?: "fast" \| "exact"\n/)
  assert.match(text, / {2}rules: Array<\{\n {4}match: string\n {4}factor: number \| null\n {2}\}>\n/)
  assert.match(text, / {2}labels\?: Record<string, boolean>\n/)
  assert.match(text, / {2}extra: Record<string, unknown>\n/)
  assert.match(text, / {2}"odd-name"\?: string\n/)
  assert.match(text, /export type ZetaCharterDeclareInput = Record<string, never>\n/)
  assert.match(
    text,
    / {2}ZETA: \{\n {4}"charter.declare": \{ input: ZetaCharterDeclareInput; output: ZetaCharterDeclareOutput \}\n/,
  )
  assert.match(text, /How many \* \/ at most/)
  assert.ok(!/\bany\b/.test(text))
})

test('reference: facts, nested fields, an example that can be sent, and the refusals', () => {
  const page = deriveReference(zeta)
  assert.match(page, /^# ZETA\n\nScales\.\n/)
  assert.match(page, /- \[charter\.declare\]\(#charterdeclare\)/)
  assert.match(page, /Capability: `svc\.zeta\.weigh`/)
  assert.match(page, /\| `period\.from` \| RFC 3339 time in UTC \| yes \|/)
  assert.match(page, /\| `rules\[\]\.match` \| string, 1 to 64 characters \| yes \|/)
  assert.match(page, /\| `limit` \| integer, 1 to 50 \| no \| How many \*\/ at most\. Default `10`\. \|/)
  assert.match(page, /\| `labels` \| map to boolean \| no \|/)
  assert.match(page, /Exempt from rate limits/)
  const [, json = ''] = /### Example of weigh\n\n```json\n([\s\S]*?)```/.exec(page) ?? []
  assert.deepEqual(JSON.parse(json).input, weigh.example)
  const [weigh_refusals, declare_refusals] = [
    /## weigh[\s\S]*?Refused with: (.*)/.exec(page)?.[1],
    /## charter\.declare[\s\S]*?Refused with: (.*)/.exec(page)?.[1],
  ]
  assert.match(weigh_refusals ?? '', /idempotency_key_reused/)
  assert.doesNotMatch(declare_refusals ?? 'idempotency', /idempotency|rate_limited/)
  for (const code of Object.keys(refusals)) assert.ok(page.includes(`| \`${code}\` |`), code)
})

test('fields: a choice of shapes is one row per field, required only where all agree', () => {
  assert.deepEqual(
    fieldsOf(asSchemaNode(declare.output)).map(({ path, required }) => [path, required]),
    [
      ['a', 'yes'],
      ['b', 'depends'],
    ],
  )
})

test('fields: a recursive part has its rows once, where it first stands', () => {
  const step = Type.Object({ kind: Type.Literal('Both'), steps: Type.Array(Type.Ref('Step')) })
  const recipe = Type.Object({ steps: Type.Array(Type.Cyclic({ Step: step }, 'Step')) })
  assert.deepEqual(
    fieldsOf(asSchemaNode(recipe)).map(({ path, form }) => [path, form]),
    [
      ['steps', 'list of Step'],
      ['steps[].kind', '`"Both"`'],
      ['steps[].steps', 'list of Step'],
    ],
  )
})

test('llms.txt names every operation and the machine-readable ways in', () => {
  const text = deriveLlms(sample)
  assert.match(text, /^# svc\n\n> /)
  for (const line of [
    '### ZETA',
    '- `weigh` (write): Weigh a thing | carefully.',
    '### Alpha',
    '(/openapi.json)',
    '(/v1/protocols)',
  ]) {
    assert.ok(text.includes(line), line)
  }
})

test('the order in which protocols and operations were written does not matter', () => {
  const turned = [alpha, { ...zeta, operations: { 'charter.declare': declare, weigh } }]
  assert.deepEqual(JSON.stringify([...deriveSchemas(turned)]), JSON.stringify([...deriveSchemas(sample)]))
  assert.equal(JSON.stringify(deriveOpenApi(turned)), JSON.stringify(deriveOpenApi(sample)))
  assert.equal(deriveSdkTypes(turned) + deriveLlms(turned), deriveSdkTypes(sample) + deriveLlms(sample))
})

test('a walk over a schema reaches every nested one', () => {
  const pointers = [...everyNode(asSchemaNode(weigh.input))].map(([pointer]) => pointer)
  for (const pointer of [
    '',
    '/properties/rules/items/properties/factor/anyOf/1',
    '/properties/labels/patternProperties/^[a-z]+$',
  ]) {
    assert.ok(pointers.includes(pointer), pointer)
  }
})
