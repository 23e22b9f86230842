// How often a series repeats itself, and what it usually is at each place of its period.

/** Below this a series only seems to repeat. */
const likeness_min = 0.3
/** So many standard errors: of few pairs some are alike by chance. */
const errors_min = 4
/** A multiple of the period is as like as the period itself: the first that comes so near to the best is taken. */
const near_best = 0.9
const period_min = 2
const cycles_min = 3

/** The period in points, where the series holds at least two of them. Missing points are left out, pair by pair. */
export function periodOf(values: Float64Array): number | undefined {
  const level = withoutTrend(values)
  const lags_max = Math.floor(values.length / 2)
  const likeness = new Float64Array(lags_max + 1)
  const power = meanProduct(level, 0)
  if (!(power > 0)) return undefined
  for (let lag = 0; lag <= lags_max; lag++) likeness[lag] = meanProduct(level, lag) / power
  // Near lag 0 every smooth series is like itself: what counts begins where it first stops being so.
  const begin = likeness.findIndex((value) => value <= 0)
  if (begin < 0) return undefined
  let best = 0
  for (let lag = begin; lag <= lags_max; lag++) {
    const enough = Math.max(likeness_min, errors_min / Math.sqrt(values.length - lag))
    if (likeness[lag]! > Math.max(best, enough)) best = likeness[lag]!
  }
  if (best === 0) return undefined
  const first = firstPeak(likeness, Math.max(begin, period_min), near_best * best)
  return first === undefined ? undefined : highestNear(likeness, first)
}

function firstPeak(likeness: Float64Array, from: number, at_least: number): number | undefined {
  for (let lag = from; lag < likeness.length; lag++) {
    const value = likeness[lag]!
    const next = likeness[lag + 1] ?? Number.NEGATIVE_INFINITY
    if (value >= at_least && value >= likeness[lag - 1]! && value >= next) return lag
  }
  return undefined
}

/** Noise puts small peaks on the slope of the real one. */
function highestNear(likeness: Float64Array, lag: number): number {
  let highest = lag
  const until = Math.min(likeness.length - 1, Math.floor(lag * 1.25))
  for (let near = lag + 1; near <= until; near++) if (likeness[near]! > likeness[highest]!) highest = near
  return highest
}

function meanProduct(level: Float64Array, lag: number): number {
  let sum = 0
  let pairs = 0
  for (let i = 0, j = lag; j < level.length; i++, j++) {
    const product = level[i]! * level[j]!
    if (Number.isNaN(product)) continue
    sum += product
    pairs++
  }
  return pairs === 0 ? 0 : sum / pairs
}

/** A straight slope is like itself at every lag; it is taken away by least squares. */
function withoutTrend(values: Float64Array): Float64Array {
  let [n, sx, sy, sxx, sxy] = [0, 0, 0, 0, 0]
  values.forEach((y, x) => {
    if (Number.isNaN(y)) return
    n++
    sx += x
    sy += y
    sxx += x * x
    sxy += x * y
  })
  const across = n * sxx - sx * sx
  const slope = across > 0 ? (n * sxy - sx * sy) / across : 0
  const level = n > 0 ? (sy - slope * sx) / n : 0
  return values.map((y, x) => y - level - slope * x)
}

/** What each place of the period adds to the level around it; 0 everywhere where too few cycles are there to tell. */
export function seasonOf(values: Float64Array, period: number | undefined): Float64Array {
  const season = new Float64Array(values.length)
  if (period === undefined || values.length < cycles_min * period) return season
  const around = runningMedian(values, period)
  const above = values.map((value, i) => value - around[i]!)
  for (let phase = 0; phase < period; phase++) {
    const in_phase: number[] = []
    for (let i = phase; i < values.length; i += period) if (!Number.isNaN(above[i]!)) in_phase.push(above[i]!)
    const usual = medianOf(in_phase)
    for (let i = phase; i < values.length; i += period) season[i] = usual
  }
  return season
}

/** 0 for nothing. */
export function medianOf(values: readonly number[] | Float64Array): number {
  const sorted = Float64Array.from(values).sort()
  const { length } = sorted
  if (length === 0) return 0
  return (sorted[(length - 1) >> 1]! + sorted[length >> 1]!) / 2
}

/** The median of the points around each; at the ends of the same number of points, on one side. */
export function runningMedian(values: Float64Array, width: number): Float64Array {
  const size = Math.min(width, values.length)
  const window: number[] = []
  const medians = new Float64Array(values.length)
  let [from, until] = [0, 0]
  for (let i = 0; i < values.length; i++) {
    const start = Math.min(Math.max(0, i - (size >> 1)), values.length - size)
    for (; until < start + size; until++) if (!Number.isNaN(values[until]!)) window.splice(placeOf(window, values[until]!), 0, values[until]!) // biome-ignore format: one thought
    for (; from < start; from++) if (!Number.isNaN(values[from]!)) window.splice(placeOf(window, values[from]!), 1) // biome-ignore format: one thought
    medians[i] =
      window.length === 0 ? 0 : (window[(window.length - 1) >> 1]! + window[window.length >> 1]!) / 2
  }
  return medians
}

/** The first place whose value is not smaller. */
function placeOf(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
