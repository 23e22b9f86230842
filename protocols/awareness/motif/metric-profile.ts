// The matrix profile: for each window, the most similar other window after z-normalisation.

export interface ProfilePair {
  readonly a: number
  readonly b: number
  readonly distance: number
}

export interface Profile {
  /** Distance to the nearest window; NaN if the window has a missing point or there is none to compare. */
  readonly distances: Float64Array
  readonly nearest: Int32Array
}

/** A spread this small relative to the level is rounding noise. */
const flat_share = 1e-10

/** Windows that overlap by half or more count as the same. */
export function exclusionOf(window: number): number {
  return Math.ceil(window / 2)
}

interface Windows {
  readonly means: Float64Array
  /** 1 / norm of the centred window; NaN if it is flat or has a missing point. */
  readonly scales: Float64Array
  /** Positions of windows without missing points, in order: with a shape, and flat. */
  readonly shaped: readonly number[]
  readonly flat: readonly number[]
}

/**
 * STOMP, computed along the diagonals on covariances: the same result, without cancellation at high levels.
 * Two flat windows have distance 0; a flat and a shaped one √window, as if uncorrelated.
 */
export function matrixProfile(values: Float64Array, window: number): Profile {
  const count = Math.max(0, values.length - window + 1)
  const filled = values.map((value) => (Number.isNaN(value) ? 0 : value))
  const windows = windowsOf(values, filled, window, count)
  const { means, scales } = windows
  const best = new Float64Array(count).fill(-2)
  const nearest = new Int32Array(count).fill(-1)
  const [half_steps, sums] = differencesOf(filled, means, window, count)
  for (let lag = exclusionOf(window); lag < count; lag++) {
    let covariance = firstCovariance(filled, means, window, lag)
    for (let i = 0, j = lag; j < count; i++, j++) {
      // Both differences start at 0. A window without shape is NaN, so it is never the best.
      covariance += half_steps[i]! * sums[j]! + half_steps[j]! * sums[i]!
      const alike = covariance * scales[i]! * scales[j]!
      if (alike > best[i]!) {
        best[i] = alike
        nearest[i] = j
      }
      if (alike > best[j]!) {
        best[j] = alike
        nearest[j] = i
      }
    }
  }
  compareFlat(windows, exclusionOf(window), best, nearest)
  const distances = best.map((alike) =>
    alike < -1.5 ? NaN : Math.sqrt(2 * window * Math.max(0, 1 - Math.max(-1, alike))),
  )
  return { distances, nearest }
}

/** If any window is far enough away to be compared, the first or the last of its kind is. */
function compareFlat(
  { shaped, flat }: Windows,
  apart: number,
  best: Float64Array,
  nearest: Int32Array,
): void {
  const offer = (places: readonly number[], others: readonly number[], alike: number) => {
    for (const place of places) {
      const other = [others[0], others.at(-1)].find((at) => at !== undefined && Math.abs(at - place) >= apart)
      if (other === undefined || best[place]! >= alike) continue
      best[place] = alike
      nearest[place] = other
    }
  }
  offer(flat, flat, 1)
  offer(flat, shaped, 0.5)
  offer(shaped, flat, 0.5)
}

function windowsOf(values: Float64Array, filled: Float64Array, window: number, count: number): Windows {
  const means = new Float64Array(count)
  const scales = new Float64Array(count).fill(NaN)
  const [shaped, flat]: [number[], number[]] = [[], []]
  for (let i = 0; i < count; i++) {
    let sum = 0
    let is_whole = true
    for (let k = i; k < i + window; k++) {
      sum += filled[k]!
      if (Number.isNaN(values[k]!)) is_whole = false
    }
    means[i] = sum / window
    if (!is_whole) continue
    const norm = normOf(filled, i, window, means[i]!)
    if (norm > 0) {
      shaped.push(i)
      scales[i] = 1 / norm
    } else flat.push(i)
  }
  return { means, scales, shaped, flat }
}

/** The norm of a centred window; 0 if it differs from a flat one only by rounding. */
function normOf(values: Float64Array, from: number, window: number, mean: number): number {
  let squares = 0
  for (let k = from; k < from + window; k++) squares += (values[k]! - mean) ** 2
  const norm = Math.sqrt(squares)
  return norm > flat_share * Math.abs(mean) * Math.sqrt(window) ? norm : 0
}

function firstCovariance(filled: Float64Array, means: Float64Array, window: number, lag: number): number {
  let covariance = 0
  for (let k = 0; k < window; k++) covariance += (filled[k]! - means[0]!) * (filled[lag + k]! - means[lag]!)
  return covariance
}

/** The change of a covariance when both windows move on by one. */
function differencesOf(filled: Float64Array, means: Float64Array, window: number, count: number) {
  const half_steps = new Float64Array(count)
  const sums = new Float64Array(count)
  for (let i = 1; i < count; i++) {
    half_steps[i] = (filled[i + window - 1]! - filled[i - 1]!) / 2
    sums[i] = filled[i + window - 1]! - means[i]! + (filled[i - 1]! - means[i - 1]!)
  }
  return [half_steps, sums] as const
}

/** The two most similar windows. Flat ones are excluded: they are not a pattern. */
export function topMotif(
  { distances, nearest }: Profile,
  values: Float64Array,
  window: number,
): ProfilePair | undefined {
  let best: ProfilePair | undefined
  distances.forEach((distance, a) => {
    if (Number.isNaN(distance) || distance >= (best?.distance ?? Number.POSITIVE_INFINITY)) return
    const mean = meanOf(values, a, window)
    if (normOf(values, a, window, mean) === 0) return
    best = { a: Math.min(a, nearest[a]!), b: Math.max(a, nearest[a]!), distance }
  })
  return best
}

/** The window least similar to any other. */
export function topDiscord({ distances }: Profile): { at: number; distance: number } | undefined {
  let best: { at: number; distance: number } | undefined
  distances.forEach((distance, at) => {
    if (distance > (best?.distance ?? 0)) best = { at, distance }
  })
  return best
}

function meanOf(values: Float64Array, from: number, window: number): number {
  return values.subarray(from, from + window).reduce((sum, value) => sum + value, 0) / window
}
