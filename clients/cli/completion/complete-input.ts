// Completing JSON that is being typed behind --input: the fields of the operation that are not there yet, and the values
// a field may have. Only the outermost object; what is inside a field is the caller's.
import type { FieldFacts } from '../calls/completions-data.ts'

export interface Offer {
  /** What replaces the word. */
  readonly word: string
  readonly about?: string
}

/** Longer than anybody types by hand; a shell waits while it is read. */
const word_chars_max = 10_000

export function completeInput(word: string, fields: Readonly<Record<string, FieldFacts>>): Offer[] {
  if (word.length > word_chars_max) return []
  if (word.trim() === '') return offersAt({ kept: '{', keys: [], expects: 'key' }, '', fields)
  const place = placeIn(word)
  return place ? offersAt(place, word.slice(place.kept.length), fields) : []
}

interface Place {
  /** What is typed and stays. */
  readonly kept: string
  /** The fields that are there already. */
  readonly keys: readonly string[]
  /** A key, or the value of the last one. */
  readonly expects: 'key' | 'value'
}

/** Where the cursor stands; undefined inside a field's own object or list, and behind a finished value. */
function placeIn(word: string): Place | undefined {
  const keys: string[] = []
  let depth = 0
  let expects: 'key' | 'value' | undefined
  let kept_chars = 0
  // Tokens of JSON; the last text may still be open.
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
