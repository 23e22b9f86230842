// The period of a series, and its usual value at each position of the period.

/** Below this autocorrelation a series does not count as periodic. */
const likeness_min = 0.3
/** In standard errors: with few pairs, correlation arises by chance. */
const errors_min = 4
/** Multiples of the period correlate equally well: the first lag this close to the best is used. */
const near_best = 0.9
const period_min = 2
const cycles_min = 3

/** The period in points, if the series holds at least two. Pairs with missing points are skipped. */
export function periodOf(values: Float64Array): number | undefined {
  const level = withoutTrend(values)
  const lags_max = Math.floor(values.length / 2)
  const likeness = new Float64Array(lags_max + 1)
  const power = meanProduct(level, 0)
  if (!(power > 0)) return undefined
  for (let lag = 0; lag <= lags_max; lag++) likeness[lag] = meanProduct(level, lag) / power
  // Every smooth series correlates near lag 0: the search starts where this first ends.
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

/** Noise adds small peaks to the slope of the real one. */
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

/** A linear trend correlates at every lag, so it is removed by least squares. */
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

/** The offset of each position of the period from the local level; 0 if there are too few cycles. */
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

/** 0 for an empty list. */
export function medianOf(values: readonly number[] | Float64Array): number {
  const sorted = Float64Array.from(values).sort()
  const { length } = sorted
  if (length === 0) return 0
  return (sorted[(length - 1) >> 1]! + sorted[length >> 1]!) / 2
}

/** The median of the surrounding points; at the ends the window is shifted, not shortened. */
export function runningMedian(values: Float64Array, width: number): Float64Array {
  const size = Math.min(width, values.length)
  const window: number[] = []
  const medians = new Float64Array(values.length)
  let [from, until] = [0, 0]
  for (let i = 0; i < values.length; i++) {
    const start = Math.min(Math.max(0, i - (size >> 1)), values.length - size)
    for (; until < start + size; until++) if (!Number.isNaN(values[until]!)) window.splice(placeOf(window, values[until]!), 0, values[until]!) // biome-ignore format: kept on one line
    for (; from < start; from++) if (!Number.isNaN(values[from]!)) window.splice(placeOf(window, values[from]!), 1) // biome-ignore format: kept on one line
    medians[i] =
      window.length === 0 ? 0 : (window[(window.length - 1) >> 1]! + window[window.length >> 1]!) / 2
  }
  return medians
}

/** The first index whose value is not smaller. */
function placeOf(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
