// Vincentization: averages quantiles level by level, which keeps their common shape.
import { type Curve, faulty, type Opinion, requireCurve, weightedMedian } from '../opinions/api.ts'

export interface PooledCurve {
  readonly quantiles: [number, number][]
  /** The share of the variance between the sources rather than within them: 0 to 1. */
  readonly disagreement: number
  readonly parts: readonly number[]
  /** Whether a source's whole range is outside the pool's. */
  readonly dissenting: readonly boolean[]
}

export function curvesOf(opinions: readonly Opinion[]): Curve[] {
  return opinions.map(({ quantiles }, place) => requireCurve(quantiles!, `/opinions/${place}/quantiles`))
}

export function poolCurves(
  curves: readonly Curve[],
  weights: readonly number[],
  by: 'average' | 'median',
): PooledCurve {
  const levels = levelsOf(curves)
  const values = curves.map((curve) => levels.map((level) => valueAt(curve, level)))
  const pooled = levels.map((_, at) => {
    const here = values.map((row) => row[at]!)
    return by === 'median' ? weightedMedian(here, weights) : averageOf(here, weights)
  })
  const { disagreement, parts } = spreadOf(levels, values, weights)
  return {
    quantiles: levels.map((level, at) => [level, pooled[at]!]),
    disagreement,
    parts,
    dissenting: values.map((row) => row.at(-1)! < pooled[0]! || row[0]! > pooled.at(-1)!),
  }
}

/** Every level that a source named and all cover: no extrapolation. */
function levelsOf(curves: readonly Curve[]): number[] {
  const from = Math.max(...curves.map((curve) => curve[0]![0]))
  const to = Math.min(...curves.map((curve) => curve.at(-1)![0]))
  const named = new Set(curves.flatMap((curve) => curve.map(([level]) => level)))
  const levels = [...named].filter((level) => level >= from && level <= to).sort((a, b) => a - b)
  if (levels.length === 0)
    throw faulty('levels_differ', '/opinions', 'have no level of quantiles that all of them reach')
  return levels
}

function valueAt(curve: Curve, level: number): number {
  const after = curve.findIndex(([at]) => at >= level)
  const [high, value] = curve[after]!
  if (high === level) return value
  const [low, below] = curve[after - 1]!
  return below + ((value - below) * (level - low)) / (high - low)
}

function averageOf(values: readonly number[], weights: readonly number[]): number {
  let sum = 0
  for (const [at, value] of values.entries()) sum += value * weights[at]!
  // Rounding must not exceed the range of the values.
  return Math.min(Math.max(sum, Math.min(...values)), Math.max(...values))
}

function spreadOf(
  levels: readonly number[],
  values: readonly (readonly number[])[],
  weights: readonly number[],
) {
  const masses = massesOf(levels)
  const means = values.map((row) => averageOf(row, masses))
  const within = values.map((row, place) =>
    row.reduce((sum, value, at) => sum + masses[at]! * (value - means[place]!) ** 2, 0),
  )
  const centre = averageOf(means, weights)
  const between = means.map((mean, place) => weights[place]! * (mean - centre) ** 2)
  const apart = between.reduce((sum, part) => sum + part, 0)
  const inside = averageOf(within, weights)
  const total = apart + inside
  return {
    disagreement: total > 0 ? apart / total : 0,
    parts: between.map((part) => (apart > 0 ? part / apart : 0)),
  }
}

/** The share of the range between the outer levels that each level represents. */
function massesOf(levels: readonly number[]): number[] {
  if (levels.length === 1) return [1]
  const whole = levels.at(-1)! - levels[0]!
  return levels.map((_, at) => {
    const before = levels[Math.max(0, at - 1)]!
    const after = levels[Math.min(levels.length - 1, at + 1)]!
    return (after - before) / 2 / whole
  })
}
