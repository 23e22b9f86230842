// matches() in time linear in the text: the RE2 syntax that CEL asks for, without what only backtracking can do.
// A pattern becomes a small program that follows all of its ways through the text at once.
import { type Program, parsePattern } from './linear-pattern-syntax.ts'

const literal_moves_max = 100_000
/** What it takes to read a pattern, for each instruction it becomes. */
const moves_per_instruction = 16

/** Whether the pattern matches anywhere in the text. `pay` is told how many moves were made, and may stop it by throwing. */
export function matchesLinear(text: string, pattern: string, pay: (moves: number) => void): boolean {
  const program = parsePattern(pattern)
  pay(program.length * moves_per_instruction)
  const points = Array.from(text)
  let threads = new Set<number>()
  for (let at = 0; at <= points.length; at++) {
    // A search may begin at every place, so the first instruction joins the threads each time.
    follow(program, 0, at, points.length, threads)
    pay(threads.size + 1)
    const next = new Set<number>()
    for (const place of threads) {
      const instruction = program[place]!
      if (instruction.do === 'match') return true
      if (instruction.do === 'take' && at < points.length && instruction.accepts(points[at]!)) {
        follow(program, place + 1, at + 1, points.length, next)
      }
    }
    threads = next
  }
  return false
}

/** A JSON Schema pattern on a literal; undefined for what this syntax cannot tell, or not in time. */
export function testPattern(pattern: string, text: string): boolean | undefined {
  // Beyond ASCII the two syntaxes do not mean quite the same.
  if (!/^[\x20-\x7e]*$/.test(text)) return undefined
  let left = literal_moves_max
  try {
    return matchesLinear(text, pattern, (moves) => {
      left -= moves
      if (left < 0) throw new Error('too long')
    })
  } catch {
    return undefined
  }
}

/** Adds a place and all that it leads to without taking a character. */
function follow(program: Program, from: number, at: number, end: number, threads: Set<number>): void {
  const waiting = [from]
  while (waiting.length > 0) {
    const place = waiting.pop()!
    if (threads.has(place)) continue
    threads.add(place)
    const instruction = program[place]!
    if (instruction.do === 'fork') waiting.push(...instruction.to)
    else if (instruction.do === 'begin' && at === 0) waiting.push(place + 1)
    else if (instruction.do === 'end' && at === end) waiting.push(place + 1)
  }
}
