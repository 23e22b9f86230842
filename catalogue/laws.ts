// Laws of every operation that need no running engine. They check a new protocol before its author writes a test.

import { capabilityFor, isCapabilityName } from '@svc/contract/authority/capability'
import { MicroUsd, Qty } from '@svc/contract/money/money'
import { type Operation, type Protocol, planes } from '@svc/contract/protocol'
import {
  CapabilityName,
  Did,
  Hash,
  HexHash,
  PublicKey,
  Ref,
  Signature,
  TenantId,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { Check } from 'typebox/value'
import { asSchemaNode, everyNode, type SchemaNode, wordsOf } from './derive/schema-node.ts'

/** The ids of external standards are written as in those standards. */
const adapter_ids: readonly string[] = ['OAS', 'Arsenal', 'Aegis']
const summary_length_max = 160
/** Say the form of a value only: an id of what, a time of what? */
const form_sentences: ReadonlySet<string> = new Set(
  [
    CapabilityName,
    Did,
    Hash,
    HexHash,
    MicroUsd,
    PublicKey,
    Qty,
    Ref,
    Signature,
    TenantId,
    Timestamp,
    Uuid,
  ].map((schema) => asSchemaNode(schema).description ?? ''),
)
const hidden_characters = /[\p{Cf}\p{Cc}]/u

/** One sentence per broken law, with its place; empty where all hold. */
export function breachesOf(protocol: Protocol): string[] {
  const breaches = protocolBreaches(protocol).map((breach) => `${protocol.id}: ${breach}`)
  for (const [name, operation] of Object.entries(protocol.operations)) {
    breaches.push(
      ...operationBreaches(protocol, name, operation).map((breach) => `${protocol.id}.${name}: ${breach}`),
    )
  }
  return breaches
}

function protocolBreaches(protocol: Protocol): string[] {
  const rules: [boolean, string][] = [
    [/^[A-Z]{2,16}$/.test(protocol.id) || adapter_ids.includes(protocol.id), 'the id is an upper-case word'],
    [
      /^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(protocol.version),
      'the version is semantic, with a v in front',
    ],
    [planes.includes(protocol.plane), `the plane is one of ${planes.join(', ')}`],
    [
      isOneSentence(protocol.summary),
      `the summary is one sentence of at most ${summary_length_max} characters`,
    ],
    [Object.keys(protocol.operations).length > 0, 'there is at least one operation'],
  ]
  return broken(rules)
}

function operationBreaches(protocol: Protocol, name: string, operation: Operation): string[] {
  const capability = capabilityFor(protocol.id, name)
  const input = asSchemaNode(operation.input)
  const output = asSchemaNode(operation.output)
  const rules: [boolean, string][] = [
    [/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$/.test(name), 'the name is snake_case, dots between parts'],
    [
      isOneSentence(operation.summary),
      `the summary is one sentence of at most ${summary_length_max} characters`,
    ],
    [isCapabilityName(capability) && !capability.endsWith('*'), `${capability} is a capability name`],
    [input.type === 'object', 'the input is an object: tools and forms can fill nothing else'],
    [Check(operation.input, operation.example), 'the example fits the input schema'],
    [isJson(operation.example), 'the example is plain JSON'],
    [isJson(operation.scene ?? []), 'the scene is plain JSON'],
    [new Set(operation.meters).size === operation.meters.length, 'no meter is named twice'],
    [(operation.multipliers ?? []).every((factor) => factor > 0), 'price multipliers are positive'],
    [(operation.rate_cost ?? 1) >= 1, 'the rate cost is at least 1'],
  ]
  return [
    ...broken(rules),
    ...schemaBreaches(input, 'input', [isClosed, isAnchored, isNoTuple, isLegible, isMeaningful, isBounded]),
    ...schemaBreaches(output, 'output', [isClosed, isAnchored, isNoTuple, isLegible, isMeaningful]),
  ]
}

/** A law over one schema node: the required change, or undefined where it holds. */
type SchemaLaw = (node: SchemaNode) => string | undefined

function schemaBreaches(schema: SchemaNode, side: string, laws: readonly SchemaLaw[]): string[] {
  const breaches: string[] = []
  for (const [pointer, node] of everyNode(schema)) {
    for (const law of laws) {
      const breach = law(node)
      if (breach !== undefined) breaches.push(`${side}${pointer} ${breach}`)
    }
  }
  return breaches
}

// `AnyObject` is the one shape that says on purpose: this content is the caller's own.
function isAnyObject(node: SchemaNode): boolean {
  const patterns = Object.entries(node.patternProperties ?? {})
  return (
    node.type === 'object' &&
    !node.properties &&
    patterns.length === 1 &&
    patterns.every(([key, value]) => key === '^.*$' && Object.keys(value).length === 0)
  )
}

function isClosed(node: SchemaNode): string | undefined {
  if (node.type !== 'object' || isAnyObject(node) || node.additionalProperties === false) return undefined
  return 'takes fields nobody declared; use Closed, AnyObject, or additionalProperties: false on a Record'
}

function isAnchored(node: SchemaNode): string | undefined {
  for (const pattern of [node.pattern, ...Object.keys(node.patternProperties ?? {})]) {
    if (pattern === undefined) continue
    const is_whole = pattern.startsWith('^') && pattern.endsWith('$') && !choosesAtTop(pattern)
    if (!is_whole)
      return `matches ${pattern} anywhere; anchor it with ^ and $, around a group where it is a choice`
  }
  return undefined
}

// `^a|b$` begins and ends right and still matches `ax` and `xb`.
function choosesAtTop(pattern: string): boolean {
  let rest = pattern.replace(/\\./g, '').replace(/\[[^\]]*\]/g, '')
  for (let inner = ''; inner !== rest; ) {
    inner = rest
    rest = rest.replace(/\([^()]*\)/g, '')
  }
  return rest.includes('|')
}

function isNoTuple(node: SchemaNode): string | undefined {
  return Array.isArray(node.items)
    ? 'is a tuple, which JSON Schema 2020-12 writes differently; use an object'
    : undefined
}

// A model reads these descriptions: they must not contain invisible text.
function isLegible(node: SchemaNode): string | undefined {
  return hidden_characters.test(node.description ?? '')
    ? 'has invisible characters in its description'
    : undefined
}

function isMeaningful(node: SchemaNode): string | undefined {
  const silent = Object.entries(node.properties ?? {}).filter(
    ([, { description = '' }]) => !/\p{L}/u.test(description) || form_sentences.has(description),
  )
  return silent.length === 0
    ? undefined
    : `does not say what ${silent.map(([name]) => name).join(', ')} means; give it a description`
}

function isBounded(node: SchemaNode): string | undefined {
  if (node.type === 'array' && node.maxItems === undefined) return 'is a list without maxItems; use ListOf'
  if (node.type === 'string' && node.maxLength === undefined && node.pattern === undefined && !wordsOf(node))
    return 'is a string without maxLength or pattern; use Text'
  const is_record = node.type === 'object' && node.patternProperties !== undefined && !isAnyObject(node)
  if (is_record && !('maxProperties' in node)) return 'is a record without maxProperties'
  return undefined
}

function isOneSentence(text: string): boolean {
  return (
    text.length <= summary_length_max &&
    /^[^\s].*\.$/.test(text) &&
    !/[.!?]\s+\p{Lu}/u.test(text) &&
    !hidden_characters.test(text)
  )
}

function isJson(value: unknown): boolean {
  try {
    canonicalJson(value)
    return true
  } catch {
    return false
  }
}

function broken(rules: readonly [boolean, string][]): string[] {
  return rules.filter(([holds]) => !holds).map(([, law]) => `broken: ${law}`)
}
