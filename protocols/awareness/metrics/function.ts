// Functions over a series. A window is [t, t + step): each point counts in exactly one window.

import type { MetricKind } from '@svc/contract/needs/measurement'
import { refuse } from '@svc/contract/refusal'

export const metric_functions = [
  'raw',
  'rate',
  'increase',
  'sum',
  'count',
  'avg',
  'min',
  'max',
  'p50',
  'p95',
  'p99',
] as const
export type MetricFunction = (typeof metric_functions)[number]

/** The sum of all points of one series, or of several, in one window. */
export interface WindowSum {
  readonly value: number
  readonly count: number
  readonly min: number | null
  readonly max: number | null
  readonly last: number
  readonly buckets: readonly number[] | null
}

const quantiles: Partial<Record<MetricFunction, number>> = { p50: 0.5, p95: 0.95, p99: 0.99 }
const kinds_of: Readonly<Record<MetricFunction, readonly MetricKind[]>> = {
  raw: ['counter', 'gauge', 'histogram'],
  rate: ['counter', 'histogram'],
  increase: ['counter', 'histogram'],
  sum: ['gauge', 'histogram'],
  count: ['gauge', 'histogram'],
  avg: ['gauge', 'histogram'],
  min: ['gauge', 'histogram'],
  max: ['gauge', 'histogram'],
  p50: ['histogram'],
  p95: ['histogram'],
  p99: ['histogram'],
}

export function requireFunction(metric_function: MetricFunction, kind: MetricKind, metric: string): void {
  if (kinds_of[metric_function].includes(kind)) return
  const others = metric_functions.filter((name) => kinds_of[name].includes(kind))
  throw refuse(
    'invalid_payload',
    `${metric} is a ${kind}, of which ${metric_function} says nothing; ask for ${others.join(', ')}.`,
    {
      reason: 'wrong_function',
      faults: [{ pointer: '/function', message: `does not fit a ${kind}` }],
    },
  )
}

/**
 * `increase` is what was counted in the window, without extrapolation, so that neighbouring windows add up;
 * `rate` is that per second. For a histogram both refer to the number of observations.
 */
export function windowValue(
  metric_function: MetricFunction,
  kind: MetricKind,
  sum: WindowSum,
  window_ms: number,
  bounds: readonly number[],
): number | undefined {
  const increase = kind === 'counter' ? sum.value : sum.count
  const quantile = quantiles[metric_function]
  if (quantile !== undefined) return sum.buckets ? quantileOf(quantile, sum.buckets, bounds) : undefined
  switch (metric_function) {
    case 'increase':
      return increase
    case 'rate':
      return (increase * 1000) / window_ms
    case 'sum':
      return sum.value
    case 'count':
      return sum.count
    case 'avg':
      return sum.count > 0 ? sum.value / sum.count : undefined
    case 'min':
      return sum.min ?? undefined
    case 'max':
      return sum.max ?? undefined
    default:
      return sum.last
  }
}

/**
 * As Prometheus' histogram_quantile: linear within a bucket; the first starts at 0 unless its bound is not
 * positive, and the open last bucket yields the highest bound.
 */
export function quantileOf(
  quantile: number,
  buckets: readonly number[],
  bounds: readonly number[],
): number | undefined {
  const total = buckets.reduce((sum, count) => sum + count, 0)
  if (total === 0 || bounds.length === 0) return undefined
  const rank = quantile * total
  let before = 0
  let place = 0
  while (place < bounds.length && before + buckets[place]! < rank) before += buckets[place++]!
  if (place >= bounds.length) return bounds.at(-1)
  const upper = bounds[place]!
  const lower = place === 0 ? 0 : bounds[place - 1]!
  if (place === 0 && upper <= 0) return upper
  const within = buckets[place]!
  return within === 0 ? upper : lower + ((upper - lower) * (rank - before)) / within
}

/** The number of values up to this one; linear within its bucket. */
export function countUpTo(value: number, buckets: readonly number[], bounds: readonly number[]): number {
  let counted = 0
  for (const [place, count] of buckets.entries()) {
    const upper = bounds[place] ?? Number.POSITIVE_INFINITY
    const lower = place === 0 ? 0 : bounds[place - 1]!
    if (value >= upper) counted += count
    else if (value > lower && Number.isFinite(upper)) counted += (count * (value - lower)) / (upper - lower)
  }
  return counted
}
