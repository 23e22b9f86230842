// Fuses the statements of several sources into one consistent picture. Pure and independent of their order.
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { isName, normaliseName, type Span } from '../content/api.ts'
import {
  compare,
  entitiesOf,
  functionalTest,
  groupsOf,
  type Item,
  inOrder,
  itemsOf,
  type NameVector,
  rootOf,
  type SaidFact,
  spellingsOf,
} from './fusion-claims.ts'
import { withoutCopies } from './fusion-copies.ts'
import type { Entities } from './fusion-entities.ts'
import type { Value } from './fusion-question.ts'
import {
  believedBy,
  discoverReliability,
  judge,
  type Rule,
  type Strategy,
  type Verdict,
} from './fusion-truth.ts'

export interface FusionInput {
  readonly facts: readonly SaidFact[]
  /** The root behind each source; a source without one does not count. */
  readonly roots: Readonly<Record<string, string>>
  /** The prior reliability of each source. */
  readonly reliability: Readonly<Record<string, number>>
  readonly functional_predicates: readonly string[]
  readonly strategy: Strategy
  readonly min_confidence: number
  readonly subject?: string | undefined
  /** Names with their vectors. */
  readonly vectors: readonly NameVector[]
}

interface About {
  readonly subject: string
  readonly predicate: string
  readonly valid: Span
}

export interface FusedFact extends About {
  readonly object: Value
  readonly confidence: number
  readonly functional: boolean
  readonly support: readonly string[]
  readonly against: readonly string[]
}

export interface FusionConflict extends About {
  readonly values: readonly {
    readonly value: Value
    readonly posterior: number
    readonly sources: readonly string[]
  }[]
  /** Null if no answer was certain enough. */
  readonly chosen: Value | null
  readonly rule: Rule
}

export interface Dissent extends About {
  readonly object: Value
  readonly confidence: number
  readonly sources: readonly string[]
  readonly reason: 'outvoted' | 'outlier' | 'min_confidence'
}

export interface Fused {
  readonly facts: readonly FusedFact[]
  readonly conflicts: readonly FusionConflict[]
  readonly dissent: readonly Dissent[]
  readonly entity_merges: readonly {
    readonly label: string
    readonly merged: readonly string[]
    readonly rules: readonly string[]
  }[]
  readonly source_reliability: Readonly<Record<string, number>>
  /** Roots of which one probably repeats the other. */
  readonly copied: readonly { readonly roots: readonly string[]; readonly probability: number }[]
}

const copied_told_max = 100

export function fuse(input: FusionInput): Fused {
  const { facts, strategy, min_confidence } = input
  const stated_facts = inOrder(facts)
  const voices = new Map(Object.entries(input.roots))
  // Who does not count neither merges names nor says which predicates have one value.
  const counted_facts = stated_facts.filter(({ source }) => voices.has(source))
  const isFunctional = functionalTest(counted_facts, input.functional_predicates)
  const entities = entitiesOf(counted_facts, isFunctional, input.vectors)
  const groups = groupsOf(stated_facts, entities.of, isFunctional)
  const items = groups.flatMap((group) => itemsOf(group, (source) => voices.get(source)))
  const start = new Map(Object.entries(input.reliability))
  const questions = items.filter(({ group }) => group.functional)
  const discovered = discoverReliability(questions, start)
  const { dependence } = discovered
  const reliability = strategy === 'reliability' ? discovered.reliability : start
  const labels = spellingsOf(stated_facts, (name) => rootOf(entities.of, name))
  const subject_root = input.subject === undefined ? undefined : rootOf(entities.of, input.subject)
  const picture = items
    .filter(({ claims }) => subject_root === undefined || claims[0]!.subject_key === subject_root)
    .map((item) => withoutCopies(item, dependence, reliability))
    .map((item) => decide(item, reliability, strategy, labels, min_confidence))
  return {
    facts: joinStretches(picture.flatMap(({ fact }) => fact ?? [])),
    conflicts: joinStretches(picture.flatMap(({ conflict }) => conflict ?? [])),
    dissent: joinStretches(picture.flatMap(({ dissent }) => dissent)),
    entity_merges: mergesOf(entities, labels, spellingsOf(stated_facts, normaliseName)),
    source_reliability: Object.fromEntries(
      [...reliability].sort(([a], [b]) => compare(a, b)).map(([source, value]) => [source, round(value)]),
    ),
    copied: dependence.pairs
      .slice(0, copied_told_max)
      .map(({ voices, probability }) => ({ roots: [...voices], probability: round(probability) })),
  }
}

interface Decided {
  readonly fact?: FusedFact
  readonly conflict?: FusionConflict
  readonly dissent: readonly Dissent[]
}

function decide(
  item: Item,
  reliability: ReadonlyMap<string, number>,
  strategy: Strategy,
  labels: ReadonlyMap<string, string>,
  min_confidence: number,
): Decided {
  const { claims, candidates, group, valid } = item
  const { subject_key, predicate_key: predicate } = claims[0]!
  const about = { subject: labels.get(subject_key)!, predicate, valid }
  const verdict = group.functional ? judge(item, reliability, strategy) : agreement(item, reliability)
  const shown = candidates.map(({ key, value }) => (isName(value) ? (labels.get(key) ?? value) : value))
  const originsOf = (place: number) =>
    [
      ...new Set(claims.filter((claim) => claim.value_key === candidates[place]!.key).map((c) => c.origin)),
    ].sort()
  const is_certain = verdict.confidence >= min_confidence
  const others = candidates
    .map((_, place) => place)
    .filter((place) => place !== verdict.chosen || !is_certain)
  const confidenceOf = (place: number) =>
    round(place === verdict.chosen ? verdict.confidence : verdict.posteriors[place]!)
  const dissent = others.map((place) => ({
    ...about,
    object: shown[place]!,
    confidence: confidenceOf(place),
    sources: originsOf(place),
    reason: reasonAgainst(place, verdict),
  }))
  const fact = {
    ...about,
    object: shown[verdict.chosen]!,
    confidence: round(verdict.confidence),
    functional: group.functional,
    support: originsOf(verdict.chosen),
    against: [...new Set(others.flatMap(originsOf))].sort(),
  }
  if (candidates.length < 2) return is_certain ? { fact, dissent } : { dissent }
  const values = candidates.map((_, place) => ({
    value: shown[place]!,
    posterior: round(verdict.posteriors[place]!),
    sources: originsOf(place),
  }))
  const conflict = { ...about, values, chosen: is_certain ? fact.object : null, rule: verdict.rule }
  return { ...(is_certain ? { fact } : {}), conflict, dissent }
}

function reasonAgainst(place: number, { chosen, outliers }: Verdict): Dissent['reason'] {
  if (place === chosen) return 'min_confidence'
  return outliers.includes(place) ? 'outlier' : 'outvoted'
}

/** If several answers can hold, each is as certain as its supporters. */
function agreement({ candidates }: Item, reliability: ReadonlyMap<string, number>): Verdict {
  const confidence = believedBy(candidates[0]!.votes, reliability)
  return { chosen: 0, confidence, posteriors: [confidence], rule: 'reliability', outliers: [] }
}

/** Merges adjacent periods with the same answer. */
function joinStretches<T extends About>(stretches: readonly T[]): T[] {
  const joined = new Map<string, T[]>()
  for (const stretch of stretches) {
    const { valid, ...rest } = stretch
    const key = canonicalJson(rest)
    const same = joined.get(key) ?? []
    const last = same.at(-1)
    if (last && last.valid.until === valid.from)
      same[same.length - 1] = { ...last, valid: { from: last.valid.from, until: valid.until } }
    else same.push(stretch)
    joined.set(key, same)
  }
  return [...joined.values()].flat()
}

function mergesOf(
  { of, merges }: Entities,
  labels: ReadonlyMap<string, string>,
  spellings: ReadonlyMap<string, string>,
): Fused['entity_merges'] {
  const members = new Map<string, string[]>()
  for (const [name, root] of of) members.set(root, [...(members.get(root) ?? []), name])
  return [...members]
    .filter(([, names]) => names.length > 1)
    .sort(([a], [b]) => compare(a, b))
    .map(([root, names]) => ({
      label: labels.get(root)!,
      merged: names.map((name) => spellings.get(name)!).sort(),
      rules: [
        ...new Set(merges.filter(({ labels: [a] }) => of.get(a!) === root).map(({ rule }) => rule)),
      ].sort(),
    }))
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
