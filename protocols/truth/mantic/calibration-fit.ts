// Fits the maps: Newton's method on a penalised logistic loss, and pool-adjacent-violators.
import { type CalibrationMap, type FittedMethod, logistic, logit, logOf } from './calibration-map.ts'

/** Forecasts with outcomes 0 or 1, in columns. */
export interface Sample {
  readonly said: Float64Array
  readonly hits: Float64Array
  readonly weights: Float64Array
}

/** Regularizes toward the identity, so that identical forecasts also have a unique fit. */
const ridge = 1e-3
const newton_steps_max = 50
const halvings_max = 30
const temperature_max = 1000

export function fitMap(method: 'none' | FittedMethod, sample: Sample): CalibrationMap {
  switch (method) {
    case 'none':
      return { method }
    case 'platt':
      return fitPlatt(sample)
    case 'temperature':
      return fitTemperature(sample)
    case 'beta':
      return fitBeta(sample)
    case 'isotonic':
      return fitIsotonic(sample)
  }
}

/** Platt's targets are smoothed: not quite 0 and 1. */
function fitPlatt(sample: Sample): CalibrationMap {
  const { hits, weights } = sample
  let [won, lost] = [0, 0]
  for (let i = 0; i < hits.length; i++) {
    won += weights[i]! * hits[i]!
    lost += weights[i]! * (1 - hits[i]!)
  }
  const targets = hits.map((hit) => (hit === 1 ? (won + 1) / (won + 2) : 1 / (lost + 2)))
  const columns = [sample.said.map(logit), new Float64Array(hits.length).fill(1)]
  const [a, b] = fitLogistic(columns, targets, weights, [1, 0], 1)
  return { method: 'platt', a: a!, b: b! }
}

function fitTemperature({ said, hits, weights }: Sample): CalibrationMap {
  const [a] = fitLogistic([said.map(logit)], hits, weights, [1], 1)
  return { method: 'temperature', temperature: 1 / Math.max(a!, 1 / temperature_max) }
}

function fitBeta({ said, hits, weights }: Sample): CalibrationMap {
  const columns = [said.map(logOf), said.map((p) => -logOf(1 - p)), new Float64Array(said.length).fill(1)]
  const [a, b, c] = fitLogistic(columns, hits, weights, [1, 1, 0], 2)
  return { method: 'beta', a: a!, b: b!, c: c! }
}

/** The first coefficients must not be negative: a negative one is dropped and the rest refitted. */
function fitLogistic(
  columns: readonly Float64Array[],
  targets: Float64Array,
  weights: Float64Array,
  prior: readonly number[],
  rising: number,
): number[] {
  const free = columns.map((_, at) => at)
  for (;;) {
    const fitted = newton(
      free.map((at) => columns[at]!),
      targets,
      weights,
      free.map((at) => prior[at]!),
    )
    const worst = free
      .map((at, place) => ({ at, value: fitted[place]! }))
      .filter(({ at, value }) => at < rising && value < 0)
      .sort((one, other) => one.value - other.value)[0]
    if (!worst) return columns.map((_, at) => (free.includes(at) ? fitted[free.indexOf(at)]! : 0))
    free.splice(free.indexOf(worst.at), 1)
    if (free.length === 0) return columns.map(() => 0)
  }
}

function newton(
  columns: readonly Float64Array[],
  targets: Float64Array,
  weights: Float64Array,
  prior: readonly number[],
): number[] {
  let theta = [...prior]
  let loss = lossAt(columns, targets, weights, prior, theta)
  for (let step = 0; step < newton_steps_max; step++) {
    const move = solve(...slopes(columns, targets, weights, prior, theta))
    let [scale, next, next_loss] = [1, theta, loss]
    for (let halving = 0; halving < halvings_max; halving++, scale /= 2) {
      next = theta.map((value, at) => value - scale * move[at]!)
      next_loss = lossAt(columns, targets, weights, prior, next)
      if (next_loss <= loss) break
    }
    if (!(next_loss <= loss)) return theta
    const moved = Math.max(...next.map((value, at) => Math.abs(value - theta[at]!)))
    theta = next
    loss = next_loss
    if (moved < 1e-9) break
  }
  return theta
}

function dotAt(columns: readonly Float64Array[], theta: readonly number[], i: number): number {
  let sum = 0
  for (let at = 0; at < columns.length; at++) sum += columns[at]![i]! * theta[at]!
  return sum
}

function lossAt(
  columns: readonly Float64Array[],
  targets: Float64Array,
  weights: Float64Array,
  prior: readonly number[],
  theta: readonly number[],
): number {
  let loss = 0
  for (let at = 0; at < theta.length; at++) loss += (ridge / 2) * (theta[at]! - prior[at]!) ** 2
  for (let i = 0; i < targets.length; i++) {
    const z = dotAt(columns, theta, i)
    // ln(1 + e^z) without overflow.
    loss += weights[i]! * (Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z))) - targets[i]! * z)
  }
  return loss
}

function slopes(
  columns: readonly Float64Array[],
  targets: Float64Array,
  weights: Float64Array,
  prior: readonly number[],
  theta: readonly number[],
): [curvature: number[][], gradient: number[]] {
  const size = theta.length
  const gradient = theta.map((value, at) => ridge * (value - prior[at]!))
  const curvature = theta.map((_, row) => theta.map((_, column) => (row === column ? ridge : 0)))
  for (let i = 0; i < targets.length; i++) {
    const q = logistic(dotAt(columns, theta, i))
    const [slope, bend] = [weights[i]! * (q - targets[i]!), weights[i]! * q * (1 - q)]
    for (let row = 0; row < size; row++) {
      const x = columns[row]![i]!
      gradient[row]! += slope * x
      for (let column = 0; column <= row; column++)
        curvature[row]![column]! += bend * x * columns[column]![i]!
    }
  }
  for (let row = 0; row < size; row++)
    for (let column = row + 1; column < size; column++) curvature[row]![column] = curvature[column]![row]!
  return [curvature, gradient]
}

/** Gaussian elimination with pivoting, for at most three unknowns. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at]!])
  const size = rows.length
  for (let pivot = 0; pivot < size; pivot++) {
    let best = pivot
    for (let row = pivot + 1; row < size; row++)
      if (Math.abs(rows[row]![pivot]!) > Math.abs(rows[best]![pivot]!)) best = row
    ;[rows[pivot], rows[best]] = [rows[best]!, rows[pivot]!]
    for (let row = 0; row < size; row++) {
      if (row === pivot) continue
      const factor = rows[row]![pivot]! / rows[pivot]![pivot]!
      for (let column = pivot; column <= size; column++) rows[row]![column]! -= factor * rows[pivot]![column]!
    }
  }
  return rows.map((row, at) => row[size]! / row[at]!)
}

interface Block {
  readonly from: number
  to: number
  mass: number
  won: number
}

/** Merges adjacent violators: the best monotone fit. */
function fitIsotonic(sample: Sample): CalibrationMap {
  const blocks: Block[] = []
  for (const block of groupsOf(sample)) {
    blocks.push(block)
    for (let last = blocks.at(-1)!; blocks.length > 1; last = blocks.at(-1)!) {
      const before = blocks.at(-2)!
      if (before.won / before.mass < last.won / last.mass) break
      blocks.splice(-2, 2, {
        from: before.from,
        to: last.to,
        mass: before.mass + last.mass,
        won: before.won + last.won,
      })
    }
  }
  const knots = blocks.flatMap(({ from, to, mass, won }): [number, number][] => {
    const meant = Math.min(1, won / mass)
    return from === to
      ? [[from, meant]]
      : [
          [from, meant],
          [to, meant],
        ]
  })
  return { method: 'isotonic', knots }
}

/** Merges equal forecasts, ascending. */
function groupsOf({ said, hits, weights }: Sample): Block[] {
  const order = Uint32Array.from(said.keys()).sort((one, other) => said[one]! - said[other]!)
  const groups: Block[] = []
  for (const i of order) {
    const last = groups.at(-1)
    if (last && last.to === said[i]!) {
      last.mass += weights[i]!
      last.won += weights[i]! * hits[i]!
    } else groups.push({ from: said[i]!, to: said[i]!, mass: weights[i]!, won: weights[i]! * hits[i]! })
  }
  return groups
}
