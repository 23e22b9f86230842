// Inverted lists as typed arrays, ranked by BM25. Not ts_rank_cd with websearch_to_tsquery: that requires
// every word of the query and ignores rarity, so a whole sentence finds nothing.
import { type Lexeme, lettersOf, similarityOf } from './search-lexemes.ts'

export interface WordIndex {
  readonly terms: Map<string, number>
  /** By term: pairs of a slot and the word's count in it. */
  readonly postings: Uint32Array<ArrayBuffer>[]
  /** Used length of each list. */
  readonly sizes: number[]
  readonly letters: number[]
  readonly words: string[]
  bytes: number
}

export interface Ranked {
  readonly slot: number
  readonly score: number
}

const k1 = 1.2
const b = 0.75
const first_posting_size = 4
const term_bytes = 120
const like_words_max = 3
const like_similarity_min = 0.4
/** Words with a greater difference in length are too dissimilar. */
const like_length_apart_max = 3
const like_letters_apart_max = 4

export function newWordIndex(): WordIndex {
  return { terms: new Map(), postings: [], sizes: [], letters: [], words: [], bytes: 0 }
}

/** Slots only increase, so lists stay sorted. Returns the length of the text. */
export function addWords(index: WordIndex, slot: number, lexemes: readonly Lexeme[]): number {
  let length = 0
  for (const { word, count } of lexemes) {
    const term = termOf(index, word)
    const size = index.sizes[term]!
    let places = index.postings[term]!
    if (size === places.length) {
      const larger = new Uint32Array(places.length * 2)
      larger.set(places)
      index.bytes += places.byteLength
      places = larger
      index.postings[term] = larger
    }
    places[size] = slot
    places[size + 1] = count
    index.sizes[term] = size + 2
    length += count
  }
  return length
}

function termOf(index: WordIndex, word: string): number {
  const known_term = index.terms.get(word)
  if (known_term !== undefined) return known_term
  const term = index.postings.length
  index.terms.set(word, term)
  index.postings.push(new Uint32Array(first_posting_size))
  index.sizes.push(0)
  index.letters.push(lettersOf(word))
  index.words.push(word)
  index.bytes += term_bytes + word.length * 2
  return term
}

export interface Searched {
  /** 1 if a slot may be found. */
  readonly allowed: Uint8Array
  readonly allowed_count: number
  readonly lengths: Uint32Array
  readonly length_mean: number
}

/** Best first; a word's weight is its rarity among the allowed slots. */
export function rankByWords(
  index: WordIndex,
  lexemes: readonly Lexeme[],
  searched: Searched,
  ranked_max: number,
): Ranked[] {
  const bests = bestOf(scoreTerms(index, exactTerms(index, lexemes), searched), ranked_max)
  if (bests.length > 0) return bests
  // No word of the query occurs anywhere: tries similar spellings.
  return bestOf(scoreTerms(index, likeTerms(index, lexemes, searched.allowed), searched), ranked_max)
}

export function exactTerms({ terms }: WordIndex, lexemes: readonly Lexeme[]): number[] {
  return lexemes.flatMap(({ word }) => terms.get(word) ?? [])
}

/** Slots that contain any of these words. */
export function slotsWith(index: WordIndex, lexemes: readonly Lexeme[]): Set<number> {
  const slots = new Set<number>()
  for (const { word } of lexemes) {
    const term = index.terms.get(word)
    if (term === undefined) continue
    const places = index.postings[term]!
    for (let at = 0; at < index.sizes[term]!; at += 2) slots.add(places[at]!)
  }
  return slots
}

interface Scores {
  readonly of: Float64Array
  /** Slots with a score: few, if the query has rare words. */
  readonly slots: Uint32Array
}

function scoreTerms(
  { postings, sizes }: WordIndex,
  terms: readonly number[],
  { allowed, allowed_count, lengths, length_mean }: Searched,
): Scores {
  const scores = new Float64Array(allowed.length)
  const slots = new Uint32Array(terms.reduce((total, term) => total + sizes[term]! / 2, 0))
  let scored = 0
  for (const term of terms) {
    const places = postings[term]!
    const size = sizes[term]!
    let documents = 0
    for (let at = 0; at < size; at += 2) documents += allowed[places[at]!]!
    if (documents === 0) continue
    const rarity = Math.log(1 + (allowed_count - documents + 0.5) / (documents + 0.5))
    for (let at = 0; at < size; at += 2) {
      const slot = places[at]!
      if (allowed[slot] === 0) continue
      if (scores[slot] === 0) slots[scored++] = slot
      const count = places[at + 1]!
      const norm = k1 * (1 - b + (b * lengths[slot]!) / length_mean)
      scores[slot]! += (rarity * count * (k1 + 1)) / (count + norm)
    }
  }
  return { of: scores, slots: slots.subarray(0, scored) }
}

const steps = 512

/** Sorts only candidates near the top: a common word occurs almost everywhere. */
function bestOf({ of: scores, slots }: Scores, ranked_max: number): Ranked[] {
  let most = 0
  for (const slot of slots) if (scores[slot]! > most) most = scores[slot]!
  if (most === 0) return []
  // One spare: scaled values may round up.
  const counts = new Uint32Array(steps + 2)
  const scale = steps / most
  for (const slot of slots) counts[(scores[slot]! * scale) | 0]!++
  let floor = steps + 1
  for (let taken = counts[floor]!; floor > 0 && taken < ranked_max; ) taken += counts[--floor]!
  const ranked: Ranked[] = []
  for (const slot of slots) {
    const score = scores[slot]!
    if (((score * scale) | 0) >= floor) ranked.push({ slot, score })
  }
  return ranked.sort((one, other) => other.score - one.score || one.slot - other.slot).slice(0, ranked_max)
}

/** The most similar words for each of these; words of other slots than the allowed ones count for nothing. */
export function likeTerms(index: WordIndex, lexemes: readonly Lexeme[], allowed: Uint8Array): number[] {
  const slots = new Set<number>()
  for (const { word } of lexemes) {
    const letters = lettersOf(word)
    const like: Ranked[] = []
    for (let term = 0; term < index.words.length; term++) {
      const other = index.words[term]!
      if (Math.abs(other.length - word.length) > like_length_apart_max) continue
      if (bitsOf(index.letters[term]! ^ letters) > like_letters_apart_max) continue
      const score = similarityOf(word, other)
      if (score >= like_similarity_min && isIn(index, term, allowed)) like.push({ slot: term, score })
    }
    like.sort((one, other) => other.score - one.score)
    for (const { slot } of like.slice(0, like_words_max)) slots.add(slot)
  }
  return [...slots]
}

function isIn({ postings, sizes }: WordIndex, term: number, allowed: Uint8Array): boolean {
  const places = postings[term]!
  for (let at = 0; at < sizes[term]!; at += 2) if (allowed[places[at]!]) return true
  return false
}

function bitsOf(word: number): number {
  let bits = (word - ((word >>> 1) & 0x55555555)) | 0
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
