// Bucket bounds for in-process timings: milliseconds in steps of 1, 2.5 and 5, from 10 µs to one minute.

export const bounds_ms: readonly number[] = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
  30_000, 60_000,
]

/** The first bucket that fits; a linear search, because most timings are short. */
export function bucketOf(ms: number): number {
  let bucket = 0
  while (bucket < bounds_ms.length && ms > bounds_ms[bucket]!) bucket++
  return bucket
}

/** As in Prometheus: linear within the bucket, 0 without counts, the last bound for anything above it. */
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
