// Untrusted schemas beside ours: their pointers stay valid, and they cannot affect ours.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Declaration } from '@svc/contract/protocol'
import { catalogue } from '../catalogue.ts'
import { deriveSchemas } from './json-schemas.ts'
import { deriveMcpTools } from './mcp-tools.ts'
import { deriveOpenApi } from './openapi.ts'

const ours = deriveOpenApi(catalogue) as unknown as Document
const part_names = Object.keys(ours.components.schemas).filter((name) => !/(Request|Output)$/.test(name))

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

/** Sorts first in every order, and names its parts like ours. */
const stranger: Declaration = {
  id: 'AAA',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-commerce',
  summary: 'Somebody else’s.',
  operations: {
    grow: {
      summary: 'Grows a tree.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      example: {},
      input: {
        type: 'object',
        $id: '/schemas/max/v1/operations.max.audit_query.request.json',
        properties: { tree: { $ref: '#/$defs/Tree' }, again: { $ref: '#' } },
        $defs: {
          Tree: { type: 'object', properties: { below: { type: 'array', items: { $ref: '#/$defs/Tree' } } } },
          ...Object.fromEntries(part_names.map((name) => [name, { type: 'null' }])),
        },
      },
      output: { type: 'object', properties: { tree: { $ref: '#/$defs/Tree' } }, $defs: { Tree: {} } },
    },
  },
}

function follow(document: object, pointer: string): unknown {
  const keys = pointer.split('/').slice(1)
  return keys.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document)
}

function assertReferencesLead(document: object): void {
  for (const [, pointer] of JSON.stringify(document).matchAll(/"\$ref":"#([^"]*)"/g))
    assert.ok(follow(document, pointer!) !== undefined, `#${pointer} leads nowhere`)
}

test('openapi: pointers of untrusted schemas stay within their own, and ours are unchanged', () => {
  assert.ok(part_names.length > 3)
  const document = deriveOpenApi([stranger, ...catalogue]) as unknown as Document
  assertReferencesLead(document)
  const { AaaGrowRequest, AaaGrowOutput, DispatchRequest: _, ...rest } = document.components.schemas
  const place = '#/components/schemas/AaaGrowRequest/properties/input'
  const text = JSON.stringify([AaaGrowRequest, AaaGrowOutput])
  assert.ok(text.includes(`"$ref":"${place}"`) && text.includes(`"$ref":"${place}/$defs/Tree"`))
  assert.ok(text.includes('"$ref":"#/components/schemas/AaaGrowOutput/$defs/Tree"'))
  for (const [name, schema] of Object.entries(ours.components.schemas))
    if (name !== 'DispatchRequest') assert.deepEqual(rest[name], schema, name)
})

test('schemas and tools: a document of its own, under our name for it', () => {
  const schemas = deriveSchemas([stranger, ...catalogue])
  const path = 'schemas/aaa/v1/operations.aaa.grow.request.json'
  const request = schemas.get(path)!
  assert.equal(request.$id, `/${path}`)
  assertReferencesLead(request)
  const [tool] = deriveMcpTools([stranger])
  assertReferencesLead(tool!.inputSchema)
  assertReferencesLead(tool!.outputSchema)
  assert.equal(tool!.version, 'v1.0.0')
})

function withInput(input: object, more: Partial<Declaration> = {}): Declaration {
  const { grow } = stranger.operations
  return { ...stranger, operations: { grow: { ...grow!, input: { type: 'object', ...input } } }, ...more }
}

test('unknown keywords cannot break what is derived, nor pass as ours', () => {
  const own_names = { Answer: { $id: 1, type: 'null' }, DispatchRequest: { $id: {}, type: 'null' } }
  for (const unknown of [{ $defs: null }, { $defs: { a: null, b: 'x', c: [] } }, { $defs: own_names }]) {
    const hostile = withInput({ 'x-unknown': unknown })
    const { schemas } = (deriveOpenApi([hostile, ...catalogue]) as unknown as Document).components
    assert.deepEqual(schemas.Answer, ours.components.schemas.Answer)
    assert.ok('discriminator' in schemas.DispatchRequest!)
    const [tool] = deriveMcpTools([hostile])
    assert.deepEqual(tool!.inputSchema, { type: 'object', 'x-unknown': unknown })
    assert.ok(deriveSchemas([hostile]).size > 0)
  }
})

test('a foreign protocol called DISPATCH does not affect the dispatch endpoint', () => {
  const document = deriveOpenApi([withInput({}, { id: 'DISPATCH' }), ...catalogue]) as unknown as Document
  assertReferencesLead(document)
  const { DispatchRequest } = document.components.schemas
  const mapping = JSON.stringify(DispatchRequest)
  assert.ok(mapping.includes('"propertyName":"protocol"') && mapping.includes('/MaxRequest"'))
})

test('a published schema has our title and dialect, whatever it says of itself', () => {
  const named = withInput({ title: 'MAX audit_query request', $schema: 'https://example.com/other' })
  const { $schema, title } = deriveSchemas([named]).get('schemas/aaa/v1/operations.aaa.grow.request.json')!
  assert.deepEqual([$schema, title], ['https://json-schema.org/draft/2020-12/schema', 'AAA grow request'])
})

test('a property may be named like a keyword, and its pointers work', () => {
  const properties = {
    default: { $ref: '#/$defs/T' },
    enum: { $ref: '#/$defs/T' },
    $defs: { $ref: '#/$defs/T' },
  }
  const document = deriveOpenApi([withInput({ properties, $defs: { T: { type: 'string' } } })])
  assertReferencesLead(document)
})
