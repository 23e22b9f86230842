// matches() in time linear in the text: the RE2 syntax that CEL asks for, without what only backtracking can do.
import { LinearMachine } from '@svc/contract/foreign/linear-machine'
import { parsePattern, refusePattern } from './matches-syntax.ts'

const states_max = 2_000
const literal_moves_max = 100_000
/** What it takes to read a pattern, for each state it becomes. */
const moves_per_state = 16

/** Whether the pattern matches anywhere in the text. `pay` is told how many moves were made, and may stop it by throwing. */
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
