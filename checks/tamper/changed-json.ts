// Two ways to tamper with a JSON text: another meaning, or the same meaning in other bytes.
import type { Random } from './random.ts'

type Json = Record<string, unknown>

/** A copy of an object with one changed value. */
export function changedValue(
  object: object,
  random: Random,
  spared: readonly string[] = [],
): { value: Json; where: string } {
  const value = structuredClone(object) as Json
  let holder = value
  let key = random.pick(Object.keys(holder).filter((name) => !spared.includes(name)))
  let where = key
  for (let inner = holder[key]; isObject(inner) && random.chance(0.8); inner = holder[key]) {
    if (Object.keys(inner).length === 0) break
    holder = inner
    key = random.pick(Object.keys(holder))
    where += `/${key}`
  }
  if (random.chance(0.1) && !Array.isArray(holder)) delete holder[key]
  else holder[key] = otherThan(holder[key], random)
  return { value, where }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

function otherThan(value: unknown, random: Random): unknown {
  if (typeof value === 'number') {
    const others = [value + 1, -value, value * 2, value + 2 ** -20, String(value)]
    return random.pick(others.filter((other) => other !== value))
  }
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string') return otherText(value, random).toWellFormed()
  return value === null ? random.pick([0, '', false]) : null
}

function otherText(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  const code = text.charCodeAt(at) || 0x40
  const nudged =
    text.slice(0, at) + String.fromCharCode(code === 0x7f ? 0x41 : (code & 0x7f) + 1) + text.slice(at + 1)
  return random.pick([`${text} `, `${text}\u0000`, nudged, `x${text}`])
}

interface Twin {
  readonly how: string
  write(text: string, random: Random): string
}

const twins: readonly Twin[] = [
  { how: 'a decimal point', write: (text) => text.replace(/:(\d+)([,}])/, ':$1.0$2') },
  { how: 'an exponent', write: (text) => text.replace(/:(\d+)([,}])/, ':$1e0$2') },
  { how: 'a plus in an exponent', write: (text) => text.replace('1e+21', '1e21') },
  { how: 'minus zero', write: (text) => text.replace(/:0([,}])/, ':-0$1') },
  { how: 'an escaped letter', write: (text) => text.replace('"success"', '"\\u0073uccess"') },
  { how: 'an escaped key', write: (text) => text.replace('"seq"', '"\\u0073eq"') },
  { how: 'an escaped letter beyond ASCII', write: (text) => text.replace(/[é€]/, escaped) },
  { how: 'an escaped solidus', write: (text) => text.replace('a/b', 'a\\/b') },
  { how: 'a capital in an escape', write: (text) => text.replace('\\n', '\\u000A') },
  { how: 'a space', write: (text, random) => spaced(text, random, ' ') },
  { how: 'a line break', write: (text, random) => spaced(text, random, '\r\n') },
  { how: 'a trailing return', write: (text) => `${text}\r` },
  { how: 'a leading mark', write: (text) => `\ufeff${text}` },
  {
    how: 'another key order',
    write: (text) => text.replace(/("outcome":"\w+"),("protocol":"\w+")/, '$2,$1'),
  },
  { how: 'another key order inside', write: (text) => text.replace(/("amount":\d+),("n":\d+)/, '$2,$1') },
  {
    how: 'hash before record',
    write: (text) => text.replace(/^\{("record":.*),("record_hash":"\w+")\}$/s, '{$2,$1}'),
  },
  { how: 'a key twice', write: (text) => text.replace('"outcome":', '"outcome":"refused","outcome":') },
  { how: 'the record twice', write: (text) => text.replace('{"record":', '{"record":{},"record":') },
  {
    how: 'a capital in the hash',
    write: (text) => text.replace(/[a-f](?=[0-9a-f]*"\}$)/, (c) => c.toUpperCase()),
  },
]

/**
 * The same meaning in other bytes. Not every twin applies to every text, so one that does is searched for.
 */
export function twinOf(text: string, random: Random): { text: string; how: string } {
  const first = random.below(twins.length)
  for (let i = 0; i < twins.length; i++) {
    const { how, write } = twins[(first + i) % twins.length]!
    const changed = write(text, random)
    if (changed !== text) return { text: changed, how }
  }
  throw new Error('no twin fits this text')
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** White space after a comma between members; inside a string it is a change, which is as good a forgery. */
function spaced(text: string, random: Random, space: string): string {
  const places = [...text.matchAll(/,"/g)].map((match) => match.index + 1)
  const at = random.pick(places)
  return text.slice(0, at) + space + text.slice(at)
}
