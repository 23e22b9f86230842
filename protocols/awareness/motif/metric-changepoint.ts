// Lasting changes of the mean: PELT over squared error, with the BIC penalty.
import { medianOf, runningMedian } from './metric-season.ts'

/** Converts the median absolute difference of neighbours to the points' standard deviation. */
const difference_to_deviation = 1.4826 / Math.SQRT2
const changes_max = 100
const mad_to_deviation = 1.4826
/** Points beyond this many deviations are outliers and are clamped to it. */
const deviations_max = 3

export interface Changepoint {
  /** The first point of the new level. */
  readonly at: number
  readonly before: number
  readonly after: number
  /** The probability of such a difference in means without a change. */
  readonly p: number
}

/** Compares the means of adjacent segments; missing points are ignored. */
export function changepointsIn(values: Float64Array, length_min: number): Changepoint[] {
  const places = [...values.keys()].filter((i) => !Number.isNaN(values[i]!))
  const measured = Float64Array.from(places, (i) => values[i]!)
  const level = runningMedian(measured, 2 * length_min)
  const deviation = noiseOf(measured, level)
  if (deviation === 0) return []
  const limit = deviations_max * deviation
  const present = measured.map((value, i) => level[i]! + Math.max(-limit, Math.min(limit, value - level[i]!)))
  const penalty = 2 * deviation ** 2 * Math.log(present.length)
  const cuts = [0, ...bestCuts(present, penalty, length_min), present.length]
  const cost = squaredErrors(present)
  const changes = cuts.slice(1, -1).map((cut, i) => {
    const [from, until] = [cuts[i]!, cuts[i + 2]!]
    const [before, after] = [cost.mean(from, cut), cost.mean(cut, until)]
    const error = deviation * Math.sqrt(1 / (cut - from) + 1 / (until - cut))
    return { at: places[cut]!, before, after, p: complementaryError(Math.abs(after - before) / error / Math.SQRT2) } // biome-ignore format: kept on one line
  })
  return changes
    .sort((a, b) => a.p - b.p || a.at - b.at)
    .slice(0, changes_max)
    .sort((a, b) => a.at - b.at)
}

/** Neighbours differ by noise, except at changes; correlated noise shows in the spread of the points. */
function noiseOf(values: Float64Array, level: Float64Array): number {
  const steps = values.subarray(1).map((value, i) => Math.abs(value - values[i]!))
  const strays = values.map((value, i) => Math.abs(value - level[i]!))
  const usual = Math.max(medianOf(steps) * difference_to_deviation, medianOf(strays) * mad_to_deviation)
  if (usual > 0) return usual
  const squares = steps.reduce((sum, step) => sum + step * step, 0)
  return Math.sqrt(squares / Math.max(1, steps.length) / 2)
}

function squaredErrors(values: Float64Array) {
  const [sums, squares] = [new Float64Array(values.length + 1), new Float64Array(values.length + 1)]
  // Relative to the first value, to keep precision at a high level.
  const base = values[0] ?? 0
  values.forEach((value, i) => {
    sums[i + 1] = sums[i]! + (value - base)
    squares[i + 1] = squares[i]! + (value - base) ** 2
  })
  return {
    of: (from: number, until: number) =>
      Math.max(0, squares[until]! - squares[from]! - (sums[until]! - sums[from]!) ** 2 / (until - from)),
    mean: (from: number, until: number) => base + (sums[until]! - sums[from]!) / (until - from),
  }
}

/** The starts of all segments but the first, minimizing error plus penalty. */
export function bestCuts(values: Float64Array, penalty: number, length_min: number): number[] {
  const n = values.length
  if (n < 2 * length_min) return []
  const { of: errorOf } = squaredErrors(values)
  const least = new Float64Array(n + 1).fill(Number.POSITIVE_INFINITY)
  const cut_before = new Int32Array(n + 1)
  const hopeless_from = new Int32Array(n + 1).fill(n + 1)
  least[0] = -penalty
  let open: number[] = []
  for (let end = length_min; end <= n; end++) {
    const newest = end - length_min
    if (newest === 0 || newest >= length_min) open.push(newest)
    for (const start of open) {
      const total = least[start]! + errorOf(start, end) + penalty
      if (total < least[end]!) {
        least[end] = total
        cut_before[end] = start
      }
    }
    // A start that is worse than cutting here stays worse; this cut itself needs `length_min` points.
    for (const start of open)
      if (least[start]! + errorOf(start, end) > least[end]!) hopeless_from[start] = Math.min(hopeless_from[start]!, end + length_min) // biome-ignore format: kept on one line
    open = open.filter((start) => hopeless_from[start]! > end + 1)
  }
  const cuts: number[] = []
  for (let end = cut_before[n]!; end > 0; end = cut_before[end]!) cuts.push(end)
  return cuts.reverse()
}

/** Chebyshev fit with a relative error below 1.2e-7 everywhere. */
export function complementaryError(z: number): number {
  const t = 1 / (1 + z / 2)
  const fitted = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196,
    1.00002368, -1.26551223,
  ].reduce((sum, coefficient) => sum * t + coefficient, 0)
  return t * Math.exp(-z * z + fitted)
}
