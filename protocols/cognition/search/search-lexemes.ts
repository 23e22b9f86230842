// Words as PostgreSQL's english configuration makes them of a text, and words that are nearly the same.

export interface Lexeme {
  readonly word: string
  /** How often it stands there. */
  readonly count: number
}

const quote = 39
const backslash = 92
const colon = 58
const comma = 44
const space = 32

/** A tsvector as text: 'late':3 'suppli':2,9. Within quotes a quote and a backslash are doubled. */
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

/** What a question says beside its words: what must stand together, and what must not be there. */
export interface Wording {
  readonly words: string
  readonly phrases: readonly string[]
  readonly without: readonly string[]
}

const phrases_max = 8
const phrase_form = /"([^"]+)"/g
const without_form = /(?<=^|\s)-(\p{L}[\p{L}\p{N}_-]*)/gu

/** The operators of a web search: "quoted", -without; OR says what is true of every word already. */
export function readWording(text: string): Wording {
  const phrases = Array.from(text.matchAll(phrase_form), ([, phrase]) => phrase!.trim())
  const without = Array.from(text.matchAll(without_form), ([, word]) => word!)
  return {
    words: text.replace(without_form, ' ').replace(/\bOR\b/g, ' '),
    phrases: phrases.filter((phrase) => /\s/.test(phrase)).slice(0, phrases_max),
    without,
  }
}

/** One bit for each letter there is: what two words share can be told before they are compared. */
export function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters
}

/** Of pg_trgm: shared trigrams of all trigrams of both. */
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
