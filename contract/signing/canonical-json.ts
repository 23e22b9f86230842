// RFC 8785 (JCS): the one byte form of a JSON value, so that two parties hash the same bytes.
import { hash } from 'node:crypto'

const depth_max = 128

/** The canonical text of a JSON value. Throws a TypeError for what JSON cannot represent. */
export function canonicalJson(value: unknown): string {
  // Our own values mostly have ordered keys already: then the native writer gives the canonical text at once.
  return isInOrder(value, 0) ? JSON.stringify(value) : write(value, 0)
}

/** Throws for what JSON cannot represent; false where an object's keys are out of order or not its own. */
function isInOrder(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return requireWellFormed(value)
  if (typeof value === 'number') return requireFinite(value)
  if (typeof value === 'boolean' || value === null) return true
  if (typeof value !== 'object') throw new TypeError(`${typeof value} is not a JSON value`)
  if (depth >= depth_max) throw new TypeError(`nested deeper than ${depth_max} levels`)
  if (Array.isArray(value)) return isListInOrder(value, depth + 1)
  refuseToJson(value)
  let previous = ''
  for (const key in value) {
    if (key < previous || !Object.hasOwn(value, key) || !key.isWellFormed()) return false
    previous = key
    const member = (value as Record<string, unknown>)[key]
    if (member !== undefined && !isInOrder(member, depth + 1)) return false
  }
  return true
}

/** Not `every`, which skips holes: JSON has none, and the native writer would turn one into null. */
function isListInOrder(values: readonly unknown[], depth: number): boolean {
  for (const value of values) if (!isInOrder(value, depth)) return false
  return true
}

/** `sha256:<64 hex>` over the canonical text: the address of a content-addressed object. */
export function contentHash(value: unknown): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`
}

export function sha256Hex(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

/** By way of a text, because Node then takes the bytes from its pool: half the time, and nothing for the collector to follow. */
export function sha256Bytes(bytes: string | Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes, 'latin1'), 'latin1')
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value)
    case 'number':
      requireFinite(value)
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
  refuseToJson(object)
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

// JSON.stringify escapes exactly as RFC 8785 requires, but would silently escape a lone surrogate, which has no UTF-8 form.
function writeString(text: string): string {
  requireWellFormed(text)
  return JSON.stringify(text)
}

function requireWellFormed(text: string): true {
  if (!text.isWellFormed()) throw new TypeError('a string holds a lone surrogate')
  return true
}

function requireFinite(value: number): true {
  if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`)
  return true
}

// A Date has no keys of its own: accepted, every time would hash as the empty object.
function refuseToJson(object: object): void {
  if ('toJSON' in object && typeof object.toJSON === 'function') {
    throw new TypeError('an object with toJSON is not a JSON value')
  }
}
