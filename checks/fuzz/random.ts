// Seeded random numbers (xorshift32), so that a run can be repeated from its seed.

export interface Random {
  /** A whole number from 0 up to, but not including, `end`. */
  below(end: number): number
  pick<T>(list: readonly T[]): T
}

export function seededRandom(seed: number): Random {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1
  const below = (end: number) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % end
  }
  return { below, pick: (list) => list[below(list.length)]! }
}
