// JSON Schema patterns that a stranger wrote, run in linear time.
// V8 tries one way after the other, which a short pattern can make take for ever; its own linear engine knows neither `u` nor counts above 16.
import { type Assertion, LinearMachine, type Part } from './linear-machine.ts'

/** Steps of a pattern with its counted repetitions written out. */
const states_max = 5_000

/** A RegExp to whoever is handed one; only `test` may be asked. Throws for what is no pattern, and for what takes more than linear time. */
export class LinearPattern extends RegExp {
  readonly #machine: LinearMachine

  constructor(pattern: string) {
    super(pattern, 'u')
    this.#machine = new LinearMachine(readChoice({ pattern, at: 0, accepting: new Map() }), states_max)
  }

  /** Steps each character of a text may take at most. */
  get weight(): number {
    return this.#machine.weight
  }

  override test(text: string): boolean {
    return this.#machine.test(text)
  }
}

/** V8 is asked about one character at a time, so that a class or a property means here what it means there. */
function accepting(atom: string): (code: number) => boolean {
  if (!/^[[\\.]/.test(atom)) {
    const own = atom.codePointAt(0)
    return (code) => code === own
  }
  const one = new RegExp(`^${atom}$`, 'u')
  return (code) => one.test(String.fromCodePoint(code))
}

// Below, the pattern is known to be one that V8 takes with `u`: only what is not linear is left to be refused.

interface Reading {
  readonly pattern: string
  at: number
  /** One for each atom of the pattern, however often it stands there. */
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
