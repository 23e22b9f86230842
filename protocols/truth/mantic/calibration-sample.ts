// What calibrate reads of forecasts: events with their probabilities, and the textbook's scores of the forecasts themselves.
import {
  type Curve,
  faulty,
  hitOf,
  requireCurve,
  requireWhole,
  type StoredForecast,
  scoreEvent,
  scoreQuantiles,
  scoreShares,
} from '../opinions/api.ts'
import type { Sample } from './calibration-fit.ts'
import type { AssertedForecast } from './calibration-schema.ts'

/** Quantiles give one event for each level. */
const events_max = 200_000

export type ForecastKind = 'binary' | 'categories' | 'quantity'

export interface ResolvedForecast {
  readonly kind: ForecastKind
  readonly forecast: StoredForecast
  /** 1 or 0, the place of the category, or the value. */
  readonly outcome: number
  readonly weight: number
}

/** All of one kind. */
export interface Reading {
  readonly kind: ForecastKind
  readonly forecasts: number
  readonly sample: Sample
  /** Weighted means of the forecasts. */
  readonly scores: {
    readonly brier?: number
    readonly log?: number
    readonly crps?: number
    readonly quantile?: number
  }
}

/** Of what was reported; `pointer` leads to the forecast. */
export function readAsserted(
  { p, distribution, quantiles, outcome, weight = 1 }: AssertedForecast,
  pointer: string,
): ResolvedForecast {
  if ([p, distribution, quantiles].filter((form) => form !== undefined).length !== 1)
    throw faulty('one_of', pointer, 'must say exactly one of p, distribution and quantiles')
  if (quantiles) {
    const forecast = requireCurve(quantiles, `${pointer}/quantiles`)
    if (typeof outcome !== 'number') throw unspoken(pointer)
    return { kind: 'quantity', forecast, outcome, weight }
  }
  if (distribution) {
    const labels = Object.keys(distribution).sort()
    const forecast = requireWhole(
      labels.map((label) => distribution[label]!),
      `${pointer}/distribution`,
    )
    const place = typeof outcome === 'string' ? labels.indexOf(outcome) : -1
    if (place < 0) throw unspoken(pointer)
    return { kind: 'categories', forecast, outcome: place, weight }
  }
  const hit = hitOf(outcome)
  if (hit === undefined) throw unspoken(pointer)
  return { kind: 'binary', forecast: p!, outcome: hit, weight }
}

function unspoken(pointer: string) {
  return faulty('outcome_not_in_labels', `${pointer}/outcome`, 'is none that the forecast speaks of')
}

export function readAll(resolved: readonly ResolvedForecast[]): Reading {
  const kind = resolved[0]?.kind ?? 'binary'
  const [probabilities, hits, weights]: [number[], number[], number[]] = [[], [], []]
  const sums = { brier: 0, log: 0, crps: 0, quantile: 0, whole: 0 }
  for (const [place, { kind: other, forecast, outcome, weight }] of resolved.entries()) {
    if (other !== kind)
      throw faulty(
        'kinds_differ',
        `/forecasts/${place}`,
        `is ${other}, and the first is ${kind}; calibrate each alone`,
      )
    const events = eventsOf(kind, forecast, outcome)
    if (probabilities.length + events.length > events_max)
      throw faulty(
        'too_large',
        '/forecasts',
        `have more than ${events_max} levels together; calibrate fewer at once`,
      )
    for (const [probability, hit] of events) {
      probabilities.push(probability)
      hits.push(hit)
      weights.push(weight / events.length)
    }
    const { brier = 0, log = 0, crps = 0, quantile = 0 } = scoreOf(kind, forecast, outcome)
    sums.brier += weight * brier
    sums.log += weight * log
    sums.crps += weight * crps
    sums.quantile += weight * quantile
    sums.whole += weight
  }
  const { whole, ...totals } = sums
  const of = (name: keyof typeof totals) => totals[name] / whole
  return {
    kind,
    forecasts: resolved.length,
    sample: {
      said: Float64Array.from(probabilities),
      hits: Float64Array.from(hits),
      weights: Float64Array.from(weights),
    },
    scores:
      kind === 'quantity'
        ? { crps: of('crps'), quantile: of('quantile') }
        : { brier: of('brier'), log: of('log') },
  }
}

type Event = readonly [probability: number, hit: 0 | 1]

function eventsOf(kind: ForecastKind, forecast: StoredForecast, outcome: number): readonly Event[] {
  if (kind === 'binary') return [[forecast as number, outcome === 1 ? 1 : 0]]
  if (kind === 'quantity')
    return (forecast as Curve).map(([level, value]) => [level, outcome <= value ? 1 : 0] as const)
  // On a tie, the first label in order.
  const shares = forecast as readonly number[]
  const top = shares.reduce((best, share, place) => (share > shares[best]! ? place : best), 0)
  return [[shares[top]!, top === outcome ? 1 : 0]]
}

function scoreOf(kind: ForecastKind, forecast: StoredForecast, outcome: number) {
  if (kind === 'binary') return scoreEvent(forecast as number, outcome === 1 ? 1 : 0)
  if (kind === 'categories') return scoreShares(forecast as readonly number[], outcome)
  // The width of a range decides only weights, of which there are none here.
  return scoreQuantiles(forecast as Curve, outcome, 1)
}
