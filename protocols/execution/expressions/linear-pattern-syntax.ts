// The syntax of matches(): literals, ., classes, groups, |, *, +, ?, {m,n}, ^ and $.
import { refuse } from '@svc/contract/refusal'

const pattern_chars_max = 500
const repeats_max = 1000
const instructions_max = 2000
const depth_max = 20

export type Instruction =
  | { readonly do: 'take'; readonly accepts: (character: string) => boolean }
  | { readonly do: 'fork'; readonly to: readonly number[] }
  | { readonly do: 'begin' | 'end' | 'match' }
export type Program = readonly Instruction[]

/** A part of a program whose jumps are relative to its own beginning, so parts can be joined. */
type Part = Instruction[]

interface Reader {
  readonly points: readonly string[]
  at: number
  depth: number
}

const classes: Readonly<Record<string, (character: string) => boolean>> = {
  d: (c) => c >= '0' && c <= '9',
  w: (c) => /^[0-9A-Za-z_]$/.test(c),
  s: (c) => /^[\t\n\f\r ]$/.test(c),
}
const controls: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v' }

export function parsePattern(pattern: string): Program {
  if (pattern.length > pattern_chars_max) throw refusePattern(`has more than ${pattern_chars_max} characters`)
  const reader: Reader = { points: Array.from(pattern), at: 0, depth: 0 }
  const part = readAlternatives(reader)
  if (reader.at < reader.points.length) throw refusePattern(`has a ) too many at character ${reader.at + 1}`)
  return [...part, { do: 'match' }]
}

function readAlternatives(reader: Reader): Part {
  if (++reader.depth > depth_max) throw refusePattern('is nested too deeply')
  let part = readSequence(reader)
  while (reader.points[reader.at] === '|') {
    reader.at++
    const other = readSequence(reader)
    part = bounded([
      { do: 'fork', to: [1, part.length + 2] },
      ...shift(part, 1),
      { do: 'fork', to: [part.length + other.length + 2] },
      ...shift(other, part.length + 2),
    ])
  }
  reader.depth--
  return part
}

function readSequence(reader: Reader): Part {
  let part: Part = []
  while (
    reader.at < reader.points.length &&
    reader.points[reader.at] !== '|' &&
    reader.points[reader.at] !== ')'
  ) {
    const next = readRepeats(reader, readAtom(reader))
    part = bounded([...part, ...shift(next, part.length)])
  }
  return part
}

function readAtom(reader: Reader): Part {
  const character = reader.points[reader.at++]!
  if (character === '(') return readGroup(reader)
  if (character === '^') return [{ do: 'begin' }]
  if (character === '$') return [{ do: 'end' }]
  if (character === '.') return [{ do: 'take', accepts: (c) => c !== '\n' }]
  if (character === '[') return [{ do: 'take', accepts: readClass(reader) }]
  if (character === '\\') return [{ do: 'take', accepts: readEscape(reader) }]
  if ('*+?{'.includes(character)) throw refusePattern(`repeats nothing at character ${reader.at}`)
  return [{ do: 'take', accepts: (c) => c === character }]
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

function readEscape(reader: Reader): (character: string) => boolean {
  const known = classes[reader.points[reader.at]?.toLowerCase() ?? '']
  if (!known) {
    const escaped = readEscapedCharacter(reader)
    return (c) => c === escaped
  }
  const letter = reader.points[reader.at++]!
  return letter === letter.toLowerCase() ? known : (c) => !known(c)
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

function readClass(reader: Reader): (character: string) => boolean {
  const inverted = reader.points[reader.at] === '^'
  if (inverted) reader.at++
  const accepts: ((character: string) => boolean)[] = []
  // A ] right at the start is a character like any other.
  for (let first = true; first || reader.points[reader.at] !== ']'; first = false) {
    if (reader.at >= reader.points.length) throw refusePattern('has an open [')
    accepts.push(readClassPart(reader))
  }
  reader.at++
  return (c) => accepts.some((accept) => accept(c)) !== inverted
}

function readClassPart(reader: Reader): (character: string) => boolean {
  const next = reader.points[reader.at + 1]
  if (reader.points[reader.at] === '\\' && classes[next?.toLowerCase() ?? '']) {
    reader.at++
    return readEscape(reader)
  }
  if (reader.points[reader.at] === '[' && next === ':')
    throw refusePattern('uses a [: :] class; write it out')
  const low = readClassCharacter(reader)
  // A - at the end, or before a class such as \d, is a character like any other.
  const after = reader.points[reader.at + 1]
  const is_class = after === '\\' && classes[reader.points[reader.at + 2]?.toLowerCase() ?? '']
  if (reader.points[reader.at] !== '-' || after === undefined || after === ']' || is_class) {
    return (c) => c === low
  }
  reader.at++
  const high = readClassCharacter(reader)
  const [from, to] = [low.codePointAt(0)!, high.codePointAt(0)!]
  if (from > to) throw refusePattern(`has the range ${low}-${high} the wrong way round`)
  return (c) => c.codePointAt(0)! >= from && c.codePointAt(0)! <= to
}

function readClassCharacter(reader: Reader): string {
  const character = reader.points[reader.at++]!
  return character === '\\' ? readEscapedCharacter(reader) : character
}

function readRepeats(reader: Reader, atom: Part): Part {
  const times = readTimes(reader)
  if (!times) return atom
  // A lazy quantifier finds another match, but never whether there is one.
  if (reader.points[reader.at] === '?') reader.at++
  const [min, max] = times
  let part: Part = []
  const add = (more: Part) => {
    part = bounded([...part, ...shift(more, part.length)])
  }
  for (let count = 0; count < min; count++) add(atom)
  if (max === undefined) {
    add([{ do: 'fork', to: [1, atom.length + 2] }, ...shift(atom, 1), { do: 'fork', to: [0] }])
  } else {
    for (let count = min; count < max; count++)
      add([{ do: 'fork', to: [1, atom.length + 1] }, ...shift(atom, 1)])
  }
  return readRepeats(reader, part)
}

/** The least and most times; the most is undefined where there is no end. */
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

function shift(part: readonly Instruction[], by: number): Part {
  return part.map((one) => (one.do === 'fork' ? { do: 'fork', to: one.to.map((place) => place + by) } : one))
}

function bounded(part: Part): Part {
  if (part.length > instructions_max) throw refusePattern('is too large once its repeats are written out')
  return part
}

function refusePattern(why: string): Error {
  return refuse('invalid_payload', `The pattern of matches() ${why}.`, { reason: 'expression' })
}
