// A stated fact: subject, predicate, object, validity period and confidence.
import { isMoment } from '@svc/contract/moment'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const name_length_max = 512
const value_length_max = 8_192

/** Longer texts are values, not entity names. */
const entity_name_length_max = 256

export const TripleValue = Type.Union([Text(value_length_max), Type.Number(), Type.Boolean()])

export const triple_fields = {
  subject: Text(name_length_max, { description: 'The entity it is about, by name or id.' }),
  predicate: Text(128, { description: 'The relation, such as ceo or located_in.' }),
  object: described(
    TripleValue,
    'Value of the relation: a text, number or truth value, or the name or id of an entity.',
  ),
  valid_from: Type.Optional(described(Timestamp, 'True from then on; absent: always before valid_to.')),
  valid_to: Type.Optional(described(Timestamp, 'True until then; absent: still.')),
  confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'How sure it is, 0 to 1.' })),
}

export const Triple = Closed({
  ...triple_fields,
  functional: Type.Optional(
    Type.Boolean({ description: 'True declares that a subject has one value of this predicate at a time.' }),
  ),
})
export type Triple = Static<typeof Triple>

/** Half-open, in milliseconds; infinite if unbounded. */
export interface Span {
  readonly from: number
  readonly until: number
}

/** Predicates that have one value at a time by default. Others are declared with `functional`. */
// biome-ignore format: a list of words
const functional_words: ReadonlySet<string> = new Set([
  'age', 'birth_date', 'birth_place', 'birthplace', 'born_in', 'born_on', 'capital', 'ceo', 'date_of_birth',
  'death_date', 'founded_in', 'has_ceo', 'headquarters', 'height', 'place_of_birth', 'population', 'price',
  'status', 'temperature', 'weight',
])
const alias_words: readonly string[] = ['alias', 'aka', 'also_known_as', 'same_as']
const type_words: readonly string[] = ['type', 'is_a', 'instance_of']

/** Normalizes a name: letter case, width and spaces do not count. */
export function normaliseName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\0]+/gu, ' ')
    .trim()
}

export function normalisePredicate(predicate: string): string {
  return normaliseName(predicate).replace(/[ -]+/g, '_')
}

export function normaliseValue(value: Triple['object']): string {
  return normaliseName(String(value))
}

export function isName(value: Triple['object']): value is string {
  return typeof value === 'string' && value.length <= entity_name_length_max && entityKey(value) === undefined
}

export function isFunctionalWord(predicate: string): boolean {
  return functional_words.has(normalisePredicate(predicate))
}

type Blind = (text: string) => string

/** Subjects and objects use the same keys, so that the object of one fact can be the subject of the next. */
export function nameKey(blind: Blind, value: Triple['object']): string {
  return entityKey(value) ?? blind(`kg name ${normaliseValue(value)}`)
}

export function entityId(entity_key: string): string {
  return `mind://entity/${entity_key}`
}

/** Undefined if it is a name rather than an id. */
export function entityKey(value: Triple['object']): string | undefined {
  return typeof value === 'string' ? /^mind:\/\/entity\/([0-9a-f]{32})$/.exec(value)?.[1] : undefined
}

export function predicateKey(blind: Blind, predicate: string): string {
  return blind(`kg predicate ${normalisePredicate(predicate)}`)
}

export function aliasKeys(blind: Blind): string[] {
  return alias_words.map((word) => predicateKey(blind, word))
}

export function typeKeys(blind: Blind): string[] {
  return type_words.map((word) => predicateKey(blind, word))
}

export function isAlias(predicate: string): boolean {
  return alias_words.includes(normalisePredicate(predicate))
}

export function isType(predicate: string): boolean {
  return type_words.includes(normalisePredicate(predicate))
}

/** Refuses a date that does not exist and an empty period. */
export function spanOf(triple: Pick<Triple, 'valid_from' | 'valid_to'>, pointer: string): Span {
  const from = boundOf(triple.valid_from, `${pointer}/valid_from`) ?? -Infinity
  const until = boundOf(triple.valid_to, `${pointer}/valid_to`) ?? Infinity
  if (from < until) return { from, until }
  throw refuse(
    'invalid_payload',
    `${pointer}/valid_to is not after valid_from, so the fact is never valid; set a later end.`,
    { reason: 'empty_validity', path: `${pointer}/valid_to` },
  )
}

function boundOf(time: string | undefined, path: string): number | undefined {
  if (time === undefined) return undefined
  if (isMoment(time)) return Date.parse(time)
  throw refuse('invalid_payload', `${path} is not a valid date; give a time that exists.`, {
    reason: 'bad_time',
    path,
  })
}
