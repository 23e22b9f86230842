// FAIR: losses of a period as number of events times loss each, by Monte Carlo with common random numbers.
import { Draws, mixWord, poissonQuantile, quantileOf, type Spread, shareOf } from './risk-draw.ts'

export interface RiskFactor {
  readonly id: string
  /** Events in the whole period, after controls. */
  readonly frequency: Spread
  /** The share that controls leave: 0 to 1. */
  readonly exposure: number
  readonly loss: Spread
  /** Indexes of factors that must have occurred in the same period. */
  readonly depends_on: readonly number[]
  /** Seeds the factor's own random numbers. */
  readonly seed: number
}

/** The worst 5 %. */
const tail_share = 0.05
const resamples = 200
const traced_max = 2000
/** Total draws; with a smaller budget, events are drawn in lots sooner. */
const draws_budget = 60_000_000
const single_events_max = 128
/** The number of times lots double at the highest allowed rate. */
const doublings_max = 24

const band_edges = [25, 50, 75] as const
export type Band = 'low' | 'moderate' | 'high' | 'critical'

export interface Simulation {
  /** One loss for each period simulated. */
  readonly totals: Float64Array
  /** Of the first periods: the loss from each factor. */
  readonly parts: readonly Float64Array[]
}

/** Factors come after their dependencies. */
export function simulate(factors: readonly RiskFactor[], iterations: number): Simulation {
  const totals = new Float64Array(iterations)
  const struck: Uint8Array[] = []
  const affordable = Math.floor(draws_budget / (iterations * factors.length * doublings_max))
  const single = Math.min(single_events_max, Math.max(1, affordable))
  const parts = factors.map((factor) => {
    const part = new Float64Array(Math.min(iterations, traced_max))
    const happened = new Uint8Array(iterations)
    const conditions = factor.depends_on.map((place) => struck[place]!)
    const [frequency, loss] = [quantileOf(factor.frequency), quantileOf(factor.loss)]
    const fixed_loss = factor.loss.kind === 'constant' ? factor.loss.value : undefined
    const draws = new Draws(factor.seed)
    for (let place = 0; place < iterations; place++) {
      draws.goTo(place)
      const rate = frequency(draws.next()) * factor.exposure
      const events = poissonQuantile(draws.next(), rate)
      if (events === 0 || (conditions.length > 0 && conditions.some((flags) => flags[place] === 0))) continue
      happened[place] = 1
      const lost = fixed_loss === undefined ? lossOf(events, loss, draws, single) : events * fixed_loss
      totals[place]! += lost
      if (place < part.length) part[place] = lost
    }
    struck.push(happened)
    return part
  })
  return { totals, parts }
}

/** First events are drawn singly, later ones in growing lots: one more event never lowers the loss. */
function lossOf(events: number, loss: (u: number) => number, draws: Draws, single: number): number {
  let [sum, left, lot] = [0, events, 1]
  for (let drawn = 1; left > 0; drawn++) {
    const size = Math.min(lot, left)
    sum += size * loss(draws.next())
    left -= size
    if (drawn % single === 0) lot *= single > 1 ? 2 : 8
  }
  return sum
}

export interface Tail {
  readonly expected: number
  readonly var_95: number
  readonly cvar_95: number
  /** The 95 % interval of cvar_95 over repeated runs. */
  readonly cvar_interval: readonly [number, number]
  /** Losses with their probability of being exceeded. */
  readonly exceedance: [number, number][]
}

const exceedance_points = [0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001]

export function tailOf(totals: Float64Array, seed: number): Tail {
  const rising = totals.toSorted()
  const count = rising.length
  const tail = tailSize(count)
  return {
    expected: sumOf(rising) / count,
    var_95: rising[count - tail - 1]!,
    cvar_95: sumOf(rising.subarray(count - tail)) / tail,
    cvar_interval: resampleTail(totals, rising, tail, seed),
    exceedance: exceedance_points.map((p) => [rising[Math.ceil((1 - p) * count) - 1]!, p]),
  }
}

/** Mean of the worst 5 %, without a full sort. */
export function worstMean(losses: Float64Array): number {
  const rising = losses.toSorted()
  const tail = tailSize(rising.length)
  return sumOf(rising.subarray(rising.length - tail)) / tail
}

function tailSize(count: number): number {
  return Math.max(1, count - Math.ceil((1 - tail_share) * count))
}

/** Bootstrap with Poisson weights; values far below the tail are skipped. */
function resampleTail(
  totals: Float64Array,
  rising: Float64Array,
  tail: number,
  seed: number,
): [number, number] {
  const depth = Math.min(totals.length, Math.ceil(tail + 6 * Math.sqrt(tail) + 10))
  const threshold = rising[totals.length - depth]!
  const worst = Uint32Array.from(totals.keys())
    .filter((place) => totals[place]! > threshold)
    .sort((one, other) => totals[other]! - totals[one]!)
  const means = Float64Array.from({ length: resamples }, (_, round) => {
    const key = mixWord(seed ^ Math.imul(round + 1, 0x85ebca6b))
    let [left, sum] = [tail, 0]
    for (let at = 0; at < worst.length && left > 0; at++) {
      const times = Math.min(left, timesDrawn(mixWord(key ^ Math.imul(worst[at]!, 0x9e3779b9))))
      sum += times * totals[worst[at]!]!
      left -= times
    }
    return (sum + left * threshold) / tail
  }).sort()
  return [means[Math.floor(0.025 * resamples)]!, means[Math.ceil(0.975 * resamples) - 1]!]
}

/** Poisson with mean one, from one word. */
function timesDrawn(word: number): number {
  let [times, term, passed] = [0, Math.exp(-1), Math.exp(-1)]
  const u = shareOf(word)
  while (u > passed && times < 12) {
    times++
    term /= times
    passed += term
  }
  return times
}

/** 50 if the mean of the worst 5 % equals the appetite. */
export function scoreOf(cvar_usd: number, appetite_usd: number): number {
  if (cvar_usd <= 0) return 0
  return appetite_usd > 0 ? 100 * (1 - 2 ** (-cvar_usd / appetite_usd)) : 100
}

export function bandOf(score: number): Band {
  const [moderate, high, critical] = band_edges
  if (score < moderate) return 'low'
  if (score < high) return 'moderate'
  return score < critical ? 'high' : 'critical'
}

/** Whether the interval spans two bands. */
export function isAmbiguous([low, high]: readonly [number, number]): boolean {
  return low < high && band_edges.some((edge) => low <= edge && edge <= high)
}

function sumOf(values: Float64Array): number {
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += values[at]!
  return sum
}
