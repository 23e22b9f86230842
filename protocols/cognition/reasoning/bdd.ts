// Ordered binary decision diagrams: a canonical form of a small formula; its probability is one pass.
import type { Meter } from './budget.ts'

export interface Diagrams {
  /** True where this variable is. */
  variable(number: number): number
  and(a: number, b: number): number
  or(a: number, b: number): number
  /** Each variable is true independently with its own probability. */
  probability(node: number, chances: readonly number[]): number
}

export const never = 0
export const always = 1
export const variables_max = 24
const nodes_max = 2 ** 18

/** Not a refusal: a formula too complex for an exact result is bounded instead. */
export class TooTangled extends Error {}

export function openDiagrams(meter: Meter): Diagrams {
  const tests: number[] = [variables_max, variables_max]
  const lows: number[] = [0, 1]
  const highs: number[] = [0, 1]
  const nodes = new Map<number, number>()
  const conjunctions = new Map<number, number>()
  const disjunctions = new Map<number, number>()
  const make = (test: number, low: number, high: number): number => {
    if (low === high) return low
    const key = (test * nodes_max + low) * nodes_max + high
    const existing_node = nodes.get(key)
    if (existing_node !== undefined) return existing_node
    if (tests.length >= nodes_max) throw new TooTangled('too many nodes')
    tests.push(test)
    lows.push(low)
    highs.push(high)
    nodes.set(key, tests.length - 1)
    return tests.length - 1
  }
  /** `absorbing` op x = absorbing, `neutral` op x = x. */
  const combine = (a: number, b: number, absorbing: number, memo: Map<number, number>): number => {
    if (a === b || b === absorbing) return b
    if (a === absorbing || b === 1 - absorbing) return a
    if (a === 1 - absorbing) return b
    const key = a < b ? a * nodes_max + b : b * nodes_max + a
    const cached = memo.get(key)
    if (cached !== undefined) return cached
    meter.look()
    const test = Math.min(tests[a]!, tests[b]!)
    const [a_low, a_high] = tests[a] === test ? [lows[a]!, highs[a]!] : [a, a]
    const [b_low, b_high] = tests[b] === test ? [lows[b]!, highs[b]!] : [b, b]
    const low = combine(a_low, b_low, absorbing, memo)
    const made = make(test, low, combine(a_high, b_high, absorbing, memo))
    memo.set(key, made)
    return made
  }
  const probability = (node: number, chances: readonly number[]): number => {
    const memo = new Map<number, number>([
      [never, 0],
      [always, 1],
    ])
    const of = (at: number): number => {
      const cached = memo.get(at)
      if (cached !== undefined) return cached
      const chance = chances[tests[at]!]!
      const value = (1 - chance) * of(lows[at]!) + chance * of(highs[at]!)
      memo.set(at, value)
      return value
    }
    return of(node)
  }
  return {
    variable: (number) => make(number, never, always),
    and: (a, b) => combine(a, b, never, conjunctions),
    or: (a, b) => combine(a, b, always, disjunctions),
    probability,
  }
}
