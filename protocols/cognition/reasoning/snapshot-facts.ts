// Converts snapshot facts to clauses with the predicates that English sentences use.
import { type Clause, constantOf, literal } from './clause.ts'
import type { Lexicon } from './lexicon.ts'
import { unary } from './scope.ts'
import { prepositions, verbBase } from './words.ts'

export interface SnapshotFact {
  readonly subject: string
  readonly predicate: string
  readonly object: unknown
  readonly confidence?: number | undefined
  /** Its citation. */
  readonly ref?: string | undefined
}

const kind_predicates = new Set([
  'is',
  'is a',
  'is an',
  'isa',
  'type',
  'instance of',
  'kind',
  'has property',
  'rdf type',
])

/** `Acme ceo Ann` is both ceo(acme, ann) and "the ceo of Acme is Ann"; `Rex is a dog` is dog(rex). */
export function readFact(fact: SnapshotFact, lexicon: Lexicon, source: number): Clause[] {
  const subject = constantOf(wordsOf(fact.subject))
  const object = constantOf(wordsOf(textOf(fact.object)))
  const name = wordsOf(fact.predicate)
  // Names that start with # belong to the engine.
  if ([subject, name, object].some((text) => text === '' || text.startsWith('#'))) return []
  if (kind_predicates.has(name)) return [{ head: unary(object, subject), body: [], source }]
  const [first, ...rest] = name.split(' ')
  const base = [verbBase(first!, lexicon.used), ...rest].join(' ')
  const names = new Set([fact.predicate, name, base])
  const heads = [...names].map((predicate) => literal(predicate, [subject, object]))
  const last = rest.at(-1) ?? first!
  if (!prepositions.has(last)) heads.push(literal(`${name} of`, [object, subject]))
  return heads.map((head) => ({ head, body: [], source }))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Lower case, words separated by one space. */
function wordsOf(text: string): string {
  return text.replaceAll('_', ' ').trim().split(/\s+/).join(' ').toLowerCase()
}
