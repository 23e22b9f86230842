import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { didOfKey } from '../identity/did.ts'
import { privateKeyOf, publicKeyOf, type SigningKey } from '../signing/signature.ts'
import {
  definitionDigest,
  definitionFault,
  hasHiddenText,
  isSignedListing,
  signListing,
  type ToolDefinition,
  type ToolListing,
} from './tool.ts'
import { schemaFault } from './tool-schema.ts'

function keyOf(fill: number): SigningKey {
  const private_key = privateKeyOf(Buffer.alloc(32, fill))
  const public_key = publicKeyOf(private_key)
  return { did: didOfKey('acme', 'service', Buffer.from(public_key, 'base64url')), public_key, private_key }
}

const publisher = keyOf(1)
const definition: ToolDefinition = {
  name: 'summarize',
  description: 'Makes a long text short.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string', maxLength: 100 } },
    required: ['text'],
  },
  annotations: { readOnlyHint: true },
}
const listing: ToolListing = {
  id: 'acme/summarize',
  name: 'summarize',
  version: 'v1.0.0',
  kind: 'tool',
  publisher_did: publisher.did,
  summary: 'Makes a long text short.',
  digest: definitionDigest(definition),
  required_capabilities: [],
  tags: ['text'],
  deprecated: false,
}

test('a listing is signed by its publisher: no field can be changed, and no other key signs it', () => {
  const signed = signListing(listing, publisher)
  assert.equal(isSignedListing(signed), true)
  const changes = {
    id: 'acme/other',
    version: 'v2.0.0',
    summary: 'Other.',
    tags: [],
    deprecated: true,
    kind: 'skill',
  }
  for (const [field, value] of Object.entries(changes))
    assert.equal(isSignedListing({ ...signed, [field]: value }), false, field)
  assert.equal(isSignedListing({ ...signed, digest: `sha256:${'0'.repeat(64)}` }), false)
  assert.equal(isSignedListing(signListing(listing, keyOf(2))), false)
  assert.equal(isSignedListing({ ...signed, publisher_did: keyOf(2).did }), false)
  assert.equal(isSignedListing(listing), false)
})

test('a definition that could hide something or cannot be used is refused', () => {
  assert.equal(definitionFault(definition, listing), undefined)
  const fault = (more: Partial<ToolDefinition>) =>
    definitionFault({ ...definition, ...more }, listing) ?? 'none'
  assert.match(fault({ name: 'other' }), /another name/)
  assert.match(fault({ description: `x${'\u200b'}` }), /invisible/)
  assert.match(fault({ annotations: { note: 'a\u202eb' } }), /invisible/)
  assert.match(fault({ annotations: { 'a\u{e0041}': 1 } }), /invisible/)
  assert.match(fault({ inputSchema: {} }), /not of type object/)
  assert.match(fault({ inputSchema: { type: 'object', properties: 5 } }), /inputSchema does not compile/)
  assert.match(fault({ outputSchema: { type: 'nonsense' } }), /outputSchema does not compile/)
  assert.match(fault({ annotations: { text: 'x'.repeat(70_000) } }), /larger than/)
})

test('visible text is not hidden, in any script', () => {
  for (const text of ['Grüße, 世界, שלום, 🙂', 'two\nlines\tand more', ''])
    assert.equal(hasHiddenText(text), false, text)
  for (const text of ['\u0000', '\u001b[0m', '\u2066', '\ufeff', '\u00ad', '\u3164', '\u{e0020}'])
    assert.equal(hasHiddenText({ list: [text] }), true, JSON.stringify(text))
})

const good_schemas = [
  true,
  {},
  { type: ['string', 'null'], enum: ['a', null] },
  { $defs: { a: { type: 'string' } }, properties: { a: { $ref: '#/$defs/a' } } },
  {
    $defs: { tree: { type: 'object', properties: { left: { $ref: '#/$defs/tree' } } } },
    $ref: '#/$defs/tree',
  },
  { anyOf: [{ const: 1 }, { not: {} }], 'x-anything': { type: 5 } },
  {
    patternProperties: { '^a': { minimum: -1 } },
    additionalProperties: false,
    propertyNames: { maxLength: 3 },
  },
  { type: 'array', prefixItems: [{}, true], items: { multipleOf: 0.1 }, uniqueItems: true },
  { properties: { 'a/b~c': {} }, items: { $ref: '#/properties/a~1b~0c' } },
]
const bad_schemas: unknown[] = [
  null,
  5,
  [],
  { type: 'text' },
  { type: [] },
  { required: 'a' },
  { properties: [] },
  { properties: { a: 5 } },
  { items: [{}] },
  { anyOf: [] },
  { enum: [] },
  { minimum: '1' },
  { maxLength: -1 },
  { multipleOf: 0 },
  { pattern: '(' },
  { pattern: 'a'.repeat(501) },
  { patternProperties: { '(': {} } },
  { $ref: '#/$defs/missing' },
  { $ref: 'https://elsewhere.example/schema' },
  { $ref: '#/__proto__/toString' },
  { $dynamicRef: '#a' },
  { dependentRequired: { a: 'b' } },
]

test('a schema is used only where every keyword, reference and pattern in it is valid', () => {
  for (const schema of good_schemas) assert.equal(schemaFault(schema), undefined, JSON.stringify(schema))
  for (const schema of bad_schemas) {
    assert.notEqual(schemaFault(schema), undefined, JSON.stringify(schema))
    assert.match(
      schemaFault({ properties: { in: schema } }) ?? '',
      /^\/properties\/in|leads nowhere|no schema/,
    )
  }
})

test('a schema too large or too deep to check is refused quickly, and nothing throws', () => {
  let deep: object = {}
  for (let depth = 0; depth < 100; depth++) deep = { not: deep }
  assert.match(schemaFault(deep)!, /larger than anybody could check/)
  const wide = { anyOf: Array.from({ length: 3_000 }, () => ({})) }
  assert.match(schemaFault(wide)!, /larger than anybody could check/)
  fc.assert(fc.property(fc.jsonValue(), (value) => void schemaFault(value)))
})
