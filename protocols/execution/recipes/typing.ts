// Whether one step accepts everything another returns: JSON Schema subtyping, as far as schemas tell.

import { testPattern } from '@svc/contract/expressions/matches'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { alternativesOf, isRecord, type Place, placeOf, type Schema, settle } from './schema-place.ts'
import { boundsFit, lengths, numbers } from './typing-bounds.ts'
import { type Comparing, judgeList, judgeObject } from './typing-members.ts'
import { every, type Fit, some, type Verdict } from './typing-verdict.ts'

/** External schemas may be hostile: beyond this many comparisons the result is unknown. */
const comparisons_max = 5000

/** yes: every value fits; no: the producer's schema allows one that does not; unknown: it says too little. */
export function fits(
  producer: unknown,
  consumer: unknown,
  room: { comparisons: number } = { comparisons: comparisons_max },
): Fit {
  const most = Math.min(comparisons_max, room.comparisons)
  const state: Comparing = { left: most, open: new Map(), compare }
  const verdict = compare(placeOf(producer), placeOf(consumer), state)
  room.comparisons -= most - Math.max(0, state.left)
  return verdict === 'yes' || verdict === 'unknown' ? verdict : 'no'
}

function compare(producer: Place, consumer: Place, state: Comparing): Verdict {
  const from = settle(producer)
  const to = settle(consumer)
  if (!from || !to || --state.left < 0) return 'unknown'
  if (to.schema === true || from.schema === false) return 'yes'
  if (to.schema === false) return 'never'
  if (from.schema === true) return isOpen(to.schema) ? 'yes' : 'unknown'
  if (from.schema === to.schema && from.home.root === to.home.root) return 'yes'
  // A recursive comparison holds if nothing else contradicts it.
  const met = state.open.get(from.schema)
  if (met?.has(to.schema)) return 'yes'
  state.open.set(from.schema, (met ?? new Set()).add(to.schema))
  const verdict = compareAlternatives(from, to, state)
  state.open.get(from.schema)!.delete(to.schema)
  return verdict
}

function compareAlternatives(from: Place, to: Place, state: Comparing): Verdict {
  const schema = from.schema as Schema
  const values = Array.isArray(schema.enum) && !('const' in schema) ? schema.enum : undefined
  const places = values
    ? values.map((value): Place => ({ ...from, schema: { ...schema, enum: undefined, const: value } }))
    : alternativesOf(from)
  if (places.length !== 1 || places[0] !== from) {
    const verdict = every(places.map((alternative) => compare(alternative, to, state)))
    return 'oneOf' in schema && verdict === 'some' ? 'unknown' : verdict
  }
  const alternatives = alternativesOf(to)
  if (alternatives.length !== 1 || alternatives[0] !== to) {
    const verdict = some(alternatives.map((alternative) => compare(from, alternative, state)))
    return 'oneOf' in (to.schema as Schema) && verdict === 'yes' ? 'unknown' : verdict
  }
  return compareKeywords(from, to, state)
}

function compareKeywords(from: Place, to: Place, state: Comparing): Verdict {
  const producer = from.schema as Schema
  const consumer = to.schema as Schema
  const verdicts = [compareTypes(producer, consumer), compareValues(producer, consumer)]
  const type = typeOf(producer)
  if (type === 'number' || type === 'integer')
    verdicts.push(...boundsFit(producer, consumer, numbers), multiplesFit(producer, consumer))
  if (type === 'string') {
    verdicts.push(...boundsFit(producer, consumer, lengths), wordsFit(producer, consumer, 'pattern'))
    verdicts.push(wordsFit(producer, consumer, 'format'))
  }
  if (type === 'array') verdicts.push(...judgeList(from, to, state))
  if (type === 'object') verdicts.push(...judgeObject(from, to, state))
  const verdict = every(verdicts, 'together')
  // Unsupported keywords only narrow a producer; in a consumer they may reject anything.
  if (verdict === 'yes' && hasMore(consumer)) return 'unknown'
  return verdict === 'some' && hasMore(producer) ? 'unknown' : verdict
}

function compareTypes(producer: Schema, consumer: Schema): Verdict {
  const accepted = typeOf(consumer)
  if (accepted === undefined)
    return isRecord(consumer.properties) || Array.isArray(consumer.required) ? 'unknown' : 'yes'
  const produced = typeOf(producer)
  if (produced === undefined) return 'unknown'
  if (produced === accepted || (produced === 'integer' && accepted === 'number')) return 'yes'
  if (produced === 'number' && accepted === 'integer')
    return Number.isInteger(producer.const) ? 'yes' : 'some'
  return 'never'
}

function compareValues(producer: Schema, consumer: Schema): Verdict {
  const accepted = 'const' in consumer ? [consumer.const] : consumer.enum
  if (!Array.isArray(accepted)) return 'yes'
  if (!('const' in producer)) return 'unknown'
  const produced = canonicalJson(producer.const)
  return accepted.some((value) => canonicalJson(value) === produced) ? 'yes' : 'never'
}

function multiplesFit(producer: Schema, consumer: Schema): Verdict {
  const divisor = consumer.multipleOf
  if (typeof divisor !== 'number' || divisor === producer.multipleOf) return 'yes'
  if (typeof producer.const !== 'number') return 'unknown'
  return Number.isInteger(producer.const / divisor) ? 'yes' : 'never'
}

function wordsFit(producer: Schema, consumer: Schema, keyword: 'pattern' | 'format'): Verdict {
  const accepted = consumer[keyword]
  if (typeof accepted !== 'string' || accepted === producer[keyword]) return 'yes'
  if (keyword === 'format' || typeof producer.const !== 'string') return 'unknown'
  const tested = testPattern(accepted, producer.const)
  return tested === undefined ? 'unknown' : tested ? 'yes' : 'never'
}

function typeOf(schema: Schema): string | undefined {
  if (typeof schema.type === 'string') return schema.type
  if (!('const' in schema)) return undefined
  const { const: value } = schema
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

const annotations = [
  'description',
  'title',
  'default',
  'examples',
  '$id',
  '$schema',
  '$defs',
  'definitions',
  'deprecated',
  '$comment',
  'readOnly',
  'writeOnly',
]
const judged = new Set([
  ...annotations,
  ...[
    'type',
    'const',
    'enum',
    'anyOf',
    'oneOf',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
  ],
  ...[
    'multipleOf',
    'minLength',
    'maxLength',
    'pattern',
    'format',
    'items',
    'additionalItems',
    'prefixItems',
    'minItems',
    'maxItems',
  ],
  ...['uniqueItems', 'properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties'],
  'maxProperties',
])

function hasMore(schema: Schema): boolean {
  return Object.keys(schema).some((keyword) => !judged.has(keyword) && !keyword.startsWith('~'))
}

function isOpen(schema: Schema): boolean {
  return Object.keys(schema).every((keyword) => annotations.includes(keyword))
}
