// Calibration of forecasts: proper scores, Murphy's decomposition, the reliability curve, and the best map.

import { logLoss, wilson } from '../opinions/api.ts'
import { fitMap, type Sample } from './calibration-fit.ts'
import { applyMap, type CalibrationMap, type FittedMethod, fitted_methods } from './calibration-map.ts'

export type Method = 'none' | FittedMethod
export const forecasts_min = 10
/** Below this only Platt's map is fitted. */
export const forecasts_for_any_map = 50

export interface CurvePoint {
  readonly mean_p: number
  readonly freq: number
  readonly n: number
  readonly ci95: [number, number]
}

/** Exact: Brier = reliability - resolution + uncertainty; resolution includes the variation within bins. */
export interface Decomposition {
  readonly reliability: number
  readonly resolution: number
  readonly uncertainty: number
  readonly within_bin_variance: number
  readonly within_bin_covariance: number
}

export interface Scores {
  readonly brier: number
  /** Mean loss in nats: lower is better. */
  readonly log: number
  readonly ece: number
}

export interface CalibrationReport {
  readonly n: number
  readonly base_rate: number
  readonly brier: number
  readonly decomposition: Decomposition
  readonly log_score: number
  readonly ece: number
  readonly mce: number
  /** Variance of the forecasts. */
  readonly sharpness: number
  readonly curve: CurvePoint[]
}

export function reportOn(sample: Sample, bins: number): CalibrationReport {
  const { said, hits, weights } = sample
  const base_rate = meanOf(hits, weights)
  const parts = binsOf(sample, bins)
  const whole = parts.reduce((sum, { mass }) => sum + mass, 0)
  const gaps = parts.map(({ mean_p, freq }) => Math.abs(mean_p - freq))
  const mean_p = meanOf(said, weights)
  return {
    n: said.length,
    base_rate,
    brier: meanOf(
      said.map((p, i) => (p - hits[i]!) ** 2),
      weights,
    ),
    decomposition: decompose(sample, parts, base_rate),
    log_score: meanOf(logsOf(sample), weights),
    ece: parts.reduce((sum, { mass }, at) => sum + (mass / whole) * gaps[at]!, 0),
    mce: Math.max(...gaps),
    sharpness: meanOf(
      said.map((p) => (p - mean_p) ** 2),
      weights,
    ),
    curve: parts.map(({ mean_p, freq, members, mass, square }) => ({
      mean_p,
      freq,
      n: members.length,
      // Weights reduce the effective sample size.
      ci95: wilson(freq, (mass * mass) / square),
    })),
  }
}

interface Bin {
  readonly members: number[]
  readonly mean_p: number
  readonly freq: number
  readonly mass: number
  /** Sum of the squared weights. */
  readonly square: number
}

/** Bins of equal mass that keep equal forecasts together; a group's middle decides its bin. */
function binsOf({ said, hits, weights }: Sample, count: number): Bin[] {
  const order = Uint32Array.from(said.keys()).sort((one, other) => said[one]! - said[other]!)
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  const groups: number[][] = Array.from({ length: count }, () => [])
  let passed = 0
  for (let start = 0; start < order.length; ) {
    let [end, mass] = [start, 0]
    while (end < order.length && said[order[end]!] === said[order[start]!]) mass += weights[order[end++]!]!
    const bin = Math.min(count - 1, Math.floor((count * (passed + mass / 2)) / whole))
    for (let at = start; at < end; at++) groups[bin]!.push(order[at]!)
    passed += mass
    start = end
  }
  return groups
    .filter((members) => members.length > 0)
    .map((members) => {
      let [mass, square, spoken, won] = [0, 0, 0, 0]
      for (const i of members) {
        mass += weights[i]!
        square += weights[i]! ** 2
        spoken += weights[i]! * said[i]!
        won += weights[i]! * hits[i]!
      }
      return { members, mass, square, mean_p: spoken / mass, freq: Math.min(1, won / mass) }
    })
}

function decompose({ said, hits, weights }: Sample, bins: readonly Bin[], base_rate: number): Decomposition {
  const whole = bins.reduce((sum, { mass }) => sum + mass, 0)
  let [reliability, between, variance, covariance] = [0, 0, 0, 0]
  for (const { members, mean_p, freq, mass } of bins) {
    reliability += (mass / whole) * (mean_p - freq) ** 2
    between += (mass / whole) * (freq - base_rate) ** 2
    for (const i of members) {
      const share = weights[i]! / whole
      variance += share * (said[i]! - mean_p) ** 2
      covariance += 2 * share * (said[i]! - mean_p) * (hits[i]! - freq)
    }
  }
  return {
    reliability,
    resolution: between - variance + covariance,
    uncertainty: base_rate * (1 - base_rate),
    within_bin_variance: variance,
    within_bin_covariance: covariance,
  }
}

export interface Choice {
  readonly cross_validated: Partial<Record<Method, Scores>>
  readonly chosen: Method
  readonly map: CalibrationMap
}

/** The best map by cross-validation; none unless its gain is statistically significant. */
export function chooseMap(
  sample: Sample,
  requested_method: 'auto' | Method,
  folds: number,
  bins: number,
  seed: number,
): Choice {
  const fold_of = foldsOf(sample.said.length, folds, seed)
  const raw = logsOf(sample)
  const cross_validated: Partial<Record<Method, Scores>> = {}
  let [chosen, least]: [Method, number] = ['none', 0]
  for (const method of candidatesFor(requested_method, sample.said.length)) {
    const unseen = { ...sample, said: predictUnseen(sample, method, fold_of, folds) }
    const logs = logsOf(unseen)
    const { brier, ece } = reportOn(unseen, bins)
    cross_validated[method] = { brier, log: meanOf(logs, sample.weights), ece }
    const gain = gainOf(raw, logs, sample.weights)
    if (requested_method === 'auto' && gain.mean > gain.error && gain.mean > least)
      [chosen, least] = [method, gain.mean]
  }
  if (requested_method !== 'auto') chosen = requested_method
  return { cross_validated, chosen, map: fitMap(chosen, sample) }
}

function candidatesFor(requested_method: 'auto' | Method, n: number): Method[] {
  if (requested_method === 'auto')
    return n < forecasts_for_any_map ? ['none', 'platt'] : ['none', ...fitted_methods]
  return requested_method === 'none' ? ['none'] : ['none', requested_method]
}

function predictUnseen(sample: Sample, method: Method, fold_of: Uint8Array, folds: number): Float64Array {
  if (method === 'none') return sample.said
  const unseen = new Float64Array(sample.said.length)
  for (let fold = 0; fold < folds; fold++) {
    const isTraining = (_: number, i: number) => fold_of[i] !== fold
    const { said, hits, weights } = sample
    const map = fitMap(method, {
      said: said.filter(isTraining),
      hits: hits.filter(isTraining),
      weights: weights.filter(isTraining),
    })
    for (let i = 0; i < said.length; i++) if (fold_of[i] === fold) unseen[i] = applyMap(map, said[i]!)
  }
  return unseen
}

/** Of equal size, random but deterministic per seed. */
function foldsOf(n: number, folds: number, seed: number): Uint8Array {
  const fold_of = Uint8Array.from({ length: n }, (_, i) => i % folds)
  let state = seed >>> 0
  for (let last = n - 1; last > 0; last--) {
    state = (state + 0x9e3779b9) >>> 0
    const other = mix(state) % (last + 1)
    ;[fold_of[last], fold_of[other]] = [fold_of[other]!, fold_of[last]!]
  }
  return fold_of
}

function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

/** The mean gain per forecast, and its standard error. */
function gainOf(before: Float64Array, after: Float64Array, weights: Float64Array) {
  const gains = before.map((log, i) => log - after[i]!)
  const mean = meanOf(gains, weights)
  let [square, whole] = [0, 0]
  for (let i = 0; i < gains.length; i++) {
    square += (weights[i]! * (gains[i]! - mean)) ** 2
    whole += weights[i]!
  }
  return { mean, error: Math.sqrt(square) / whole }
}

function logsOf({ said, hits }: Sample): Float64Array {
  return said.map((p, i) => logLoss(hits[i] === 1 ? p : 1 - p))
}

function meanOf(values: Float64Array, weights: Float64Array): number {
  let [sum, whole] = [0, 0]
  for (let i = 0; i < values.length; i++) {
    sum += weights[i]! * values[i]!
    whole += weights[i]!
  }
  return sum / whole
}
