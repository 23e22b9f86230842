// SPDX license expressions: identifiers joined by AND, OR and WITH, with parentheses.
import { exception_ids, license_ids } from './spdx-ids.ts'

export const license_length_max = 500
const depth_max = 16
const own_form = /^(DocumentRef-[A-Za-z0-9.-]+:)?LicenseRef-[A-Za-z0-9.-]+$/

interface Reading {
  readonly words: readonly string[]
  place: number
}

/** The normalized expression, or why it is invalid. */
export function readLicense(text: string): { readonly license: string } | { readonly fault: string } {
  const words = text.match(/[()]|[^\s()]+/g) ?? []
  const reading: Reading = { words, place: 0 }
  try {
    const license = readAlternatives(reading, 0)
    const rest = words[reading.place]
    return rest === undefined ? { license } : { fault: `has ${rest} where it should end` }
  } catch (error) {
    if (error instanceof SyntaxError) return { fault: error.message }
    throw error
  }
}

/** AND binds tighter than OR. */
function readAlternatives(reading: Reading, depth: number): string {
  return readJoined(reading, 'OR', () => readJoined(reading, 'AND', () => readOne(reading, depth)))
}

function readJoined(reading: Reading, word: 'AND' | 'OR', readPart: () => string): string {
  const parts = [readPart()]
  while (isNext(reading, word)) {
    reading.place++
    parts.push(readPart())
  }
  return parts.join(` ${word} `)
}

function readOne(reading: Reading, depth: number): string {
  if (!isNext(reading, '(')) return readLicenseId(reading)
  if (depth >= depth_max) throw new SyntaxError(`is nested deeper than ${depth_max} parentheses`)
  reading.place++
  const inner = readAlternatives(reading, depth + 1)
  if (!isNext(reading, ')')) throw new SyntaxError('has a parenthesis that is never closed')
  reading.place++
  return `(${inner})`
}

function readLicenseId(reading: Reading): string {
  const word = reading.words[reading.place++]
  if (word === undefined) throw new SyntaxError('ends where a license should be named')
  if (own_form.test(word)) return word
  const id = licenseIdOf(word)
  if (id === undefined) throw new SyntaxError(`names ${word}, which is not on the SPDX license list`)
  if (!isNext(reading, 'WITH')) return id
  reading.place++
  const named = reading.words[reading.place++] ?? ''
  const exception = exception_ids.get(named.toLowerCase())
  if (exception === undefined)
    throw new SyntaxError(`names the exception ${named || '(none)'}, which SPDX does not list`)
  return `${id} WITH ${exception}`
}

/** A plus means: or any later version. */
function licenseIdOf(word: string): string | undefined {
  const license_id = license_ids.get(word.toLowerCase())
  if (license_id !== undefined || !word.endsWith('+')) return license_id
  const base = license_ids.get(word.slice(0, -1).toLowerCase())
  return base === undefined ? undefined : `${base}+`
}

function isNext({ words, place }: Reading, word: string): boolean {
  return words[place]?.toUpperCase() === word
}
