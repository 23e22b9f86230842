// Sampling for networks too large for exact tables: worlds are drawn with the evidence fixed, and weighted.
import { hash } from 'node:crypto'
import type { Factor, Spend } from './factor.ts'

export const samples = 200_000
const quantile_95 = 1.959963984540054
const samples_between_reports = 256

export interface Sampled {
  readonly distribution: Float64Array
  /** Half-width of the 95 % interval, per state. */
  readonly margins: Float64Array
}

/** Deterministic per seed. Undefined if no sampled world agrees with the evidence. */
export function sample(
  tables: readonly Factor[],
  target: number,
  evidence: ReadonlyMap<number, number>,
  cards: readonly number[],
  seed: string,
  spend: Spend,
): Sampled | undefined {
  const ordered = causesFirst(tables)
  const strides = ordered.map(({ scope }) => stridesOf(scope, cards))
  const next = randomNumbers(seed)
  const world = new Int32Array(cards.length)
  const weights = new Float64Array(cards[target]!)
  const squares = new Float64Array(cards[target]!)
  // Each variable's observed state, or -1.
  const fixed = Int32Array.from(ordered, ({ scope }) => evidence.get(scope.at(-1)!) ?? -1)
  for (let drawn = 0; drawn < samples; drawn++) {
    if (drawn % samples_between_reports === 0) spend(samples_between_reports * ordered.length)
    const weight = drawWorld(ordered, strides, fixed, world, next)
    weights[world[target]!]! += weight
    squares[world[target]!]! += weight * weight
  }
  return summarise(weights, squares)
}

function drawWorld(
  ordered: readonly Factor[],
  strides: readonly Int32Array[],
  fixed: Int32Array,
  world: Int32Array,
  next: () => number,
): number {
  let weight = 1
  for (let place = 0; place < ordered.length; place++) {
    const { scope, values } = ordered[place]!
    const steps = strides[place]!
    const last = scope.length - 1
    let row = 0
    for (let at = 0; at < last; at++) row += world[scope[at]!]! * steps[at]!
    const own = scope[last]!
    const state = fixed[place]!
    if (state >= 0) {
      weight *= values[row + state]!
      // An impossible world is abandoned; its target does not count.
      if (weight === 0) return 0
      world[own] = state
    } else world[own] = draw(values, row, steps[last - 1] ?? values.length, next())
  }
  return weight
}

function draw(values: Float64Array, row: number, states: number, chance: number): number {
  let [left, last_possible] = [chance, 0]
  for (let state = 0; state < states; state++) {
    const share = values[row + state]!
    if (share > 0) last_possible = state
    left -= share
    if (left < 0) return state
  }
  // A row sums to 1 only approximately.
  return last_possible
}

function summarise(weights: Float64Array, squares: Float64Array): Sampled | undefined {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (!(total > 0)) return undefined
  const all_squares = squares.reduce((sum, square) => sum + square, 0)
  const distribution = weights.map((weight) => weight / total)
  const margins = distribution.map((share, state) => {
    const within = squares[state]! * (1 - share) ** 2
    const outside = (all_squares - squares[state]!) * share ** 2
    return quantile_95 * (Math.sqrt(within + outside) / total)
  })
  return { distribution, margins }
}

function causesFirst(tables: readonly Factor[]): Factor[] {
  const table_of = new Map(tables.map((table) => [table.scope.at(-1)!, table]))
  const placed = new Set<Factor>()
  for (const table of tables) {
    const path = [table]
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const open = top.scope
        .slice(0, -1)
        .map((variable) => table_of.get(variable))
        .find((cause) => cause && !placed.has(cause))
      if (open) path.push(open)
      else placed.add(path.pop()!)
    }
  }
  return [...placed]
}

function stridesOf(scope: readonly number[], cards: readonly number[]): Int32Array {
  const strides = new Int32Array(scope.length)
  for (let place = scope.length - 1, stride = 1; place >= 0; place--) {
    strides[place] = stride
    stride *= cards[scope[place]!]!
  }
  return strides
}

/** xoshiro128**: 32 bits at a time, from a seed of any length. */
function randomNumbers(seed: string): () => number {
  const state = new Uint32Array(Uint8Array.from(hash('sha256', seed, 'buffer')).buffer.slice(0, 16))
  const rotate = (word: number, by: number) => (word << by) | (word >>> (32 - by))
  return () => {
    const result = Math.imul(rotate(Math.imul(state[1]!, 5), 7), 9) >>> 0
    const shifted = state[1]! << 9
    state[2]! ^= state[0]!
    state[3]! ^= state[1]!
    state[1]! ^= state[2]!
    state[0]! ^= state[3]!
    state[2]! ^= shifted
    state[3] = rotate(state[3]!, 11)
    return result / 2 ** 32
  }
}
