// Runs a pattern in time proportional to the text: all alternatives advance in parallel, without backtracking.

/** Cached transitions, so that most characters cost one lookup; when full, the cache starts over. */
const learned_max = 200_000
/** In one place of a pattern: a text of ever new characters would fill the cache without using it. */
const learned_characters_max = 1_000
/** Of all patterns of this thread together: there are too many for a useful share each. */
const learned = { count: 0, by: new Set<LinearMachine>() }
const end = -1
const written_per_state_max = 20

export type Assertion = '^' | '$' | '\\b' | '\\B'

/** A parsed pattern, whatever its syntax. */
export type Part =
  | { readonly accepts: (code: number) => boolean }
  | { readonly assertion: Assertion }
  | { readonly sequence: readonly Part[] }
  | { readonly choice: readonly Part[] }
  | { readonly repeated: Part; readonly least: number; readonly most: number | undefined }

/** `accepts` one character and continues, or needs none: an assertion, or a fork. */
interface State {
  readonly accepts?: (code: number) => boolean
  /** The same for the copies of a repeated part. */
  readonly test?: number
  readonly assertion?: Assertion
  ways: number[]
}

/** The set of active states between two characters. */
interface Standing {
  readonly states: readonly number[]
  readonly before: 'nothing' | 'word' | 'other'
  readonly next: Map<number, Standing | 'matched'>
  /** States that may consume a character. */
  width?: number
}

export class LinearMachine {
  readonly #states: State[] = []
  readonly #states_max: number
  readonly #first: number
  readonly #standings = new Map<string, Standing>()
  readonly #tests = new Map<(code: number) => boolean, number>()
  /** By state, the last walk that visited it: a new set for each character would take most of the time. */
  readonly #visited: Uint32Array
  #walk = 0
  #written = 0
  #learned = 0

  /** Throws a RangeError where expanding counted repetitions takes more states. */
  constructor(whole: Part, states_max: number) {
    this.#states_max = states_max
    const matched = this.#add({ ways: [] })
    this.#first = this.#write(whole, matched)
    this.#visited = new Uint32Array(this.#states.length)
  }

  /** Maximum steps per character of a text. */
  get weight(): number {
    return this.#states.length
  }

  /** Whether it matches anywhere. `pay` is called with the steps, the same for the same text, and may stop it by throwing. */
  test(text: string, pay?: (steps: number) => void): boolean {
    let standing = this.#standing([this.#first], 'nothing')
    for (const char of text) {
      pay?.(this.#widthOf(standing))
      const code = char.codePointAt(0)!
      const next = standing.next.get(code) ?? this.#step(standing, code)
      if (next === 'matched') return true
      standing = next
    }
    pay?.(this.#widthOf(standing))
    return (standing.next.get(end) ?? this.#step(standing, end)) === 'matched'
  }

  /** For a machine that is no longer used: frees its cache. */
  forget(): void {
    this.#standings.clear()
    learned.count -= this.#learned
    learned.by.delete(this)
    this.#learned = 0
  }

  #add(state: State): number {
    if (this.#states.length >= this.#states_max) throw this.#tooMany()
    return this.#states.push(state) - 1
  }

  #tooMany(): RangeError {
    return new RangeError(`it repeats more than ${this.#states_max} steps`)
  }

  /** Compiles a part that continues at `next`; returns its start. */
  #write(part: Part, next: number): number {
    // Empty parts add no states, but take time.
    if (++this.#written > this.#states_max * written_per_state_max) throw this.#tooMany()
    if ('accepts' in part) {
      const test = this.#tests.get(part.accepts) ?? this.#tests.size
      this.#tests.set(part.accepts, test)
      return this.#add({ accepts: part.accepts, test, ways: [next] })
    }
    if ('assertion' in part) return this.#add({ assertion: part.assertion, ways: [next] })
    if ('sequence' in part) return part.sequence.reduceRight((after, one) => this.#write(one, after), next)
    if ('choice' in part) {
      // Many empty alternatives are one way, not many in each repetition.
      const ways = [...new Set(part.choice.map((one) => this.#write(one, next)))]
      return ways.length === 1 ? ways[0]! : this.#add({ ways })
    }
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
      // An empty part: repeating it changes nothing.
      if (begin === after) break
    }
    return begin
  }

  #step(standing: Standing, code: number): Standing | 'matched' {
    const reached = this.#follow(standing, code)
    const next = reached === 'matched' ? reached : this.#standing(reached, isWord(code) ? 'word' : 'other')
    if (standing.next.size < learned_characters_max) {
      this.#learn(1)
      standing.next.set(code, next)
    }
    return next
  }

  /** The states after this character. The first state is the accepting one. */
  #follow({ states, before }: Standing, code: number): number[] | 'matched' {
    const open = this.#openStates(states, (assertion) => holds(assertion, before, code))
    if (this.#visited[0] === this.#walk) return 'matched'
    this.#walk++
    const reached: number[] = []
    const results: boolean[] = []
    // A match may begin at any position.
    this.#visit(this.#first, reached)
    for (const at of open) {
      const { accepts, test, ways } = this.#states[at]!
      if (!accepts || code === end) continue
      results[test!] ??= accepts(code)
      if (results[test!]) this.#visit(ways[0]!, reached)
    }
    return reached
  }

  /** These states, and those reachable without a character. */
  #openStates(states: readonly number[], isPassed: (assertion: Assertion) => boolean): number[] {
    this.#walk++
    const open: number[] = []
    for (const at of states) this.#visit(at, open)
    // Iterating a list also visits elements added on the way.
    for (const at of open) {
      const { accepts, assertion, ways } = this.#states[at]!
      if (accepts || (assertion && !isPassed(assertion))) continue
      for (const way of ways) this.#visit(way, open)
    }
    return open
  }

  #visit(at: number, list: number[]): void {
    if (this.#visited[at] === this.#walk) return
    this.#visited[at] = this.#walk
    list.push(at)
  }

  #widthOf(standing: Standing): number {
    standing.width ??= this.#openStates(standing.states, () => true).length
    return standing.width
  }

  #standing(states: number[], before: Standing['before']): Standing {
    const key = before + String.fromCharCode(...states.sort((a, b) => a - b))
    const interned = this.#standings.get(key)
    if (interned) return interned
    if (learned.count > learned_max) forgetAll()
    learned.by.add(this)
    this.#learn(states.length)
    const standing: Standing = { states, before, next: new Map() }
    this.#standings.set(key, standing)
    return standing
  }

  #learn(count: number): void {
    this.#learned += count
    learned.count += count
  }
}

function forgetAll(): void {
  for (const machine of learned.by) machine.forget()
  learned.count = 0
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
