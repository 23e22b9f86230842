// How finely calls are summed, for how long, and how many names are kept apart.

const day_ms = 86_400_000

interface HistoryResolution {
  readonly seconds: number
  readonly kept_ms: number
  /** Names kept apart within one row's time; the calls of others are summed by outcome and code only. */
  readonly names_max: number
}

/** Finest first. */
export const history_resolutions: readonly HistoryResolution[] = [
  { seconds: 60, kept_ms: day_ms / 2, names_max: 500 },
  { seconds: 300, kept_ms: 10 * day_ms, names_max: 1_000 },
  { seconds: 3600, kept_ms: 100 * day_ms, names_max: 2_000 },
]

/** Upper bounds in milliseconds. Fixed, so that buckets of any rows can be added up. */
export const latency_bounds_ms: readonly number[] = [
  0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 2_000, 5_000,
  10_000, 20_000, 50_000, 100_000,
]
