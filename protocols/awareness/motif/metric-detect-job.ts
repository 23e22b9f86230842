// All detections for one series, in a worker thread. Positions are indexes; the caller knows their times.
import { type Anomaly, anomaliesIn } from './metric-anomaly.ts'
import { type Changepoint, changepointsIn } from './metric-changepoint.ts'
import { matrixProfile, type ProfilePair, topDiscord, topMotif } from './metric-profile.ts'
import { periodOf, seasonOf } from './metric-season.ts'

export const detection_kinds = ['motif', 'anomaly', 'changepoint', 'season'] as const
export type DetectionKind = (typeof detection_kinds)[number]

export interface DetectionTask {
  /** NaN if nothing was measured. */
  readonly values: Float64Array
  readonly window: number
  readonly kinds: readonly DetectionKind[]
}

export interface Detected {
  readonly motif: ProfilePair | undefined
  readonly discord: { readonly at: number; readonly distance: number } | undefined
  readonly anomalies: readonly Anomaly[]
  readonly changepoints: readonly Changepoint[]
  readonly period: number | undefined
}

/** Gaps up to this length are interpolated, or one lost point would cost a whole window on either side. */
const bridged_points_max = 2

/** Of a season's swing: noise below it cannot be told from the error of its estimate. */
const season_error = 0.02

export function compute({ values, window, kinds }: DetectionTask): Detected {
  const wants = (kind: DetectionKind) => kinds.includes(kind)
  const bridged = bridgeGaps(values)
  const profile = wants('motif') || wants('anomaly') ? matrixProfile(bridged, window) : undefined
  const period = kinds.some((kind) => kind !== 'motif') ? periodOf(values) : undefined
  const season = seasonOf(values, period)
  const deviation_min = swingOf(season) * season_error
  const changes =
    wants('changepoint') || wants('anomaly') ? changesBeyond(values, season, window, deviation_min) : []
  const width = Math.max(window, Math.round(period ?? 0))
  const starts = changes.map(({ at }) => at)
  return {
    motif: wants('motif') && profile ? topMotif(profile, bridged, window) : undefined,
    discord: profile && topDiscord(profile),
    anomalies: wants('anomaly') ? anomaliesIn(values, season, width, starts, deviation_min) : [],
    changepoints: wants('changepoint') ? changes : [],
    period: wants('season') ? period : undefined,
  }
}

/** A season is not a change: levels are detected without the season, and reported with it. */
function changesBeyond(
  values: Float64Array,
  season: Float64Array,
  window: number,
  deviation_min: number,
): Changepoint[] {
  const mean = season.reduce((sum, value) => sum + value, 0) / Math.max(1, season.length)
  const rest = values.map((value, i) => value - season[i]! + mean)
  return changepointsIn(rest, Math.max(2, window >> 2), deviation_min)
}

function swingOf(season: Float64Array): number {
  return Math.sqrt(season.reduce((sum, value) => sum + value * value, 0) / Math.max(1, season.length))
}

export function bridgeGaps(values: Float64Array): Float64Array {
  const bridged = values.slice()
  let last = -1
  values.forEach((value, i) => {
    if (Number.isNaN(value)) return
    const gap = i - last - 1
    if (last >= 0 && gap > 0 && gap <= bridged_points_max) {
      const step = (value - values[last]!) / (gap + 1)
      for (let k = 1; k <= gap; k++) bridged[last + k] = values[last]! + k * step
    }
    last = i
  })
  return bridged
}
