// Sorts the sources' statements, groups them by subject and predicate, and splits them by time.
import { voiceShares } from '@svc/contract/identity/roots'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import {
  isAlias,
  isName,
  isType,
  normaliseName,
  normalisePredicate,
  normaliseValue,
  type Span,
} from '../content/api.ts'
import { intersect } from '../knowledge/api.ts'
import { type Entities, mergeEntities } from './fusion-entities.ts'
import type { Candidate, Question, Value } from './fusion-question.ts'

/** A statement of one source. */
export interface SaidFact {
  readonly subject: string
  readonly predicate: string
  readonly object: Value
  readonly valid: Span
  readonly confidence: number
  readonly functional: boolean
  /** The author: repeating a statement does not count twice. */
  readonly source: string
  /** Where it was read: a reference, or the source itself. */
  readonly origin: string
  /** Its time in milliseconds; minus infinity if unknown. */
  readonly at: number
}

export interface NameVector {
  readonly name: string
  readonly vector: Int8Array
}

interface Claim extends SaidFact {
  readonly subject_key: string
  readonly predicate_key: string
  readonly value_key: string
}

interface Group {
  readonly claims: readonly Claim[]
  readonly functional: boolean
}

/** A period in which the same claims hold. */
export interface Item extends Question {
  readonly group: Group
  readonly valid: Span
  readonly claims: readonly Claim[]
}

/** A canonical order, independent of the input order. */
export function inOrder(facts: readonly SaidFact[]): SaidFact[] {
  return facts
    .map((fact) => ({ fact, key: sortKey(fact) }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ fact }) => fact)
}

function sortKey({ valid, at, ...fact }: SaidFact): string {
  return canonicalJson({ ...fact, valid: [String(valid.from), String(valid.until)], at: String(at) })
}

/** Single-valued: declared, stated by a source, or implied by a number or boolean value. */
export function functionalTest(
  stated_facts: readonly SaidFact[],
  declared: readonly string[],
): (predicate: string) => boolean {
  const single = new Set(declared.map(normalisePredicate))
  const worded = new Set<string>()
  for (const { predicate, functional, object } of stated_facts) {
    if (functional) single.add(normalisePredicate(predicate))
    if (typeof object === 'string') worded.add(normalisePredicate(predicate))
  }
  return (predicate) => {
    const key = normalisePredicate(predicate)
    return single.has(key) || !worded.has(key)
  }
}

export function entitiesOf(
  stated_facts: readonly SaidFact[],
  isFunctional: (predicate: string) => boolean,
  vectors: readonly NameVector[],
): Entities {
  return mergeEntities({
    claims: stated_facts.map(({ subject, predicate, object, valid }) => ({
      label: subject,
      predicate: normalisePredicate(predicate),
      value: normaliseValue(object),
      valid,
      functional: isFunctional(predicate),
      is_type: isType(predicate),
    })),
    aliases: stated_facts.flatMap(({ subject, predicate, object }) =>
      isAlias(predicate) && isName(object) ? [[subject, object] as const] : [],
    ),
    vectors: new Map(vectors.map(({ name, vector }) => [normaliseName(name), vector])),
  })
}

export function rootOf(of: ReadonlyMap<string, string>, name: string): string {
  const key = normaliseName(name)
  return of.get(key) ?? key
}

/** The most frequent of all equivalent spellings. */
export function spellingsOf(
  stated_facts: readonly SaidFact[],
  meaningOf: (name: string) => string,
): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>()
  const count = (name: string, by: number) => {
    const spellings = counts.get(meaningOf(name)) ?? new Map<string, number>()
    counts.set(meaningOf(name), spellings.set(name, (spellings.get(name) ?? 0) + by))
  }
  for (const { subject, predicate, object } of stated_facts) {
    count(subject, 1)
    // Being named as an alias does not count for a spelling.
    if (isName(object)) count(object, isAlias(predicate) ? 0 : 1)
  }
  return new Map(
    [...counts].map(([meaning, spellings]) => {
      const [most] = [...spellings].sort(([a, x], [b, y]) => y - x || compare(a, b))
      return [meaning, most![0]]
    }),
  )
}

export function groupsOf(
  stated_facts: readonly SaidFact[],
  of: ReadonlyMap<string, string>,
  isFunctional: (predicate: string) => boolean,
): Group[] {
  const groups = new Map<string, { claims: Claim[]; functional: boolean }>()
  for (const fact of stated_facts) {
    const functional = isFunctional(fact.predicate)
    const claim = {
      ...fact,
      subject_key: rootOf(of, fact.subject),
      predicate_key: normalisePredicate(fact.predicate),
      value_key: isName(fact.object) ? rootOf(of, fact.object) : normaliseValue(fact.object),
    }
    const key = canonicalJson([claim.subject_key, claim.predicate_key, functional ? '' : claim.value_key])
    const group = groups.get(key) ?? { claims: [], functional }
    group.claims.push(claim)
    groups.set(key, group)
  }
  return [...groups].sort(([a], [b]) => compare(a, b)).map(([, group]) => group)
}

/** Claims contradict only while both hold: time is split wherever one begins or ends. */
export function itemsOf(group: Group, voiceOf: VoiceOf): Item[] {
  const cuts = new Set(group.claims.flatMap(({ valid }) => [valid.from, valid.until]))
  const bounds = [...cuts].sort((a, b) => a - b)
  return bounds.slice(1).flatMap((until, place) => {
    const valid = { from: bounds[place]!, until }
    const claims = group.claims.filter((claim) => intersect(claim.valid, valid))
    return claims.length > 0 ? [{ group, valid, claims, candidates: candidatesOf(claims, voiceOf) }] : []
  })
}

/** The root behind a source; undefined where none is verified. */
export type VoiceOf = (source: string) => string | undefined

function candidatesOf(claims: readonly Claim[], voiceOf: VoiceOf): Candidate[] {
  const sources = [...new Set(claims.map(({ source }) => source))]
  const shares = voiceShares(sources.map(voiceOf))
  const share_of = new Map(sources.map((source, place) => [source, shares[place]!]))
  const by_value = new Map<string, Claim[]>()
  for (const claim of claims) by_value.set(claim.value_key, [...(by_value.get(claim.value_key) ?? []), claim])
  return [...by_value]
    .sort(([a], [b]) => compare(a, b))
    .map(([key, same]) => {
      const votes = new Map<string, number>()
      for (const { source, confidence } of same)
        votes.set(source, Math.max(votes.get(source) ?? 0, confidence))
      return {
        key,
        value: same[0]!.object,
        votes: [...votes].map(([source, confidence]) => ({
          source,
          confidence,
          voice: voiceOf(source),
          share: share_of.get(source)!,
        })),
        newest: Math.max(...same.map(({ at }) => at)),
      }
    })
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
