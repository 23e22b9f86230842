// The period of a series, and its usual value at each position of the period.

/** Below this autocorrelation a lag is not tried as a period. */
const likeness_min = 0.2
/** In standard errors: with few pairs, correlation arises by chance. */
const errors_min = 3
/** Multiples of the period predict equally well: the first lag this close to the best is used. */
const near_best = 0.9
const tried_max = 6
const period_min = 2
const cycles_min = 3
/** Cycles before and after a point that predict it. */
const cycles_around = 5
const finest_step = 1 / 128
/** Of what the whole lag leaves unexplained. */
const better_min = 0.1
const sampled_max = 1500
const golden = (Math.sqrt(5) - 1) / 2
/** Share of the extremes on each side that is clipped: one spike must neither make nor hide a season. */
const clipped_share = 0.01
/** Share of the variance that the other cycles must predict; of a random walk they predict less. */
const predicted_min = 0.25
/** With few cycles a walk repeats itself by chance. */
const predicted_more_by_cycle = 0.8

/** The period in points, not always whole, if the series repeats at least three times; also in noise. */
export function periodOf(values: Float64Array): number | undefined {
  const longest = Math.floor(values.length / cycles_min)
  if (longest < period_min) return undefined
  const local = offLevel(values, longest)
  let best: { readonly period: number; readonly share: number } | undefined
  for (const lag of likelyLags(clipped(local), longest)) {
    const candidate = preciseLag(offLevel(values, lag), lag)
    const enough = predicted_min + (predicted_more_by_cycle * lag) / values.length
    if (candidate.share > enough && (!best || candidate.share * near_best > best.share)) best = candidate
  }
  return best?.period
}

/** Peaks of the autocorrelation beyond its first decline, where every smooth series correlates; shortest first. */
function likelyLags(level: Float64Array, longest: number): number[] {
  const power = meanProduct(level, 0)
  if (!(power > 0)) return []
  const lags_max = Math.min(level.length - 1, longest + 1)
  const likeness = Float64Array.from({ length: lags_max + 1 }, (_, lag) => meanProduct(level, lag) / power)
  const begin = likeness.findIndex((value) => value <= 0)
  if (begin < 0) return []
  const peaks: number[] = []
  for (let lag = Math.max(begin, period_min); lag <= longest; lag++) {
    const enough = Math.max(likeness_min, errors_min / Math.sqrt(level.length - lag))
    if (likeness[lag]! >= enough && isPeak(likeness, lag)) peaks.push(lag)
  }
  const highest = peaks.toSorted((a, b) => likeness[b]! - likeness[a]!).slice(0, tried_max)
  return highest.sort((a, b) => a - b)
}

/** The highest within a tenth: noise adds small peaks to the slope of the real one. */
function isPeak(likeness: Float64Array, lag: number): boolean {
  const reach = Math.max(1, Math.floor(lag / 10))
  for (let near = Math.max(1, lag - reach); near <= Math.min(likeness.length - 1, lag + reach); near++)
    if (likeness[near]! > likeness[lag]!) return false
  return true
}

/** A period is seldom a whole number of points: the error of a half adds up over the cycles. */
function preciseLag(above: Float64Array, lag: number) {
  const whole = { period: lag, share: predictedShare(above, lag) }
  let best = whole
  for (let step = 0.5; step >= finest_step; step /= 2)
    for (const period of [best.period - step, best.period + step]) {
      const share = period >= period_min ? predictedShare(above, period) : 0
      if (share > best.share) best = { period, share }
    }
  // Noise prefers some fraction of a point to the whole one by a little.
  return best.share - whole.share > better_min * (1 - whole.share) ? best : whole
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

function offLevel(values: Float64Array, width: number): Float64Array {
  const level = runningMedian(values, Math.round(width))
  return values.map((value, i) => value - level[i]!)
}

function clipped(values: Float64Array): Float64Array {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort()
  const cut = Math.min(sorted.length >> 1, Math.ceil(sorted.length * clipped_share))
  const [low, high] = [sorted[cut] ?? 0, sorted[sorted.length - 1 - cut] ?? 0]
  return values.map((value) => Math.max(low, Math.min(high, value)))
}

/** How much of the variance the other cycles predict: 1 all, 0 or less nothing. */
function predictedShare(above: Float64Array, period: number): number {
  const places = sampleOf(above.length).filter((i) => !Number.isNaN(above[i]!))
  const spread = (of: Float64Array) => {
    const values = clipped(of)
    const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
    return values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  }
  const all = spread(Float64Array.from(places, (i) => above[i]!))
  if (!(all > 0)) return 0
  return 1 - spread(Float64Array.from(places, (i) => above[i]! - otherCycles(above, i, period))) / all
}

/** All places, or as many as are enough, spread by the golden ratio: evenly, and at all positions of a period. */
function sampleOf(length: number): number[] {
  if (length <= sampled_max) return [...Array(length).keys()]
  return Array.from({ length: sampled_max }, (_, i) => Math.floor(((i * golden) % 1) * length))
}

/** The median of the same position in the cycles around, without its own: an outlier does not explain itself. */
function otherCycles(above: Float64Array, at: number, period: number): number {
  const values: number[] = []
  for (let cycle = 1; cycle <= 2 * cycles_around && values.length < 2 * cycles_around; cycle++)
    for (const place of [at - cycle * period, at + cycle * period]) {
      const value = valueAt(above, place)
      if (value !== undefined) values.push(value)
    }
  return medianOf(values)
}

/** Between two points a cubic through the four around: a straight line would cut off the peaks of a season. */
function valueAt(values: Float64Array, place: number): number | undefined {
  const left = Math.floor(place)
  if (left < 0 || place > values.length - 1) return undefined
  const part = place - left
  const near = values[left]!
  const next = part === 0 ? near : values[left + 1]!
  if (Number.isNaN(near) || Number.isNaN(next)) return undefined
  const [before = near, after = next] = [values[left - 1], values[left + 2]]
  if (part === 0 || Number.isNaN(before) || Number.isNaN(after)) return near + part * (next - near)
  const bend = 2 * before - 5 * near + 4 * next - after + part * (3 * (near - next) + after - before)
  return near + 0.5 * part * (next - before + part * bend)
}

/** The offset of each position of the period from the local level. */
export function seasonOf(values: Float64Array, period: number | undefined): Float64Array {
  if (period === undefined) return new Float64Array(values.length)
  const above = offLevel(values, period)
  const first = above.map((_, i) => otherCycles(above, i, period))
  // The level of a series with its season wavers; without the first estimate of the season it does not.
  const level = runningMedian(
    values.map((value, i) => value - first[i]!),
    Math.round(period),
  )
  const rest = values.map((value, i) => value - level[i]!)
  return rest.map((_, i) => otherCycles(rest, i, period))
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
