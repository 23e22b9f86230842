// Subtyping of arrays and objects.

import { testPattern } from '@svc/contract/expressions/matches'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import {
  enter,
  isRecord,
  itemsOf,
  ownMember,
  type Place,
  type Schema,
  valuesOfRecord,
} from './schema-place.ts'
import { boundsFit, counts } from './typing-bounds.ts'
import { every, ifPresent, type Verdict } from './typing-verdict.ts'

/** A comparison of two schemas in progress. */
export interface Comparing {
  left: number
  readonly open: Map<unknown, Set<unknown>>
  readonly compare: (producer: Place, consumer: Place, state: Comparing) => Verdict
}

export function judgeList(from: Place, to: Place, state: Comparing): Verdict[] {
  const producer = from.schema as Schema
  const consumer = to.schema as Schema
  const verdicts = boundsFit(producer, consumer, counts)
  const [produced, accepted] = [itemsOf(producer), itemsOf(consumer)]
  const most = typeof producer.maxItems === 'number' ? producer.maxItems : Number.POSITIVE_INFINITY
  const items_max = produced.rest === false ? Math.min(most, produced.fixed.length) : most
  const items_min = typeof producer.minItems === 'number' ? producer.minItems : 0
  // One position past the fixed items of both represents all that follow.
  const places = Math.min(items_max, Math.max(produced.fixed.length, accepted.fixed.length) + 1)
  for (let at = 0; at < places; at++) {
    const item = enter(produced.fixed[at] ?? produced.rest, from.home)
    const verdict = state.compare(item, enter(accepted.fixed[at] ?? accepted.rest, to.home), state)
    verdicts.push(at < items_min ? verdict : ifPresent(verdict))
  }
  const is_unique = producer.uniqueItems === true || items_max <= 1 || areDistinct(produced.fixed, items_max)
  if (consumer.uniqueItems === true && !is_unique) verdicts.push('unknown')
  return verdicts
}

function areDistinct(fixed: readonly unknown[], items_max: number): boolean {
  const values = fixed.filter(isRecord).filter((schema) => 'const' in schema)
  const constants = new Set(values.map((schema) => canonicalJson(schema.const)))
  return constants.size === fixed.length && items_max <= fixed.length
}

export function judgeObject(from: Place, to: Place, state: Comparing): Verdict[] {
  const producer = from.schema as Schema
  const consumer = to.schema as Schema
  const properties = recordOf(producer.properties)
  const required = namesIn(producer.required)
  const verdicts = Object.entries(properties).map(([name, schema]) => {
    const verdict = compareMember(enter(schema, from.home), name, to, state)
    return required.has(name) ? verdict : ifPresent(verdict)
  })
  for (const name of namesIn(consumer.required)) {
    if (required.has(name)) continue
    verdicts.push(
      ownMember(properties, name) !== undefined ? 'some' : isClosed(producer) ? 'never' : 'unknown',
    )
  }
  if (!isClosed(producer)) verdicts.push(judgeFurther(from, to, properties, state))
  return [...verdicts, judgeCount(producer, consumer, required.size)]
}

/** Compares one named member with the consumer's schema for that name. */
function compareMember(member: Place, name: string, to: Place, state: Comparing): Verdict {
  const consumer = to.schema as Schema
  const property = ownMember(consumer.properties, name)
  if (property !== undefined) return state.compare(member, enter(property, to.home), state)
  if (isRecord(consumer.patternProperties)) {
    const patterns = Object.entries(consumer.patternProperties)
    const tested = patterns.map(([pattern, schema]) => ({ matches: testPattern(pattern, name), schema }))
    if (tested.some(({ matches }) => matches === undefined)) return 'unknown'
    const apply = tested.filter(({ matches }) => matches)
    if (apply.length > 0)
      return every(
        apply.map(({ schema }) => state.compare(member, enter(schema, to.home), state)),
        'together',
      )
  }
  return state.compare(member, enter(consumer.additionalProperties, to.home), state)
}

/** Members the producer allows but does not name: those of its patterns, then any others. */
function judgeFurther(from: Place, to: Place, properties: Schema, state: Comparing): Verdict {
  const producer = from.schema as Schema
  const consumer = to.schema as Schema
  const patterns = recordOf(producer.patternProperties)
  const wanted_patterns = recordOf(consumer.patternProperties)
  const unnamed = Object.entries(recordOf(consumer.properties)).filter(
    ([name]) => !Object.hasOwn(properties, name),
  )
  const judge = (member: unknown, accepted: unknown) =>
    state.compare(enter(member, from.home), enter(accepted, to.home), state)
  const verdicts = Object.entries(patterns).flatMap(([pattern, member]) => [
    judge(member, wanted_patterns[pattern] ?? valuesOfRecord(consumer) ?? consumer.additionalProperties),
    ...unnamed
      .filter(([name]) => testPattern(pattern, name) !== false)
      .map(([, accepted]) => judge(member, accepted)),
  ])
  const is_same = Object.keys(wanted_patterns).every((pattern) => Object.hasOwn(patterns, pattern))
  if (!is_same && !valuesOfRecord(consumer)) verdicts.push('unknown')
  if (producer.additionalProperties !== false && !valuesOfRecord(producer)) {
    const member = producer.additionalProperties ?? true
    verdicts.push(judge(member, valuesOfRecord(consumer) ?? consumer.additionalProperties))
    verdicts.push(...unnamed.map(([, accepted]) => judge(member, accepted)))
  }
  // Such a member may never be present, so it proves nothing against the producer.
  return verdicts.every((verdict) => verdict === 'yes') ? 'yes' : 'unknown'
}

function recordOf(value: unknown): Schema {
  return isRecord(value) ? value : {}
}

function judgeCount(producer: Schema, consumer: Schema, required: number): Verdict {
  const { minProperties: min, maxProperties: max } = consumer
  const names = isRecord(producer.properties) ? Object.keys(producer.properties).length : 0
  const most = isClosed(producer) ? names : (producer.maxProperties as number | undefined)
  const least = Math.max(required, typeof producer.minProperties === 'number' ? producer.minProperties : 0)
  if (typeof min === 'number' && least < min) return most !== undefined && most < min ? 'never' : 'unknown'
  if (typeof max === 'number' && (most === undefined || most > max)) return least > max ? 'never' : 'unknown'
  return 'yes'
}

function isClosed(schema: Schema): boolean {
  return schema.additionalProperties === false && !isRecord(schema.patternProperties)
}

function namesIn(required: unknown): Set<string> {
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [])
}
