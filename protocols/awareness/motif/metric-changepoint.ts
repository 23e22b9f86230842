// Lasting changes of the mean: PELT over squared error, with the BIC penalty.
import { medianOf, runningMedian } from './metric-season.ts'

/** Converts the median absolute difference of neighbours to the points' standard deviation. */
const difference_to_deviation = 1.4826 / Math.SQRT2
const changes_max = 100
const mad_to_deviation = 1.4826
/** Standard errors of the memory: of a series of length n one through its root. */
const memory_errors = 3
const p_max = 0.01
/** Points beyond this many deviations are outliers and are clamped to it. */
const deviations_max = 3

export interface Changepoint {
  /** The first point of the new level. */
  readonly at: number
  readonly before: number
  readonly after: number
  /** The probability of such a difference anywhere in a series of this length and memory without a change. */
  readonly p: number
}

/**
 * Compares the means of adjacent segments; missing points are ignored. Points that follow their neighbours are
 * no independent witnesses of a level, so levels are sought in what each point adds to the one before.
 */
export function changepointsIn(values: Float64Array, length_min: number, deviation_min = 0): Changepoint[] {
  const places = [...values.keys()].filter((i) => !Number.isNaN(values[i]!))
  const measured = Float64Array.from(places, (i) => values[i]!)
  const memory = memoryOf(measured)
  if (memory === undefined) return []
  const present = withoutOutliers(withoutMemory(measured, memory), length_min, deviation_min)
  if (!present) return []
  const penalty = 2 * present.deviation ** 2 * Math.log(places.length)
  const cost = squaredErrors(present.values)
  const cuts_found = bestCuts(present.values, penalty, length_min)
  if (isSlope(present.values, cuts_found, penalty)) return []
  return significant(cuts_found, present.values, present.deviation).map(({ cut, from, until, p }) => {
    const [before, after] = [cost.mean(from, cut), cost.mean(cut, until)]
    return { at: places[cut]!, before, after, p }
  })
}

/**
 * How much of a deviation the next point keeps: 0 for noise, 1 for a walk, undefined for a curve smoother than
 * any walk, which has no levels. What chance may have hidden is added.
 */
function memoryOf(values: Float64Array): number | undefined {
  const next = squaredDifference(values, 1)
  const share = next > 0 ? squaredDifference(values, 2) / next - 1 : 0
  const doubt = memory_errors / Math.sqrt(values.length)
  if (share > 1 + doubt) return undefined
  // A walk has no level either: only a jump far beyond its steps counts.
  return share > doubt / 2 ? Math.min(1 - 1 / values.length, share + doubt) : 0
}

/** The average, where a few changes and outliers count no more than noise does. */
function squaredDifference(values: Float64Array, apart: number): number {
  const differences = values.subarray(apart).map((value, i) => Math.abs(value - values[i]!))
  const limit = medianOf(differences) * mad_to_deviation * deviations_max
  return differences.reduce((sum, value) => sum + Math.min(value, limit) ** 2, 0) / differences.length
}

/** On the same level as before. */
function withoutMemory(values: Float64Array, memory: number): Float64Array {
  return values.map((value, i) => (i === 0 ? value : (value - memory * values[i - 1]!) / (1 - memory)))
}

function withoutOutliers(values: Float64Array, length_min: number, deviation_min: number) {
  const level = runningMedian(values, 2 * length_min + 1)
  const deviation = Math.max(deviation_min, noiseOf(values, level))
  if (deviation === 0) return undefined
  const limit = deviations_max * deviation
  const close = values.map((value, i) => level[i]! + Math.max(-limit, Math.min(limit, value - level[i]!)))
  return { values: close, deviation }
}

interface Cut {
  readonly cut: number
  readonly from: number
  readonly until: number
  readonly p: number
}

/** Drops the least certain cut until none is left that chance explains. */
function significant(candidates: readonly number[], values: Float64Array, deviation: number): Cut[] {
  let inner = [...candidates]
  for (;;) {
    const cuts = judged([0, ...inner, values.length], values, deviation)
    const worst = cuts.reduce<Cut | undefined>(
      (most, one) => (most && most.p >= one.p ? most : one),
      undefined,
    )
    if (!worst || (worst.p <= p_max && cuts.length <= changes_max)) return cuts
    inner = inner.filter((cut) => cut !== worst.cut)
  }
}

/** The chance that noise makes such a step at any of the places it could have been found at. */
function judged(cuts: readonly number[], values: Float64Array, deviation: number): Cut[] {
  const cost = squaredErrors(values)
  const spread = Math.max(deviation, longRunDeviation(cuts, values, cost))
  return cuts.slice(1, -1).map((cut, i) => {
    const [from, until] = [cuts[i]!, cuts[i + 2]!]
    const error = spread * Math.sqrt(1 / (cut - from) + 1 / (until - cut))
    const step = Math.abs(cost.mean(cut, until) - cost.mean(from, cut))
    return { cut, from, until, p: Math.min(1, values.length * complementaryError(step / error / Math.SQRT2)) }
  })
}

/** Of means, times the root of their length (Newey and West): what correlation is left widens it. */
function longRunDeviation(
  cuts: readonly number[],
  values: Float64Array,
  cost: ReturnType<typeof squaredErrors>,
): number {
  // biome-ignore format: kept on one line
  const off = values.slice()
  for (const [i, cut] of cuts.slice(0, -1).entries()) {
    const mean = cost.mean(cut, cuts[i + 1]!)
    for (let k = cut; k < cuts[i + 1]!; k++) off[k]! -= mean
  }
  const reach = Math.ceil(Math.cbrt(values.length))
  let sum = 0
  for (let lag = 0; lag <= reach; lag++) {
    let products = 0
    for (let i = lag; i < off.length; i++) products += off[i]! * off[i - lag]!
    sum += (lag === 0 ? 1 : 2 * (1 - lag / (reach + 1))) * products
  }
  return Math.sqrt(Math.max(0, sum) / values.length)
}

/** A steady slope is better told by one line than by steps. */
function isSlope(values: Float64Array, steps_found: readonly number[], penalty: number): boolean {
  const cost = squaredErrors(values)
  const cuts = [0, ...steps_found, values.length]
  const in_steps = steps_found.reduce((sum, cut, i) => sum + penalty + cost.of(cuts[i]!, cut), 0)
  const last = cost.of(cuts.at(-2)!, values.length)
  const middle = (values.length - 1) / 2
  const [mean, places] = [cost.mean(0, values.length), (values.length * (values.length ** 2 - 1)) / 12]
  const shared = values.reduce((sum, value, i) => sum + (value - mean) * (i - middle), 0)
  return cost.of(0, values.length) - shared ** 2 / places + penalty < in_steps + last
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
