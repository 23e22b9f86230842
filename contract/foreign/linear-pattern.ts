// Untrusted JSON Schema patterns, run in linear time. V8 backtracks, which a short pattern can make endless; its own linear engine
// supports neither `u` nor counts above 16.
import { type Assertion, LinearMachine, type Part } from './linear-machine.ts'

/** Steps of a pattern after expanding its counted repetitions. */
const states_max = 5_000

/** Stands in for a RegExp; only `test` may be called. Throws for an invalid pattern, and for one that is not linear. */
export class LinearPattern extends RegExp {
  readonly #machine: LinearMachine

  constructor(pattern: string) {
    super(pattern, 'u')
    this.#machine = new LinearMachine(readChoice({ pattern, at: 0, accepting: new Map() }), states_max)
  }

  /** Maximum steps per character of a text. */
  get weight(): number {
    return this.#machine.weight
  }

  override test(text: string): boolean {
    return this.#machine.test(text)
  }
}

/** V8 is asked about one character at a time, so that a class or property means the same as in V8. */
function accepting(atom: string): (code: number) => boolean {
  if (!/^[[\\.]/.test(atom)) {
    const own = atom.codePointAt(0)
    return (code) => code === own
  }
  const one = new RegExp(`^${atom}$`, 'u')
  return (code) => one.test(String.fromCodePoint(code))
}

// From here on V8 has accepted the pattern with `u`: only non-linear constructs remain to be refused.

interface Reading {
  readonly pattern: string
  at: number
  /** One per atom of the pattern, however often it occurs. */
  readonly accepting: Map<string, (code: number) => boolean>
}

function readChoice(reading: Reading): Part {
  const choice = [readSequence(reading)]
  while (reading.pattern[reading.at] === '|') {
    reading.at++
    choice.push(readSequence(reading))
  }
  return choice.length === 1 ? choice[0]! : { choice }
}

function readSequence(reading: Reading): Part {
  const sequence: Part[] = []
  while (reading.at < reading.pattern.length && !/[|)]/.test(reading.pattern[reading.at]!))
    sequence.push(readRepeated(reading))
  return { sequence }
}

function readRepeated(reading: Reading): Part {
  const repeated = reading.pattern[reading.at] === '(' ? readGroup(reading) : readOne(reading)
  const [text, mark, least, range, most] = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/.exec(rest(reading)) ?? []
  if (text === undefined) return repeated
  reading.at += text.length
  if (mark) return { repeated, least: mark === '+' ? 1 : 0, most: mark === '?' ? 1 : undefined }
  if (range === undefined) return { repeated, least: Number(least), most: Number(least) }
  return { repeated, least: Number(least), most: most ? Number(most) : undefined }
}

function readGroup(reading: Reading): Part {
  const opening = /^\((?:\?:|\?<[^=!][^>]*>|(?!\?))/u.exec(rest(reading))
  if (!opening) throw new SyntaxError('it looks ahead or behind, or changes its flags')
  reading.at += opening[0].length
  const inner = readChoice(reading)
  reading.at++
  return inner
}

const atom_form =
  /^(?:\[(?:[^\]\\]|\\.)*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u.{4}|\\x..|\\c.|\\?.)/su

function readOne(reading: Reading): Part {
  const [text] = atom_form.exec(rest(reading))!
  reading.at += text.length
  if (/^\\[1-9k]/.test(text)) throw new SyntaxError('it refers back to what it matched')
  if (/^(?:\^|\$|\\[bB])$/.test(text)) return { assertion: text as Assertion }
  const accepts = reading.accepting.get(text) ?? accepting(text)
  reading.accepting.set(text, accepts)
  return { accepts }
}

function rest({ pattern, at }: Reading): string {
  return pattern.slice(at)
}
