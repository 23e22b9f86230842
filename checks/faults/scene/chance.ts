// Repeatable random choices: the seed comes from SVC_TEST_SEED, or is drawn and printed with the command to replay
// it.
import { randomInt } from 'node:crypto'
import { relative, resolve } from 'node:path'
import type { TestContext } from 'node:test'

/** True in `npm run assurance`: the same checks with a larger N. */
export const is_long = process.env.SVC_TEST_ASSURANCE === '1'

export interface Chance {
  readonly seed: number
  /** An integer from 0 to `limit`, exclusive. */
  below(limit: number): number
  pick<Value>(values: readonly Value[]): Value
}

export function openChance(seed = seedWanted()): Chance {
  let state = seed >>> 0
  const next = () => {
    // A Weyl sequence with mixed bits: small, uniform, and the same on every machine.
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { seed, below, pick: (values) => values[below(values.length)]! }
}

/** In the short form every second item; another seed takes the others. */
export function halfOf<Value>(all: readonly Value[], chance = openChance()): readonly Value[] {
  if (is_long) return all
  const turn = chance.below(2)
  return all.filter((_, place) => place % 2 === turn)
}

function seedWanted(): number {
  const seed_text = process.env.SVC_TEST_SEED
  if (seed_text === undefined) return randomInt(2 ** 31)
  const seed = Number(seed_text)
  if (Number.isSafeInteger(seed) && seed >= 0) return seed
  throw new Error(`SVC_TEST_SEED is ${seed_text}; it must be a whole number, as a run before printed it.`)
}

/** Printed before anything can fail. The table of `npm run assurance` reads `N=` and `seed=`. */
export function announce(t: TestContext, file: string, n: number, { seed }: Chance): void {
  const path = relative(resolve(import.meta.dirname, '../../..'), file)
  const form = is_long ? 'SVC_TEST_ASSURANCE=1 ' : ''
  t.diagnostic(`N=${n} seed=${seed}; again with: SVC_TEST_SEED=${seed} ${form}node --test ${path}`)
}

/** One line of figures; times are reported, never judged. */
export function report(t: TestContext, figures: Readonly<Record<string, number | string>>): void {
  const parts = Object.entries(figures).map(([name, value]) => `${name}=${rounded(value)}`)
  t.diagnostic(`figures: ${parts.join(' ')}`)
}

function rounded(value: number | string): number | string {
  return typeof value === 'number' ? Math.round(value * 1000) / 1000 : value
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
