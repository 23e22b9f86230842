// Inverse transform sampling with numbers fixed per position: increasing a parameter never lowers a draw.

/** The distribution of a quantity. */
export type Spread =
  | { readonly kind: 'constant'; readonly value: number }
  /** PERT: a beta distribution between low and high, with the mode weighted four times. */
  | { readonly kind: 'pert'; readonly low: number; readonly mode: number; readonly high: number }
  | { readonly kind: 'lognormal'; readonly p5: number; readonly p95: number }
  /** A proportion by Jeffreys' posterior of hits in trials, times a scale. */
  | { readonly kind: 'jeffreys'; readonly hits: number; readonly trials: number; readonly scale: number }

export type Quantile = (u: number) => number

const z95 = 1.6448536269514722
const grid = 4096
const guides = 4096
const exact_rate_max = 64
const steps_max = 1024

export function quantileOf(spread: Spread): Quantile {
  switch (spread.kind) {
    case 'constant':
      return () => spread.value
    case 'pert': {
      const { low, mode, high } = spread
      if (high <= low) return () => low
      const [a, b] = [1 + (4 * (mode - low)) / (high - low), 1 + (4 * (high - mode)) / (high - low)]
      const share = betaQuantile(a, b)
      return (u) => low + (high - low) * share(u)
    }
    case 'lognormal': {
      const [low, high] = [Math.log(spread.p5), Math.log(spread.p95)]
      const [centre, sigma] = [(low + high) / 2, (high - low) / (2 * z95)]
      return (u) => Math.exp(centre + sigma * normalQuantile(u))
    }
    case 'jeffreys': {
      const share = betaQuantile(spread.hits + 0.5, spread.trials - spread.hits + 0.5)
      return (u) => spread.scale * share(u)
    }
  }
}

/** Parametrized by the angle whose squared sine is the share: no poles, even for exponents of one half. */
function betaQuantile(a: number, b: number): Quantile {
  const step = Math.PI / 2 / grid
  const logs = Float64Array.from({ length: grid + 1 }, (_, at) => {
    const angle = at * step
    return powerLog(Math.sin(angle), 2 * a - 1) + powerLog(Math.cos(angle), 2 * b - 1)
  })
  const most = logs.reduce((greatest, log) => Math.max(greatest, log), Number.NEGATIVE_INFINITY)
  const passed = new Float64Array(grid + 1)
  for (let at = 1; at <= grid; at++)
    passed[at] = passed[at - 1]! + (Math.exp(logs[at - 1]! - most) + Math.exp(logs[at]! - most)) / 2
  return invert(passed, step)
}

/** Finds a share of the total in a cumulative table; a guide table gives the starting point. */
function invert(passed: Float64Array, step: number): Quantile {
  const whole = passed[grid]!
  const guide = new Uint16Array(guides + 1)
  for (let place = 0, low = 0; place <= guides; place++) {
    while (low < grid - 1 && passed[low + 1]! <= (place / guides) * whole) low++
    guide[place] = low
  }
  return (u) => {
    const target = u * whole
    let low = guide[Math.floor(u * guides)]!
    while (low < grid - 1 && passed[low + 1]! <= target) low++
    const width = passed[low + 1]! - passed[low]!
    const part = width > 0 ? Math.min(1, Math.max(0, (target - passed[low]!) / width)) : 0
    return Math.sin((low + part) * step) ** 2
  }
}

/** The cosine of a right angle is not exactly zero in floating point. */
function powerLog(base: number, exponent: number): number {
  if (exponent === 0) return 0
  return base > 1e-12 ? exponent * Math.log(base) : Number.NEGATIVE_INFINITY
}

/** Acklam's rational approximation; relative error about 1e-9. */
export function normalQuantile(u: number): number {
  if (u < 0.02425) return tail(Math.sqrt(-2 * Math.log(u)))
  if (u > 1 - 0.02425) return -tail(Math.sqrt(-2 * Math.log(1 - u)))
  const q = u - 0.5
  const r = q * q
  const over =
    ((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r + 138.357751867269) * r -
      30.66479806614716) *
      r +
    2.506628277459239
  const under =
    ((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r + 66.80131188771972) * r -
      13.28068155288572) *
      r +
    1
  return (over * q) / under
}

function tail(q: number): number {
  const over =
    ((((-0.007784894002430293 * q - 0.3223964580411365) * q - 2.400758277161838) * q - 2.549732539343734) *
      q +
      4.374664141464968) *
      q +
    2.938163982698783
  const under =
    (((0.007784695709041462 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) * q +
    1
  return over / under
}

/** Event count: exact up to a rate of 64, above it Cornish-Fisher, but never less than at 64. */
export function poissonQuantile(u: number, rate: number): number {
  // Rounded, so that rounding in the sums cannot reverse the order of two rates.
  const exact = invertPoisson(u, Math.fround(Math.min(rate, exact_rate_max)))
  if (rate <= exact_rate_max) return exact
  const z = normalQuantile(u)
  return Math.max(exact, Math.floor(rate + z * Math.sqrt(rate) + (z * z + 2) / 6))
}

function invertPoisson(u: number, rate: number): number {
  let term = Math.exp(-rate)
  let passed = term
  let events = 0
  while (passed < u && events < steps_max) {
    events++
    term *= rate / events
    passed += term
  }
  return events
}

/** Numbers in (0, 1) that depend only on seed, stream and position. */
export class Draws {
  readonly #seed: number
  #key = 0
  #state = 0
  constructor(seed: number) {
    this.#seed = seed
  }
  /** Moves to the first number of this position. */
  goTo(place: number): void {
    this.#state = mixWord((this.#seed + Math.imul(place, 0x9e3779b9)) | 0)
    this.#key = mixWord(this.#state ^ this.#seed ^ 0x85ebca6b)
  }
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0
    return shareOf(mixWord(mixWord(this.#state) ^ this.#key))
  }
}

/** In the open interval (0, 1). */
export function shareOf(word: number): number {
  return ((word >>> 0) + 0.5) / 4_294_967_296
}

/** Signed 32-bit words: the JavaScript engine keeps them unboxed. */
export function mixWord(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return mixed ^ (mixed >>> 15)
}
