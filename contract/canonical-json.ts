// RFC 8785 (JCS): the one byte form of a JSON value, so that two parties hash the same bytes.
import { hash } from 'node:crypto'

const depth_max = 128

/** The canonical text of a JSON value. Throws a TypeError for what JSON cannot carry. */
export function canonicalJson(value: unknown): string {
  return write(value, 0)
}

/** `sha256:<64 hex>` over the canonical text: the address of a content-addressed object. */
export function contentHash(value: unknown): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`
}

export function sha256Hex(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`)
      // ECMAScript's number form is RFC 8785's; only minus zero differs, and JSON.stringify already writes it as 0.
      return Object.is(value, -0) ? '0' : String(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (depth >= depth_max) throw new TypeError(`nested deeper than ${depth_max} levels`)
      return Array.isArray(value)
        ? writeArray(value, depth)
        : writeObject(value as Record<string, unknown>, depth)
    default:
      throw new TypeError(`${typeof value} is not a JSON value`)
  }
}

function writeArray(values: unknown[], depth: number): string {
  let text = '['
  for (let i = 0; i < values.length; i++) text += (i ? ',' : '') + write(values[i], depth + 1)
  return text + ']'
}

function writeObject(object: Record<string, unknown>, depth: number): string {
  // A Date has no keys of its own: unrefused, every moment would hash as the empty object.
  if (typeof object.toJSON === 'function') throw new TypeError('an object with toJSON is not a JSON value')
  // Default sort compares UTF-16 code units, which is the order RFC 8785 asks for.
  const keys = Object.keys(object).sort()
  let text = '{'
  for (const key of keys) {
    const member = object[key]
    if (member === undefined) continue
    text += `${text.length > 1 ? ',' : ''}${writeString(key)}:${write(member, depth + 1)}`
  }
  return text + '}'
}

// JSON.stringify escapes exactly as RFC 8785 asks, but would quietly escape a lone surrogate that has no UTF-8 form.
function writeString(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('a string holds a lone surrogate')
  return JSON.stringify(text)
}
