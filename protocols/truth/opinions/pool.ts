// Opinion pools: merge distributions over the same labels. Weights sum to one; entropies are in bits.

/** The minimum share of a label the pool rules out, so that no divergence is infinite. */
const share_min = 1e-12
const tie = 1e-12

/** Vectors of equal length that each sum to one. */
export type Vectors = readonly (readonly number[])[]

export interface LogPoolOptions {
  /** Above 1 it sharpens the pool: independent sources that agree know more than each alone. */
  readonly extremize?: number
  /** Prevents vetoes: a lower share counts as this, unless all sources are below it. */
  readonly epsilon?: number
}

export const extremize_default = 1
export const epsilon_default = 1e-4

export function poolLinear(opinions: Vectors, weights: readonly number[]): number[] {
  return normalise(mixture(opinions, weights))
}

/** Proportional to the weighted product: shared evidence may be applied before or after pooling. */
export function poolLog(
  opinions: Vectors,
  weights: readonly number[],
  options: LogPoolOptions = {},
): number[] {
  const { extremize = extremize_default, epsilon = epsilon_default } = options
  const lifted = liftShares(opinions, epsilon)
  const logs = opinions[0]!.map((_, label) =>
    sumOf(lifted.map((shares, place) => weights[place]! * extremize * logOf(shares[label]!))),
  )
  const greatest = Math.max(...logs)
  return normalise(logs.map((log) => Math.exp(log - greatest)))
}

/** Undefined if each label has a majority against it: then there is no median. */
export function poolMedian(opinions: Vectors, weights: readonly number[]): number[] | undefined {
  const medians = opinions[0]!.map((_, label) =>
    weightedMedian(
      opinions.map((shares) => shares[label]!),
      weights,
    ),
  )
  return sumOf(medians) > 0 ? normalise(medians) : undefined
}

/** The weighted median; the midpoint if it falls between two values. */
export function weightedMedian(values: readonly number[], weights: readonly number[]): number {
  const order = values.map((value, place) => ({ value, weight: weights[place]! }))
  order.sort((a, b) => a.value - b.value)
  const half = sumOf(weights) / 2
  let passed = 0
  for (const [place, { value, weight }] of order.entries()) {
    passed += weight
    if (passed > half + tie) return value
    if (passed >= half - tie) {
      const next = order.slice(place + 1).find(({ weight }) => weight > 0)
      return next ? (value + next.value) / 2 : value
    }
  }
  return order.at(-1)!.value
}

export function entropyOf(shares: readonly number[]): number {
  return Math.max(0, -sumOf(shares.map((share) => share * bitsOf(share))))
}

/** Kullback-Leibler divergence in bits. */
export function divergence(from: readonly number[], to: readonly number[]): number {
  const bits = from.map((share, label) =>
    share === 0 ? 0 : share * Math.log2(share / Math.max(to[label]!, share_min)),
  )
  return Math.max(0, sumOf(bits))
}

export interface Disagreement {
  /** Generalised Jensen-Shannon divergence, divided by its maximum for these sources and labels: 0 to 1. */
  readonly degree: number
  /** Each source's share of it; all zero if there is none. */
  readonly parts: readonly number[]
}

export function disagreementOf(opinions: Vectors, weights: readonly number[]): Disagreement {
  const middle = mixture(opinions, weights)
  const parts = opinions.map((shares, place) => weights[place]! * divergence(shares, middle))
  const most = Math.min(Math.log2(middle.length), entropyOf(weights))
  const whole = sumOf(parts)
  // Rounding errors of unanimous sources are not disagreement.
  if (most <= 0 || whole < 1e-14) return { degree: 0, parts: parts.map(() => 0) }
  return { degree: Math.min(1, whole / most), parts: parts.map((part) => part / whole) }
}

/** Sums to one for any input; equal if all are zero. */
export function normalise(parts: readonly number[]): number[] {
  const whole = sumOf(parts)
  return parts.map((part) => (whole > 0 ? part / whole : 1 / parts.length))
}

function mixture(opinions: Vectors, weights: readonly number[]): number[] {
  return opinions[0]!.map((_, label) =>
    sumOf(opinions.map((shares, place) => weights[place]! * shares[label]!)),
  )
}

/** Raises shares to the floor at the expense of the rest: for two labels a plain clamp. */
function liftShares(opinions: Vectors, epsilon: number): number[][] {
  const labels = opinions[0]!.length
  const limit = Math.min(epsilon, 1 / (2 * labels))
  const floors = opinions[0]!.map((_, label) =>
    opinions.reduce(
      (most, shares) => (most < limit ? Math.max(most, Math.min(limit, shares[label]!)) : most),
      0,
    ),
  )
  return opinions.map((shares) => {
    const is_low = (share: number, label: number) => share < floors[label]!
    if (!shares.some(is_low)) return [...shares]
    const lifted = sumOf(floors.filter((_, label) => is_low(shares[label]!, label)))
    const rest = sumOf(shares.filter((share, label) => !is_low(share, label)))
    return shares.map((share, label) =>
      is_low(share, label) ? floors[label]! : (share * (1 - lifted)) / rest,
    )
  })
}

/** A label that all rule out stays ruled out, also for a source of weight zero. */
function logOf(share: number): number {
  return share > 0 ? Math.log(share) : -1e300
}

function bitsOf(share: number): number {
  return share > 0 ? Math.log2(share) : 0
}

function sumOf(values: readonly number[]): number {
  let sum = 0
  for (const value of values) sum += value
  return sum
}
