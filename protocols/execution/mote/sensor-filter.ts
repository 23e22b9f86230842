// Outlier detection among neighbouring readings, and fusion of several sensors. Pure.

/** Hampel filter: compares a value with the median and spread of seven readings. */
export const window_size = 7
const sigmas = 3
/** Scales the median absolute deviation of normal noise to a standard deviation. */
const mad_to_sd = 1.4826
const readings_min = 3

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const [below, above] = [sorted[middle - 1] ?? 0, sorted[middle]!]
  return sorted.length % 2 ? above : below + (above - below) / 2
}

interface Spread {
  readonly median: number
  readonly sd: number
}

/** Never below the floor: with a perfectly steady sensor every change would be suspect. */
export function spreadOf(values: readonly number[], sd_floor: number): Spread {
  const median = medianOf(values)
  const mad = medianOf(values.map((value) => Math.abs(value - median)))
  return { median, sd: Math.max(mad * mad_to_sd, sd_floor) }
}

/** Whether each value is suspect, in order. Values at the ends use the nearest full window. */
export function findSuspects(values: readonly number[], sd_floor: number): boolean[] {
  if (values.length < readings_min) return values.map(() => false)
  const last_start = Math.max(0, values.length - window_size)
  return values.map((value, at) => {
    const start = Math.min(Math.max(0, at - (window_size >> 1)), last_start)
    const { median, sd } = spreadOf(values.slice(start, start + window_size), sd_floor)
    return Math.abs(value - median) > sigmas * sd
  })
}

export interface Opinion {
  readonly sensor_id: string
  readonly value: number
  readonly sd: number
}

export interface Fused {
  readonly value: number
  readonly sd: number
}

/**
 * Inverse-variance mean: more certain sensors weigh more. Where they are further apart than their own deviations explain, its deviation
 * grows by as much (the Birge ratio). Undefined if there are none.
 */
export function fuseOpinions(opinions: readonly Opinion[]): Fused | undefined {
  if (opinions.length === 0) return undefined
  // Relative to the smallest deviation, so that tiny or huge ones do not overflow.
  const sd_min = Math.min(...opinions.map(({ sd }) => sd))
  let [weights, sum] = [0, 0]
  const origin = opinions[0]!.value
  for (const { value, sd } of opinions) {
    const weight = (sd_min / sd) ** 2
    weights += weight
    sum += weight * (value - origin)
  }
  const value = origin + sum / weights
  const strain = opinions.reduce((total, one) => total + ((one.value - value) / one.sd) ** 2, 0)
  const widening = Math.sqrt(Math.max(1, strain / Math.max(1, opinions.length - 1)))
  return { value, sd: (sd_min / Math.sqrt(weights)) * widening }
}

export interface Disagreement {
  readonly a: string
  readonly b: string
  /** In standard deviations of their difference. */
  readonly sigmas: number
}

/** Pairs more than three standard deviations of their difference apart, the widest first. */
export function findDisagreements(opinions: readonly Opinion[]): Disagreement[] {
  const disagreements: Disagreement[] = []
  for (const [place, one] of opinions.entries()) {
    for (const other of opinions.slice(place + 1)) {
      const apart = Math.abs(one.value - other.value) / Math.hypot(one.sd, other.sd)
      if (apart > sigmas) disagreements.push({ a: one.sensor_id, b: other.sensor_id, sigmas: apart })
    }
  }
  return disagreements.sort((a, b) => b.sigmas - a.sigmas)
}
