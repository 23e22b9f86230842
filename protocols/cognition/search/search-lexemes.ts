// Lexemes of PostgreSQL's english configuration, and similar words.

export interface Lexeme {
  readonly word: string
  /** Its number of occurrences. */
  readonly count: number
}

const quote = 39
const backslash = 92
const colon = 58
const comma = 44
const space = 32

/** Parses a tsvector: 'late':3 'suppli':2,9. Within quotes, a quote and a backslash are doubled. */
export function readLexemes(tsvector: string): Lexeme[] {
  const lexemes: Lexeme[] = []
  for (let at = 0; at < tsvector.length; at++) {
    if (tsvector.charCodeAt(at) !== quote) continue
    const start = at + 1
    let doubled = false
    for (at = start; at < tsvector.length; at++) {
      const char = tsvector.charCodeAt(at)
      if (char !== quote && char !== backslash) continue
      if (char === quote && tsvector.charCodeAt(at + 1) !== quote) break
      doubled = true
      at++
    }
    const quoted = tsvector.slice(start, at)
    const word = doubled ? quoted.replaceAll("''", "'").replaceAll('\\\\', '\\') : quoted
    let count = 1
    if (tsvector.charCodeAt(at + 1) === colon)
      for (; at < tsvector.length && tsvector.charCodeAt(at) !== space; at++)
        if (tsvector.charCodeAt(at) === comma) count++
    lexemes.push({ word, count })
  }
  return lexemes
}

/** The operators of a query: required phrases and excluded words. */
export interface Wording {
  readonly words: string
  readonly phrases: readonly string[]
  readonly without: readonly string[]
}

const phrases_max = 8
const phrase_form = /"([^"]+)"/g
const without_form = /(?<=^|\s)-(\p{L}[\p{L}\p{N}_-]*)/gu

/** Web search operators: "quoted", -without; OR is the default for all words. */
export function readWording(text: string): Wording {
  const phrases = Array.from(text.matchAll(phrase_form), ([, phrase]) => phrase!.trim())
  const without = Array.from(text.matchAll(without_form), ([, word]) => word!)
  return {
    words: text.replace(without_form, ' ').replace(/\bOR\b/g, ' '),
    phrases: phrases.filter((phrase) => /\s/.test(phrase)).slice(0, phrases_max),
    without,
  }
}

/** A bit per letter: bounds the similarity of two words before they are compared. */
export function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters
}

/** As pg_trgm: shared trigrams divided by all trigrams of both. */
export function similarityOf(one: string, other: string): number {
  const [ones, others] = [trigramsOf(one), trigramsOf(other)]
  let shared = 0
  for (const trigram of ones) if (others.has(trigram)) shared++
  return shared / (ones.size + others.size - shared)
}

function trigramsOf(word: string): Set<string> {
  const padded = `  ${word} `
  const lexemes = new Set<string>()
  for (let at = 0; at + 3 <= padded.length; at++) lexemes.add(padded.slice(at, at + 3))
  return lexemes
}
