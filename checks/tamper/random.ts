// Seeded random choices, repeatable from the printed seed.
import { hash } from 'node:crypto'

export interface Random {
  /** An integer from 0 to count - 1. */
  below(count: number): number
  pick<T>(list: readonly T[]): T
  chance(share: number): boolean
}

const draw_range = 2 ** 32

/** Draws are the words of sha256(seed, counter): slow, but beyond doubt. */
export function seeded(seed: string): Random {
  let words: number[] = []
  let counter = 0
  const draw = () => {
    if (words.length === 0) {
      const digest = hash('sha256', `${seed}/${counter++}`, 'buffer')
      words = Array.from({ length: 8 }, (_, i) => digest.readUInt32LE(i * 4))
    }
    return words.pop()! / draw_range
  }
  return {
    below: (count) => Math.floor(draw() * count),
    pick: (list) => list[Math.floor(draw() * list.length)]!,
    chance: (share) => draw() < share,
  }
}

/** SVC_TEST_SEED for a replay, else a new one. */
export function chooseSeed(): string {
  return process.env.SVC_TEST_SEED ?? String(Math.floor(Math.random() * 1e9))
}
