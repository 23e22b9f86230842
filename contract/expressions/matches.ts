// matches() in linear time: the RE2 syntax that CEL requires, without anything that needs backtracking.
import { LinearMachine } from '../foreign/linear-machine.ts'
import { parsePattern, refusePattern } from './matches-syntax.ts'

const states_max = 2_000
const literal_moves_max = 100_000
/** The cost of parsing a pattern, per state. */
const moves_per_state = 16

/** Whether the pattern matches anywhere in the text. `pay` gets the number of moves and may throw to stop. */
export function matchesLinear(text: string, pattern: string, pay: (moves: number) => void): boolean {
  const machine = machineOf(pattern)
  try {
    pay(machine.weight * moves_per_state)
    return machine.test(text, pay)
  } finally {
    machine.forget()
  }
}

function machineOf(pattern: string): LinearMachine {
  const part = parsePattern(pattern)
  try {
    return new LinearMachine(part, states_max)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw refusePattern('is too large once its repeats are written out')
  }
}

/** Tests a JSON Schema pattern on a literal; undefined if unsupported or too expensive. */
export function testPattern(pattern: string, text: string): boolean | undefined {
  // The two syntaxes differ beyond ASCII.
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
