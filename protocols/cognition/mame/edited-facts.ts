// Updates the facts drawn from edited content: where they state the old value, they now state the new one.

import { normalisePredicate, normaliseValue, type Triple } from '../content/api.ts'
import { differencesOf, tokensOf } from './json-patch.ts'

type Value = Triple['object']

/** Longer texts are not names. */
const name_length_max = 512

interface Correction {
  readonly path_end: string
  readonly before: Value
  /** Undefined if it was removed. */
  readonly after: Value | undefined
}

/** Changes of single values; lists and objects replaced as a whole say nothing about their parts. */
function correctionsOf(before: unknown, after: unknown): Correction[] {
  return differencesOf(before, after).flatMap(({ op, path, value }) => {
    const tokens = tokensOf(path)
    const old = op === 'add' ? undefined : lookUp(before, tokens)
    if (!isValue(old) || (op === 'replace' && !isValue(value))) return []
    return [
      { path_end: tokens.at(-1) ?? '', before: old, after: op === 'remove' ? undefined : (value as Value) },
    ]
  })
}

/** The stated facts after the corrections: the same list object if none is affected. */
export function retellAll(triples: readonly Triple[], before: unknown, after: unknown): readonly Triple[] {
  const corrections = correctionsOf(before, after)
  const retold = triples.flatMap((triple) => retell(triple, corrections) ?? [])
  const is_same = retold.length === triples.length && retold.every((triple, at) => triple === triples[at])
  return is_same ? triples : retold
}

/** The same triple if nothing was corrected, undefined if its value was removed. */
function retell(triple: Triple, corrections: readonly Correction[]): Triple | undefined {
  let { subject, object } = triple
  for (const { path_end, before, after } of corrections) {
    const is_object =
      isSame(before, triple.object) && (typeof before === 'string' || isAbout(path_end, triple.predicate))
    if (is_object && after === undefined) return undefined
    if (is_object) object = after!
    if (typeof before === 'string' && typeof after === 'string' && isSame(before, triple.subject))
      subject = after
  }
  return subject === triple.subject && object === triple.object ? triple : { ...triple, subject, object }
}

function isSame(one: Value, other: Value): boolean {
  return normaliseValue(one) === normaliseValue(other)
}

/** Numbers are ambiguous: they must be stored under the predicate's own name. */
function isAbout(path_end: string, predicate: string): boolean {
  return normalisePredicate(path_end) === normalisePredicate(predicate)
}

function isValue(value: unknown): value is Value {
  if (typeof value === 'string') return value !== '' && value.length <= name_length_max
  return typeof value === 'number' || typeof value === 'boolean'
}

function lookUp(node: unknown, tokens: readonly string[]): unknown {
  let value = node
  for (const token of tokens) value = (value as Record<string, unknown> | undefined)?.[token]
  return value
}
