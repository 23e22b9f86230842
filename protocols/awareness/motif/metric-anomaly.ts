// Outliers: points far from season and level, measured by the median absolute deviation of the rest.
import { medianOf, runningMedian } from './metric-season.ts'

/** In units comparable to standard deviations; of pure noise, two in 10^9 points exceed it. */
const score_min = 6
const anomalies_max = 100
/** Of a part; enough to know how far its points are from a level beside them. */
const sampled_max = 1_500
const mad_to_deviation = 1.4826
const mean_to_deviation = 1.2533

export interface Anomaly {
  readonly at: number
  readonly score: number
  readonly expected: number
}

/** Worst first. Of adjacent outliers only the worst is reported. A level begins anew at each of `changes`. */
export function anomaliesIn(
  values: Float64Array,
  season: Float64Array,
  width: number,
  changes: readonly number[],
  deviation_min: number,
): Anomaly[] {
  const rest = values.map((value, i) => value - season[i]!)
  const level = new Float64Array(values.length)
  const parts = partsBetween([0, ...changes, values.length], width)
  for (const { from, until } of parts) level.set(runningMedian(rest.subarray(from, until), width), from)
  const off = rest.map((value, i) => value - level[i]!)
  const deviation = Math.max(deviation_min, deviationOf(off.filter((value) => !Number.isNaN(value))))
  if (deviation === 0) return []
  const deviationBeside = lopsidedDeviation({ rest, level, parts, enough: width }, deviation)
  const scores = off.map((distance, at) => {
    const score = Math.abs(distance) / deviation
    return score > score_min ? Math.abs(distance) / deviationBeside(at) : score
  })
  return worstOfRuns(scores, (at) => season[at]! + level[at]!)
}

function worstOfRuns(scores: Float64Array, expectedAt: (at: number) => number): Anomaly[] {
  const anomalies: Anomaly[] = []
  let run: Anomaly | undefined
  scores.forEach((score, at) => {
    if (score > score_min) {
      if (!run || score > run.score) run = { at, score, expected: expectedAt(at) }
    } else if (run && !Number.isNaN(score)) {
      anomalies.push(run)
      run = undefined
    }
  })
  if (run) anomalies.push(run)
  return anomalies.sort((a, b) => b.score - a.score || a.at - b.at).slice(0, anomalies_max)
}

/** A stretch with one level, and the places in it whose window of the running median lies around them. */
interface Part {
  readonly from: number
  readonly until: number
  readonly first_centre: number
  readonly last_centre: number
}

function partsBetween(cuts: readonly number[], width: number): Part[] {
  return cuts.slice(0, -1).map((from, i) => {
    const until = cuts[i + 1]!
    const size = Math.min(width, until - from)
    const first_centre = from + (size >> 1)
    return { from, until, first_centre, last_centre: first_centre + until - from - size }
  })
}

/**
 * Near the end of a part the window lies beside the point, and a series that wanders is farther from that level. How far is measured
 * where such a window can be compared: everywhere else, points are as many places off its centre. In noise it is the same.
 */
function lopsidedDeviation(
  series: {
    readonly rest: Float64Array
    readonly level: Float64Array
    readonly parts: readonly Part[]
    readonly enough: number
  },
  deviation: number,
): (at: number) => number {
  const { rest, level, parts, enough } = series
  const by_lag = new Map<number, number>([[0, deviation]])
  return (at) => {
    const { first_centre, last_centre } = parts.find(({ until }) => at < until)!
    const lag = at - Math.min(last_centre, Math.max(first_centre, at))
    const of_lag = by_lag.get(lag)
    if (of_lag !== undefined) return of_lag
    const centres = parts.flatMap((part) => sampledCentres(part, lag))
    const distances = Float64Array.from(centres, (centre) => rest[centre + lag]! - level[centre]!)
    const measured = distances.filter((distance) => !Number.isNaN(distance))
    const beside = measured.length < enough ? deviation : Math.max(deviation, deviationOf(measured))
    by_lag.set(lag, beside)
    return beside
  }
}

function sampledCentres({ from, until, first_centre, last_centre }: Part, lag: number): number[] {
  const first = Math.max(first_centre, from - lag)
  const last = Math.min(last_centre, until - 1 - lag)
  const stride = Math.max(1, Math.ceil((last - first + 1) / sampled_max))
  const count = Math.max(0, Math.floor((last - first) / stride) + 1)
  return Array.from({ length: count }, (_, i) => first + i * stride)
}

/** If more than half of the points match exactly, the mean deviation is used instead. */
function deviationOf(off: Float64Array): number {
  const distances = off.map(Math.abs)
  const mad = medianOf(distances) * mad_to_deviation
  if (mad > 0) return mad
  return (
    (distances.reduce((sum, value) => sum + value, 0) / Math.max(1, distances.length)) * mean_to_deviation
  )
}
