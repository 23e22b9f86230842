// How likely a memory is to be about what was asked: from how much of the question its words cover, and how near its
// meaning is. Unlike a rank it can be low for all of them, so that "nothing found" means something.
import type { Lexeme } from './search-lexemes.ts'
import { cosineOf, type VectorIndex } from './search-vectors.ts'
import { exactTerms, likeTerms, type Searched, type WordIndex } from './search-words.ts'

export interface Relevance {
  /** 0 to 1: of a hundred with 0.8, about eighty are about it. */
  readonly relevance: number
  /** The share of the question's information that its words cover, 0 to 1. */
  readonly coverage: number
  /** Cosine; 0 without vectors. */
  readonly similarity: number
}

/** If nothing reaches this, nothing was found: of a hundred such memories, two are about it. */
export const nothing_below = 0.02

/** Read from the first half of the notes in test-notes.ts; the second half judges it (relevance.test.ts). */
const scale = { constant: -5.1, coverage: 3.8, similarity: 5 }

/** A word is rare among this many memories more, so that three memories do not make every word common. */
const imagined = 1_000

/** A similar spelling counts, but may be another word. */
const misspelt_share = 0.5

/** Of each slot that contains a word of the question: the share of the question's information. */
export function coverageOf(
  index: WordIndex,
  lexemes: readonly Lexeme[],
  { allowed, allowed_count }: Searched,
): Map<number, number> {
  const covered = new Map<number, number>()
  let whole = 0
  const exact = lexemes.map((lexeme) => slotsOf(index, exactTerms(index, [lexeme]), allowed))
  // Whether a word is one of a memory that may not be read must make no difference.
  const are_misspelt = exact.every((slots) => slots.size === 0)
  for (const [place, lexeme] of lexemes.entries()) {
    const slots = are_misspelt ? slotsOf(index, likeTerms(index, [lexeme], allowed), allowed) : exact[place]!
    const rarity = Math.log(1 + (allowed_count + imagined - slots.size + 0.5) / (slots.size + 0.5))
    whole += rarity
    const share = are_misspelt ? rarity * misspelt_share : rarity
    for (const slot of slots) covered.set(slot, (covered.get(slot) ?? 0) + share)
  }
  for (const [slot, sum] of covered) covered.set(slot, sum / whole)
  return covered
}

function slotsOf({ postings, sizes }: WordIndex, terms: readonly number[], allowed: Uint8Array): Set<number> {
  const slots = new Set<number>()
  for (const term of terms) {
    const places = postings[term]!
    for (let at = 0; at < sizes[term]!; at += 2) if (allowed[places[at]!]) slots.add(places[at]!)
  }
  return slots
}

export function relevanceOf(
  vectors: VectorIndex,
  covered: ReadonlyMap<number, number>,
  question: Int8Array | undefined,
  slot: number,
): Relevance {
  const coverage = covered.get(slot) ?? 0
  const similarity = question ? Math.max(0, cosineOf(vectors, question, slot)) : 0
  return { coverage, similarity, relevance: judge(coverage, similarity) }
}

function judge(coverage: number, similarity: number): number {
  return 1 / (1 + Math.exp(-(scale.constant + scale.coverage * coverage + scale.similarity * similarity)))
}
