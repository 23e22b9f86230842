// Milliseconds in steps of 1, 2.5 and 5, from ten microseconds to a minute: one set of bounds for all that is timed within a process.

export const bounds_ms: readonly number[] = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
  30_000, 60_000,
]

/** The first bucket whose bound is not passed; most of what is timed is short, so the search begins there. */
export function bucketOf(ms: number): number {
  let bucket = 0
  while (bucket < bounds_ms.length && ms > bounds_ms[bucket]!) bucket++
  return bucket
}

/** As Prometheus has it: a straight line within the bucket. Zero where nothing was counted; what passes all bounds shows the last. */
export function quantileOf(share: number, buckets: readonly number[]): number {
  const total = buckets.reduce((sum, count) => sum + count, 0)
  if (total === 0) return 0
  const rank = share * total
  let below = 0
  for (const [bucket, count] of buckets.entries()) {
    if (below + count < rank || count === 0) {
      below += count
      continue
    }
    const [low, high] = [bounds_ms[bucket - 1] ?? 0, bounds_ms[bucket] ?? bounds_ms.at(-1)!]
    return low + ((high - low) * (rank - below)) / count
  }
  return bounds_ms.at(-1)!
}
