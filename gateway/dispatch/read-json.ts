// Bytes to a JSON value, safely. Depth and width are scanned before parsing, because JSON.parse would take a million levels.
import { isUtf8 } from 'node:buffer'
import { refuse } from '@svc/contract/refusal'
import { countShapes } from './count-shapes.ts'

const depth_max = 64
/** Below `large_bytes` fewer fit; more are read in a thread of their own, and cost as much for each byte. */
const keys_max = 80_000
/** Different keys, or orders of keys; not checked below this number of keys. */
const shapes_max = 4_000
const elements_max = 100_000
/** Lists in lists need no comma, so they are counted separately. */
const containers_max = 50_000
/** A longer run outside strings is no sensible number, and a million digits are slow to parse. */
const bare_run_max = 1_000

const short_string = 256
const quote = 0x22
const backslash = 0x5c

/** The parsed value, or a refusal. Duplicate keys, lone surrogates and inexact numbers are refused too. */
export function readJson(bytes: Buffer): unknown {
  const keys_scanned = scan(bytes)
  requireFewShapes(bytes, keys_scanned)
  return inspected(parse(bytes), keys_scanned)
}

function requireFewShapes(bytes: Buffer, keys: number): void {
  if (keys <= shapes_max || countShapes(bytes, shapes_max) < shapes_max) return
  throw malformed(`its objects have more than ${shapes_max} different keys or orders of keys`)
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw malformed('it is not valid JSON')
  }
}

/** A duplicate key is parsed once: the only place where scan and value can differ. */
function inspected(value: unknown, keys_scanned: number): unknown {
  if (inspect(value) !== keys_scanned) throw malformed('an object names the same key twice')
  return value
}

/** Counts the keys of all objects without building anything; refuses excess depth or width at the first byte past the limit. */
function scan(bytes: Buffer): number {
  if (!isUtf8(bytes)) throw malformed('it is not valid UTF-8')
  let depth = 0
  let keys = 0
  let elements = 0
  let containers = 0
  let bare_run = 0
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case quote:
        i = endOfString(bytes, i + 1)
        bare_run = 0
        break
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > depth_max) throw malformed(`it is nested deeper than ${depth_max} levels`)
        if (++containers > containers_max)
          throw malformed(`it holds more than ${containers_max} lists and objects`)
        bare_run = 0
        break
      case 0x7d: // }
      case 0x5d: // ]
        depth--
        bare_run = 0
        break
      case 0x3a: // :
        if (++keys > keys_max) throw malformed(`it holds more than ${keys_max} keys`)
        bare_run = 0
        break
      case 0x2c: // ,
        if (++elements > elements_max) throw malformed(`it holds more than ${elements_max} elements`)
        bare_run = 0
        break
      default:
        if (++bare_run > bare_run_max)
          throw malformed(`it holds a number or gap of more than ${bare_run_max} characters`)
    }
  }
  return keys
}

function endOfString(bytes: Buffer, from: number): number {
  for (let i = from; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === quote) return i
    if (byte === backslash) i++
    else if (i - from === short_string) return endOfLongString(bytes, i + 1)
  }
  return bytes.length
}

/** A native search costs a call, and is fifty times as fast: worth it for long strings without escapes. */
function endOfLongString(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(quote, from)
  const until = end < 0 ? bytes.length : end
  const escaped = bytes.subarray(from, until).indexOf(backslash)
  if (escaped < 0) return until
  for (let i = from + escaped; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === quote) return i
    if (byte === backslash) i++
  }
  return bytes.length
}

/** Counts the parsed keys, and refuses what RFC 8785 could not write exactly. */
function inspect(value: unknown): number {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw malformed('a string holds a lone surrogate')
    // PostgreSQL text cannot hold it, and nobody means it.
    if (value.includes('\0')) throw malformed('a string holds a NUL character')
    return 0
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      throw malformed('a number is too large to be exact; send it as a string')
    }
    return 0
  }
  if (typeof value !== 'object' || value === null) return 0
  let keys = 0
  if (Array.isArray(value)) {
    for (const element of value) keys += inspect(element)
    return keys
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || key.includes('\0') || !key.isWellFormed())
      throw malformed('an object key is not allowed')
    keys += 1 + inspect((value as Record<string, unknown>)[key])
  }
  return keys
}

function malformed(why: string) {
  return refuse('invalid_request', `The request body cannot be read: ${why}.`, { reason: 'malformed body' })
}
