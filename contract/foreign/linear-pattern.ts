// A pattern that a stranger wrote, run in time proportional to the text: all its ways are followed side by side, and none is tried again.
// V8 tries one way after the other, which a short pattern can make take for ever; its own linear engine knows neither `u` nor counts above 16.

/** Steps of a pattern with its counted repetitions written out. */
const states_max = 5_000
/** Kept of what was learned about texts, so that most characters cost one look-up; past it, learning begins again. */
const learned_max = 200_000
/** Of all patterns of this thread together: there are more of them than each could have a share that is worth having. */
const learned = { count: 0, by: new Set<LinearPattern>() }
const end = -1

type Assertion = '^' | '$' | '\\b' | '\\B'

type Part =
  | { readonly atom: string }
  | { readonly assertion: Assertion }
  | { readonly sequence: readonly Part[] }
  | { readonly choice: readonly Part[] }
  | { readonly repeated: Part; readonly least: number; readonly most: number | undefined }

/** `accepts` one character and goes on, or needs none: an assertion, or a fork of several ways. */
interface State {
  readonly accepts?: (code: number) => boolean
  readonly assertion?: Assertion
  ways: number[]
}

/** Where all ways stand between two characters. */
interface Standing {
  readonly states: readonly number[]
  readonly before: 'nothing' | 'word' | 'other'
  readonly next: Map<number, Standing | 'matched'>
}

/** A RegExp to whoever is handed one; only `test` may be asked. Throws for what is no pattern, and for what takes more than linear time. */
export class LinearPattern extends RegExp {
  readonly #states: State[] = []
  readonly #first: number
  /** One for each atom of the pattern, however often it is repeated. */
  readonly #accepting = new Map<string, (code: number) => boolean>()
  #standings = new Map<string, Standing>()

  constructor(pattern: string) {
    super(pattern, 'u')
    const reading = { pattern, at: 0 }
    const whole = readChoice(reading)
    const matched = this.#add({ ways: [] })
    this.#first = this.#write(whole, matched)
    this.#accepting.clear()
  }

  /** Steps each character of a text may take at most. */
  get weight(): number {
    return this.#states.length
  }

  override test(text: string): boolean {
    let standing = this.#standing([this.#first], 'nothing')
    for (const char of text) {
      const code = char.codePointAt(0)!
      const next = standing.next.get(code) ?? this.#step(standing, code)
      if (next === 'matched') return true
      standing = next
    }
    return (standing.next.get(end) ?? this.#step(standing, end)) === 'matched'
  }

  #add(state: State): number {
    if (this.#states.length >= states_max) throw new RangeError(`it repeats more than ${states_max} steps`)
    return this.#states.push(state) - 1
  }

  /** Writes a part that goes on at `next`; answers where it begins. */
  #write(part: Part, next: number): number {
    if ('atom' in part) return this.#add({ accepts: this.#acceptingOnce(part.atom), ways: [next] })
    if ('assertion' in part) return this.#add({ assertion: part.assertion, ways: [next] })
    if ('sequence' in part) return part.sequence.reduceRight((after, one) => this.#write(one, after), next)
    if ('choice' in part) return this.#add({ ways: part.choice.map((one) => this.#write(one, next)) })
    const { repeated, least, most } = part
    let begin = next
    if (most === undefined) {
      begin = this.#add({ ways: [next] })
      this.#states[begin]!.ways.push(this.#write(repeated, begin))
    } else
      for (let i = least; i < most; i++) begin = this.#add({ ways: [next, this.#write(repeated, begin)] })
    for (let i = 0; i < least; i++) {
      const after = begin
      begin = this.#write(repeated, after)
      // Nothing was written, so it is nothing that is repeated.
      if (begin === after) break
    }
    return begin
  }

  #acceptingOnce(atom: string): (code: number) => boolean {
    const accepts = this.#accepting.get(atom) ?? accepting(atom)
    this.#accepting.set(atom, accepts)
    return accepts
  }

  #step(standing: Standing, code: number): Standing | 'matched' {
    const reached = this.#follow(standing, code)
    const before = isWord(code) ? 'word' : 'other'
    // A match may begin at every place.
    const next = reached === 'matched' ? reached : this.#standing([...reached.add(this.#first)], before)
    learned.count++
    standing.next.set(code, next)
    return next
  }

  /** The states after this character. The first state is where a match ends. */
  #follow({ states, before }: Standing, code: number): Set<number> | 'matched' {
    const [seen, reached, open] = [new Set(states), new Set<number>(), [...states]]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (at === 0) return 'matched'
      const { accepts, assertion, ways } = this.#states[at]!
      if (accepts) {
        if (code !== end && accepts(code)) reached.add(ways[0]!)
        continue
      }
      if (assertion && !holds(assertion, before, code)) continue
      for (const way of ways) {
        if (seen.has(way)) continue
        seen.add(way)
        open.push(way)
      }
    }
    return reached
  }

  #standing(states: number[], before: Standing['before']): Standing {
    const key = `${before}:${states.sort((a, b) => a - b).join()}`
    const known = this.#standings.get(key)
    if (known) return known
    if (learned.count > learned_max) LinearPattern.#forgetAll()
    learned.by.add(this)
    learned.count += states.length
    const standing: Standing = { states, before, next: new Map() }
    this.#standings.set(key, standing)
    return standing
  }

  static #forgetAll(): void {
    for (const pattern of learned.by) pattern.#standings.clear()
    learned.by.clear()
    learned.count = 0
  }
}

function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
  )
}

function holds(assertion: Assertion, before: Standing['before'], code: number): boolean {
  if (assertion === '^') return before === 'nothing'
  if (assertion === '$') return code === end
  return (assertion === '\\b') === ((before === 'word') !== isWord(code))
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
  return { atom: text }
}

function rest({ pattern, at }: Reading): string {
  return pattern.slice(at)
}
