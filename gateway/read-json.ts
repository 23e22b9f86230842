// Bytes to a JSON value, safely. Depth and width are scanned before parsing, because JSON.parse would take a million levels.
import { isUtf8 } from 'node:buffer'
import { refuse } from '@svc/contract/refusal'
import { countShapes } from './count-shapes.ts'

const depth_max = 64
const keys_max = 20_000
/** Different keys, or orders of keys; fewer keys than this are not looked at. */
const shapes_max = 4_000
const elements_max = 100_000
/** Lists in lists need no comma, so they are counted apart. */
const containers_max = 50_000
/** Longer runs outside strings are no number anybody means, and a million digits are slow to parse. */
const bare_run_max = 1_000

const short_string = 256
/** Above this a body is read in steps; below, none takes longer than a few milliseconds. */
export const large_bytes = 256 * 1024
const step_bytes = 1024 * 1024

const quote = 0x22
const backslash = 0x5c

/** The parsed value, or a refusal in one sentence. Duplicate keys, lone surrogates and inexact numbers are refused too. */
export function readJson(bytes: Buffer): unknown {
  requireUtf8(bytes)
  const scanned = scanTo(bytes.length, bytes, nothing_scanned)
  requireFewShapes(bytes, scanned.keys)
  return inspected(parse(bytes.toString('utf8')), scanned.keys)
}

let last_large: Promise<unknown> = Promise.resolve()

/** One large body after the other, each in steps: whoever waits meanwhile waits for a step, not for all that was sent. */
export function readLargeJson(bytes: Buffer): Promise<unknown> {
  const reading = last_large.then(async () => {
    await nextTurn()
    requireUtf8(bytes)
    let scanned = nothing_scanned
    while (scanned.at < bytes.length) {
      scanned = scanTo(Math.min(scanned.at + step_bytes, bytes.length), bytes, scanned)
      await nextTurn()
    }
    requireFewShapes(bytes, scanned.keys)
    const text = bytes.toString('utf8')
    await nextTurn()
    const value = parse(text)
    await nextTurn()
    return inspected(value, scanned.keys)
  })
  last_large = reading.catch(() => undefined)
  return reading
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function requireUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw malformed('it is not valid UTF-8')
}

function requireFewShapes(bytes: Buffer, keys: number): void {
  if (keys <= shapes_max || countShapes(bytes, shapes_max) < shapes_max) return
  throw malformed(`its objects have more than ${shapes_max} different keys or orders of keys`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('it is not valid JSON')
  }
}

/** A key given twice is parsed once: the one place where scan and value can differ. */
function inspected(value: unknown, keys_scanned: number): unknown {
  if (inspect(value) !== keys_scanned) throw malformed('an object names the same key twice')
  return value
}

/** How far a body was scanned, and what was counted up to there. */
interface Scanned {
  readonly at: number
  readonly in_string: boolean
  readonly depth: number
  readonly keys: number
  readonly elements: number
  readonly containers: number
  readonly bare_run: number
}

const nothing_scanned: Scanned = {
  at: 0,
  in_string: false,
  depth: 0,
  keys: 0,
  elements: 0,
  containers: 0,
  bare_run: 0,
}

/** Counts on without building anything; refuses what is too deep or too wide at the first byte past the limit. */
function scanTo(until: number, bytes: Buffer, scanned: Scanned): Scanned {
  let { in_string, depth, keys, elements, containers, bare_run } = scanned
  let i = scanned.at
  while (i < until) {
    if (in_string) {
      i = endOfString(bytes, i, until)
      in_string = i >= until
      if (!in_string) i++
      continue
    }
    switch (bytes[i++]) {
      case quote:
        in_string = true
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
  return { at: i, in_string, depth, keys, elements, containers, bare_run }
}

/** Where the closing quote stands; where the string goes on past `until`, how far it was read: an escape is never cut in two. */
function endOfString(bytes: Buffer, from: number, until: number): number {
  let i = from
  for (; i < until; i++) {
    const byte = bytes[i]
    if (byte === quote) return i
    if (byte === backslash) i++
    else if (i - from === short_string) return endOfLongString(bytes, i + 1, until)
  }
  return i
}

/** Searching natively costs a call, and is fifty times as fast: it pays for long strings without escapes. */
function endOfLongString(bytes: Buffer, from: number, until: number): number {
  const rest = bytes.subarray(from, until)
  const end = rest.indexOf(quote)
  const plain = end < 0 ? rest : rest.subarray(0, end)
  const escaped = plain.indexOf(backslash)
  if (escaped < 0) return from + plain.length
  let i = from + escaped
  for (; i < until; i++) {
    const byte = bytes[i]
    if (byte === quote) return i
    if (byte === backslash) i++
  }
  return i
}

/** Counts the keys that were parsed, and refuses what RFC 8785 could not write down exactly. */
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
