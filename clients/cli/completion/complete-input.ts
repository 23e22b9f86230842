// Completes JSON typed after --input: missing fields of the operation, and the values
// a field may have. Only the outermost object is completed.
import type { FieldFacts } from '../calls/completions-data.ts'

export interface Offer {
  /** Replaces the word. */
  readonly word: string
  readonly about?: string
}

/** Longer input is not completed, because the shell waits. */
const word_chars_max = 10_000

export function completeInput(word: string, fields: Readonly<Record<string, FieldFacts>>): Offer[] {
  if (word.length > word_chars_max) return []
  if (word.trim() === '') return offersAt({ kept: '{', keys: [], expects: 'key' }, '', fields)
  const place = placeIn(word)
  return place ? offersAt(place, word.slice(place.kept.length), fields) : []
}

interface Place {
  /** The typed prefix. */
  readonly kept: string
  /** The fields already present. */
  readonly keys: readonly string[]
  /** A key, or the value of the last one. */
  readonly expects: 'key' | 'value'
}

/** The cursor's position; undefined inside a nested value and after a complete value. */
function placeIn(word: string): Place | undefined {
  const keys: string[] = []
  let depth = 0
  let expects: 'key' | 'value' | undefined
  let kept_chars = 0
  // JSON tokens; the last string may be unterminated.
  for (const { 0: token, index } of word.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    const end = index + token.length
    const is_last = end === word.length
    if (token === '{' || token === '[') {
      if (depth++ === 0) expects = token === '{' ? 'key' : undefined
    } else if (token === '}' || token === ']') depth--
    else if (depth !== 1) continue
    else if (token === ',') expects = 'key'
    else if (token === ':') expects = 'value'
    else if (is_last && expects !== undefined) return { kept: word.slice(0, kept_chars), keys, expects }
    else {
      if (expects === 'key') keys.push(unquoted(token))
      expects = undefined
    }
    kept_chars = end
  }
  const blank = word.slice(kept_chars)
  return depth === 1 && expects && blank.trim() === '' ? { kept: word, keys, expects } : undefined
}

function offersAt(
  { kept, keys, expects }: Place,
  typed: string,
  fields: Readonly<Record<string, FieldFacts>>,
) {
  const offers: Offer[] =
    expects === 'key'
      ? Object.entries(fields)
          .filter(([name]) => !keys.includes(name))
          .map(([name, field]) => ({ word: `${JSON.stringify(name)}:`, about: aboutField(field) }))
      : (fields[keys.at(-1) ?? '']?.values ?? []).map((value) => ({ word: JSON.stringify(value) }))
  return offers
    .filter(({ word }) => word.startsWith(typed.trimStart()))
    .map((offer) => ({ ...offer, word: `${kept}${leading(typed)}${offer.word}` }))
}

function leading(typed: string): string {
  return typed.slice(0, typed.length - typed.trimStart().length)
}

function aboutField({ type, required, description }: FieldFacts): string {
  const need = required ? `${type}, required` : type
  return description === undefined ? need : `${need}: ${description}`
}

function unquoted(token: string): string {
  try {
    return String(JSON.parse(token))
  } catch {
    return token
  }
}
