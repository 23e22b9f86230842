// The syntax of matches(), CEL's part of RE2: literals, ., classes, groups, |, *, +, ?, {m,n}, ^ and $.
import type { Part } from '../foreign/linear-machine.ts'
import { refuse } from '../refusal.ts'

const pattern_chars_max = 500
const repeats_max = 1000
const depth_max = 20
const code_point_max = 0x10ffff

type Accepts = (code: number) => boolean
/** The first and the last code point. */
type Range = readonly [from: number, to: number]

interface Reader {
  readonly points: readonly string[]
  at: number
  depth: number
}

const digits: Range = [0x30, 0x39]
/** Each in ascending order. */
const classes: Readonly<Record<string, readonly Range[]>> = {
  d: [digits],
  w: [digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]],
  s: [
    [0x09, 0x0a],
    [0x0c, 0x0d],
    [0x20, 0x20],
  ],
}
const controls: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v' }

export function parsePattern(pattern: string): Part {
  if (pattern.length > pattern_chars_max) throw refusePattern(`has more than ${pattern_chars_max} characters`)
  const reader: Reader = { points: Array.from(pattern), at: 0, depth: 0 }
  const part = readAlternatives(reader)
  if (reader.at < reader.points.length) throw refusePattern(`has a ) too many at character ${reader.at + 1}`)
  return part
}

function readAlternatives(reader: Reader): Part {
  if (++reader.depth > depth_max) throw refusePattern('is nested too deeply')
  const choice = [readSequence(reader)]
  while (reader.points[reader.at] === '|') {
    reader.at++
    choice.push(readSequence(reader))
  }
  reader.depth--
  return { choice }
}

function readSequence(reader: Reader): Part {
  const sequence: Part[] = []
  while (reader.at < reader.points.length && !'|)'.includes(reader.points[reader.at]!))
    sequence.push(readRepeats(reader, readAtom(reader)))
  return { sequence }
}

function readAtom(reader: Reader): Part {
  const character = reader.points[reader.at++]!
  if (character === '(') return readGroup(reader)
  if (character === '^' || character === '$') return { assertion: character }
  if (character === '.') return { accepts: (code) => code !== 0x0a }
  if (character === '[') return { accepts: readClass(reader) }
  if (character === '\\') return { accepts: within(readEscape(reader)) }
  if ('*+?{'.includes(character)) throw refusePattern(`repeats nothing at character ${reader.at}`)
  return { accepts: within([only(character)]) }
}

function only(character: string): Range {
  const code = character.codePointAt(0)!
  return [code, code]
}

/** A binary search: a move has one price, however many ranges its class lists. */
function within(ranges: readonly Range[]): Accepts {
  const ordered = merge(ranges)
  return (code) => {
    let low = 0
    let high = ordered.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (ordered[middle]![1] < code) low = middle + 1
      else high = middle
    }
    return low < ordered.length && ordered[low]![0] <= code
  }
}

function merge(ranges: readonly Range[]): Range[] {
  const merged: [number, number][] = []
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    const last = merged.at(-1)
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

function complementOf(ordered: readonly Range[]): Range[] {
  const starts = [0, ...ordered.map(([, to]) => to + 1)]
  const ends = [...ordered.map(([from]) => from - 1), code_point_max]
  return starts.map((start, place) => [start, ends[place]!])
}

function readGroup(reader: Reader): Part {
  if (reader.points[reader.at] === '?') {
    if (reader.points[reader.at + 1] !== ':') throw refusePattern('may group with ( and (?: only')
    reader.at += 2
  }
  const part = readAlternatives(reader)
  if (reader.points[reader.at++] !== ')') throw refusePattern('has an open (')
  return part
}

function readEscape(reader: Reader): readonly Range[] {
  const ranges = classes[reader.points[reader.at]?.toLowerCase() ?? '']
  if (!ranges) return [only(readEscapedCharacter(reader))]
  const letter = reader.points[reader.at++]!
  return letter === letter.toLowerCase() ? ranges : complementOf(ranges)
}

function readEscapedCharacter(reader: Reader): string {
  const coded = /^(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/.exec(
    reader.points.slice(reader.at, reader.at + 5).join(''),
  )
  if (coded) {
    reader.at += coded[0].length
    return String.fromCodePoint(Number.parseInt(coded[1] ?? coded[2]!, 16))
  }
  const letter = reader.points[reader.at++]
  if (letter === undefined) throw refusePattern('ends in a backslash')
  if (Object.hasOwn(controls, letter)) return controls[letter]!
  if (/[0-9A-Za-z]/.test(letter)) throw refusePattern(`uses \\${letter}, which this matches() does not know`)
  return letter
}

function readClass(reader: Reader): Accepts {
  const inverted = reader.points[reader.at] === '^'
  if (inverted) reader.at++
  const ranges: Range[] = []
  // A ] at the very start is a literal.
  for (let first = true; first || reader.points[reader.at] !== ']'; first = false) {
    if (reader.at >= reader.points.length) throw refusePattern('has an open [')
    ranges.push(...readClassPart(reader))
  }
  reader.at++
  const accepts = within(ranges)
  return inverted ? (code) => !accepts(code) : accepts
}

function readClassPart(reader: Reader): readonly Range[] {
  const next = reader.points[reader.at + 1]
  if (reader.points[reader.at] === '\\' && classes[next?.toLowerCase() ?? '']) {
    reader.at++
    return readEscape(reader)
  }
  if (reader.points[reader.at] === '[' && next === ':')
    throw refusePattern('uses a [: :] class; write it out')
  const low = readClassCharacter(reader)
  // A - at the end, or before a class such as \d, is a literal.
  const after = reader.points[reader.at + 1]
  const is_class = after === '\\' && classes[reader.points[reader.at + 2]?.toLowerCase() ?? '']
  if (reader.points[reader.at] !== '-' || after === undefined || after === ']' || is_class) {
    return [only(low)]
  }
  reader.at++
  const high = readClassCharacter(reader)
  const [from, to] = [low.codePointAt(0)!, high.codePointAt(0)!]
  if (from > to) throw refusePattern(`has the range ${low}-${high} the wrong way round`)
  return [[from, to]]
}

function readClassCharacter(reader: Reader): string {
  const character = reader.points[reader.at++]!
  return character === '\\' ? readEscapedCharacter(reader) : character
}

function readRepeats(reader: Reader, atom: Part): Part {
  const times = readTimes(reader)
  if (!times) return atom
  // A lazy quantifier changes which match is found, not whether there is one.
  if (reader.points[reader.at] === '?') reader.at++
  const [least, most] = times
  return readRepeats(reader, { repeated: atom, least, most })
}

/** Minimum and maximum; the maximum is undefined if unbounded. */
function readTimes(reader: Reader): [number, number | undefined] | undefined {
  const sign = reader.points[reader.at]
  if (sign === '*' || sign === '+' || sign === '?') {
    reader.at++
    return [sign === '+' ? 1 : 0, sign === '?' ? 1 : undefined]
  }
  if (sign !== '{') return undefined
  const counted = /^\{(\d{1,4})(,?)(\d{0,4})\}/.exec(reader.points.slice(reader.at, reader.at + 12).join(''))
  if (!counted) throw refusePattern(`has a { that is no count at character ${reader.at + 1}; write \\{`)
  reader.at += counted[0].length
  const min = Number(counted[1])
  const max = counted[3] ? Number(counted[3]) : counted[2] ? undefined : min
  if (min > repeats_max || (max ?? 0) > repeats_max)
    throw refusePattern(`repeats more than ${repeats_max} times`)
  if (max !== undefined && max < min) throw refusePattern('repeats at least more often than at most')
  return [min, max]
}

export function refusePattern(why: string): Error {
  return refuse('invalid_payload', `The pattern of matches() ${why}.`, { reason: 'expression' })
}
