// Merges names of one entity: declared aliases, and names similar in spelling and meaning without conflicts.

import { normaliseName, type Span } from '../content/api.ts'
import { intersect } from '../knowledge/api.ts'

const cosine_min = 0.92
/** Names that share fewer trigrams are not compared. */
const likeness_min = 0.4
const pairs_max = 20_000
/** A trigram shared by this many names does not discriminate. */
const posting_max = 200

/** A statement about an entity under one name. */
export interface NamedClaim {
  readonly label: string
  readonly predicate: string
  readonly value: string
  readonly valid: Span
  readonly functional: boolean
  readonly is_type: boolean
}

export interface NamesGiven {
  readonly claims: readonly NamedClaim[]
  /** Pairs of names that a source declares equal. */
  readonly aliases: readonly (readonly [string, string])[]
  /** By normalised name; names without a vector are merged by alias only. */
  readonly vectors: ReadonlyMap<string, Int8Array>
}

export interface EntityMerge {
  readonly labels: readonly string[]
  readonly rule: 'alias' | 'similar'
}

/** By normalised name: the representative name and all synonyms. */
export interface Entities {
  readonly of: ReadonlyMap<string, string>
  readonly merges: readonly EntityMerge[]
}

type Single = Map<string, { value: string; valid: Span }[]>

/** Independent of the order of names. */
export function mergeEntities({ claims, aliases, vectors }: NamesGiven): Entities {
  const groups = new Groups(claims)
  const merges: EntityMerge[] = []
  const join = (a: string, b: string, rule: EntityMerge['rule']) => {
    if (groups.join(a, b)) merges.push({ labels: [a, b].sort(), rule })
  }
  const pairs = aliases.map(([a, b]) => [normaliseName(a), normaliseName(b)].sort() as [string, string])
  for (const [a, b] of pairs.sort(byText)) join(a, b, 'alias')
  for (const { a, b } of similarPairs(vectors)) {
    if (!groups.contradict(a, b)) join(a, b, 'similar')
  }
  return { of: groups.roots(), merges }
}

function byText(one: readonly string[], other: readonly string[]): number {
  const [a, b] = [one.join('\n'), other.join('\n')]
  return a < b ? -1 : a > b ? 1 : 0
}

// A class because it is mutable: union-find with path compression.
class Groups {
  readonly #parent = new Map<string, string>()
  readonly #single = new Map<string, Single>()
  readonly #types = new Map<string, Set<string>>()

  constructor(claims: readonly NamedClaim[]) {
    for (const { label, predicate, value, valid, functional, is_type } of claims) {
      const name = normaliseName(label)
      if (is_type) this.#types.set(name, (this.#types.get(name) ?? new Set()).add(value))
      if (!functional) continue
      const single = this.#single.get(name) ?? new Map()
      this.#single.set(name, single.set(predicate, [...(single.get(predicate) ?? []), { value, valid }]))
    }
  }

  #root(name: string): string {
    const parent = this.#parent.get(name) ?? name
    if (parent === name) return name
    const root = this.#root(parent)
    this.#parent.set(name, root)
    return root
  }

  /** Returns whether they were separate. The name that sorts first represents both. */
  join(a: string, b: string): boolean {
    const [root, other] = [this.#root(a), this.#root(b)].sort() as [string, string]
    if (root === other) return false
    this.#parent.set(root, root)
    this.#parent.set(other, root)
    const types = [...(this.#types.get(root) ?? []), ...(this.#types.get(other) ?? [])]
    if (types.length > 0) this.#types.set(root, new Set(types))
    const single: Single = new Map(this.#single.get(root))
    for (const [predicate, values] of this.#single.get(other) ?? [])
      single.set(predicate, [...(single.get(predicate) ?? []), ...values])
    this.#single.set(root, single)
    return true
  }

  /** Different types, or two values of a single-valued predicate at the same time. */
  contradict(a: string, b: string): boolean {
    const [one, other] = [this.#root(a), this.#root(b)]
    const [types, more] = [this.#types.get(one), this.#types.get(other)]
    if (types && more && types.isDisjointFrom(more)) return true
    for (const [predicate, values] of this.#single.get(one) ?? []) {
      const others = this.#single.get(other)?.get(predicate) ?? []
      if (values.some((x) => others.some((y) => x.value !== y.value && intersect(x.valid, y.valid))))
        return true
    }
    return false
  }

  roots(): Map<string, string> {
    return new Map([...this.#parent.keys()].map((name) => [name, this.#root(name)]))
  }
}

/** Most similar first. */
function similarPairs(vectors: NamesGiven['vectors']): { a: string; b: string; cosine: number }[] {
  const similar: { a: string; b: string; cosine: number }[] = []
  for (const [a, b] of alikePairs([...vectors.keys()].sort())) {
    if (numbersIn(a) !== numbersIn(b)) continue
    const cosine = cosineOf(vectors.get(a)!, vectors.get(b)!)
    if (cosine >= cosine_min) similar.push({ a, b, cosine })
  }
  return similar.sort((x, y) => y.cosine - x.cosine || byText([x.a, x.b], [y.a, y.b]))
}

/** "Unit 1" and "unit 2" are similar but different. */
function numbersIn(name: string): string {
  return (name.match(/\d+/g) ?? []).join(' ')
}

function alikePairs(names: readonly string[]): [string, string][] {
  const grams = names.map(trigramsOf)
  const postings = new Map<string, number[]>()
  const pairs: [string, string][] = []
  for (const [place, own] of grams.entries()) {
    const shared = new Map<number, number>()
    for (const gram of own) {
      const holders = postings.get(gram) ?? []
      if (holders.length <= posting_max)
        for (const other of holders) shared.set(other, (shared.get(other) ?? 0) + 1)
      postings.set(gram, [...holders, place])
    }
    for (const [other, count] of shared) {
      const likeness = (2 * count) / (own.size + grams[other]!.size)
      if (likeness >= likeness_min && pairs.length < pairs_max) pairs.push([names[other]!, names[place]!])
    }
  }
  return pairs
}

function trigramsOf(name: string): Set<string> {
  const padded = `  ${name} `
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)))
}

function cosineOf(a: Int8Array, b: Int8Array): number {
  let [dot, aa, bb] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!
    aa += a[i]! * a[i]!
    bb += b[i]! * b[i]!
  }
  return aa > 0 && bb > 0 ? dot / Math.sqrt(aa * bb) : 0
}
