// Outliers: points far from season and level, measured by the median absolute deviation of the rest.
import { medianOf, runningMedian } from './metric-season.ts'

/** In units comparable to standard deviations; of pure noise, two in 10^9 points exceed it. */
const score_min = 6
const anomalies_max = 100
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
  const cuts = [0, ...changes, values.length]
  for (const [i, from] of cuts.slice(0, -1).entries())
    level.set(runningMedian(rest.subarray(from, cuts[i + 1]), width), from)
  const off = rest.map((value, i) => value - level[i]!)
  const deviation = Math.max(deviation_min, deviationOf(off.filter((value) => !Number.isNaN(value))))
  if (deviation === 0) return []
  const anomalies: Anomaly[] = []
  let run: Anomaly | undefined
  off.forEach((distance, at) => {
    const score = Math.abs(distance) / deviation
    if (score > score_min) {
      if (!run || score > run.score) run = { at, score, expected: season[at]! + level[at]! }
    } else if (run && !Number.isNaN(distance)) {
      anomalies.push(run)
      run = undefined
    }
  })
  if (run) anomalies.push(run)
  return anomalies.sort((a, b) => b.score - a.score || a.at - b.at).slice(0, anomalies_max)
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
