// Converts JSON to CEL and back. Objects become maps, because the library reads `constructor` of objects.
import { refuse } from '../refusal.ts'

const result_values_max = 100_000
const result_chars_max = 1_048_576
const depth_max = 64

export function toCel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCel)
  if (typeof value !== 'object' || value === null) return value
  return new Map(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, toCel(member)]),
  )
}

/** Bounded: a value with shared parts can be much larger as JSON than in memory. */
export function fromCel(value: unknown): unknown {
  return convert(value, { values: result_values_max, chars: result_chars_max }, 0)
}

interface Room {
  values: number
  chars: number
}

function convert(value: unknown, room: Room, depth: number): unknown {
  if (--room.values < 0 || depth > depth_max) throw refuseResult('is too large; keep less of it')
  switch (typeof value) {
    case 'boolean':
      return value
    case 'string':
      return takeText(value, room)
    case 'number':
      if (Number.isFinite(value)) return value
      throw refuseResult('is no JSON number; guard the division')
    case 'bigint':
      if (Number.isSafeInteger(Number(value))) return Number(value)
      throw refuseResult('is too large for a JSON number; write string(…)')
    case 'object':
      return value === null ? null : convertObject(value, room, depth)
    default:
      throw refuseResult('has no JSON form')
  }
}

function convertObject(value: object, room: Room, depth: number): unknown {
  if (Array.isArray(value)) return value.map((element) => convert(element, room, depth + 1))
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return takeText(Buffer.from(value).toString('base64'), room)
  const entries = value instanceof Map ? [...value] : isPlain(value) ? Object.entries(value) : undefined
  if (entries) {
    // fromEntries defines every key as an own property, even `__proto__`.
    return Object.fromEntries(
      entries.map(([key, member]) => [takeText(String(key), room), convert(member, room, depth + 1)]),
    )
  }
  if ('seconds' in value && 'nanos' in value) return `${value}`
  const whole = value.valueOf()
  if (typeof whole === 'bigint') return convert(whole, room, depth)
  throw refuseResult('has no JSON form')
}

function takeText(text: string, room: Room): string {
  room.chars -= text.length
  if (room.chars < 0) throw refuseResult('is too large; keep less of it')
  return text
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function refuseResult(why: string): Error {
  return refuse('invalid_payload', `The value of the expression ${why}.`, { reason: 'expression' })
}
