// Changes an input a little: characters, ranges, words of the parser, numbers, and parts of a JSON value.
import type { Random } from './random.ts'

export const input_chars_max = 4_096
const changes_max = 4
const repeats_max = 200

/** Characters, numbers and values that parsers get wrong. */
const odd_characters = [
  ...' \t\r\n"\'`\\/()[]{}<>,;:.+-*?|^$&%#@!=~_0aZ\0\x7f\x80\xff\u00a0\u0130\u2028\ufeff\ufffd\u{1f600}',
  ...['\ud800', '\udc00'],
]
const odd_numbers = [
  ...'0 -0 1 -1 00 01 .5 1. 1e3 1e308 1e309 -1e999 5e-324 0x10 NaN 63 64 65 255 256 65536'.split(' '),
  ...['2147483648', '4294967296', '9007199254740993', '9'.repeat(30)],
]
const odd_values: readonly unknown[] = [
  ...['', ' ', '0', '__proto__', 'constructor', '\0', '\ud800', null, true, false],
  ...[0, -0, -1, 0.5, 1e308, 2 ** 53],
  ...[[], {}, [[]], [null], { '': null }, { toString: 1 }, { length: 1 }],
]

export interface Material {
  readonly random: Random
  readonly words: readonly string[]
  /** Inputs to take parts from. */
  readonly others: readonly string[]
  /** Whether inputs are JSON, changed as values more often than as text. */
  readonly is_json: boolean
}

export function mutate(input: string, material: Material): string {
  const { random, is_json } = material
  let result = input
  for (let change = 0; change <= random.below(changes_max); change++) {
    const value = is_json && random.below(4) > 0 ? parsed(result) : undefined
    result =
      value === undefined
        ? random.pick(text_changes)(result, material)
        : JSON.stringify(changed(value, material))
    result = (result ?? 'null').slice(0, input_chars_max)
  }
  return result
}

type TextChange = (text: string, material: Material) => string

const text_changes: readonly TextChange[] = [
  (text, { random }) => replaced(text, range(text, random, 1), random.pick(odd_characters)),
  (text, { random }) => replaced(text, range(text, random, 1), String.fromCharCode(32 + random.below(95))),
  (text, { random }) => replaced(text, range(text, random, 0), random.pick(odd_characters)),
  (text, { random }) => replaced(text, range(text, random), ''),
  (text, { random }) => replaced(text, range(text, random, 4), ''),
  (text, { random, words }) => replaced(text, range(text, random, 0), words.length ? random.pick(words) : ''),
  (text, { random, words }) => replaced(text, range(text, random, 8), words.length ? random.pick(words) : ''),
  (text, { random }) => replaced(text, range(text, random, 0), slice(text, range(text, random))),
  (text, { random }) => replaced(text, range(text, random), slice(text, range(text, random))),
  (text, { random, others }) =>
    replaced(text, range(text, random), part(random.pick([text, ...others]), random)),
  (text, { random, others }) => {
    const other = random.pick([text, ...others])
    return text.slice(0, random.below(text.length + 1)) + other.slice(random.below(other.length + 1))
  },
  (text, { random }) => {
    const [from, to] = range(text, random, 4)
    return replaced(text, [from, to], text.slice(from, to).repeat(2 + random.below(repeats_max)))
  },
  (text, { random }) => {
    const numbers = [...text.matchAll(/-?\d+(?:\.\d+)?/g)]
    if (numbers.length === 0) return text + random.pick(odd_numbers)
    const { 0: number, index } = random.pick(numbers)
    return replaced(text, [index, index + number.length], random.pick(odd_numbers))
  },
]

type Range = readonly [from: number, to: number]

function range(text: string, random: Random, chars_max = text.length): Range {
  const from = random.below(text.length + 1)
  const chars = chars_max === 0 ? 0 : 1 + random.below(chars_max)
  return [from, Math.min(text.length, from + chars)]
}

function slice(text: string, [from, to]: Range): string {
  return text.slice(from, to)
}

function part(text: string, random: Random): string {
  return slice(text, range(text, random))
}

function replaced(text: string, [from, to]: Range, by: string): string {
  return text.slice(0, from) + by + text.slice(to)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One change somewhere in the value: each level goes deeper more often than not. */
function changed(value: unknown, material: Material): unknown {
  const { random } = material
  const is_container = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  if (!is_container || random.below(5) === 0) return instead(value, material)
  if (Array.isArray(value)) return changedList(value, material)
  const entries = Object.entries(value)
  const place = random.below(entries.length)
  const [key, member] = entries[place]!
  const choice = random.below(10)
  if (choice === 0) entries.splice(place, 1)
  else if (choice === 1)
    entries.push([material.words.length ? random.pick(material.words) : key, anyValue(material)])
  else if (choice === 2) entries[place] = [random.pick([...material.words, key]), member]
  else entries[place] = [key, changed(member, material)]
  return Object.fromEntries(entries)
}

function changedList(list: readonly unknown[], material: Material): unknown[] {
  const { random } = material
  const place = random.below(list.length)
  const choice = random.below(8)
  if (choice === 0) return list.toSpliced(place, 1)
  if (choice === 1) return list.toSpliced(place, 0, anyValue(material))
  if (choice === 2) return list.toSpliced(place, 0, list[random.below(list.length)])
  if (choice === 3)
    return list.flatMap((item, at) => (at === place ? Array(1 + random.below(20)).fill(item) : [item]))
  return list.with(place, changed(list[place], material))
}

function instead(value: unknown, material: Material): unknown {
  const { random } = material
  if (typeof value === 'string' && random.below(3) > 0) return random.pick(text_changes)(value, material)
  if (typeof value === 'number' && random.below(3) > 0)
    return value + random.pick([-1, 1, 0.5, 2 ** 31, -(2 ** 53)])
  if (random.below(6) === 0)
    return random.below(2) === 0 ? [value] : { [random.pick(['', ...material.words])]: value }
  return anyValue(material)
}

function anyValue({ random, words, others }: Material): unknown {
  const choice = random.below(4)
  if (choice === 0 && words.length > 0) return random.pick(words)
  if (choice > 1 || others.length === 0) return random.pick(odd_values)
  let value = parsed(random.pick(others))
  while (typeof value === 'object' && value !== null && random.below(4) > 0 && Object.keys(value).length > 0)
    value = random.pick(Object.values(value))
  return value ?? null
}
