// Proper scores of one forecast against its outcome, as the textbooks have them; less is better for each.
import { logLoss } from './reliability.ts'

/** Level and value, both ascending. */
export type Curve = readonly (readonly [level: number, value: number])[]

/** A probability, a share of each category in the order of the question's, or quantiles. */
export type StoredForecast = number | readonly number[] | Curve

export interface Score {
  /** 0 to 1, comparable across kinds: weights of sources follow from it alone. */
  readonly loss: number
  /** Brier (1950): of an event (p - o)², 0 to 1; of categories the sum over all of them, 0 to 2. */
  readonly brier?: number
  /** In nats. */
  readonly log?: number
  /** Continuous ranked probability score, in the unit of the quantity. */
  readonly crps?: number
  /** Mean pinball loss of the quantiles, in the unit of the quantity. */
  readonly quantile?: number
}

export function scoreEvent(probability: number, hit: 0 | 1): Score {
  const brier = (probability - hit) ** 2
  return { loss: brier, brier, log: logLoss(hit === 1 ? probability : 1 - probability) }
}

export function scoreShares(shares: readonly number[], occurred: number): Score {
  const squares = shares.map((share, place) => (share - (place === occurred ? 1 : 0)) ** 2)
  const brier = Math.min(
    2,
    squares.reduce((sum, square) => sum + square, 0),
  )
  // Half of it, so that two categories decide weights like one event.
  return { loss: brier / 2, brier, log: logLoss(shares[occurred]!) }
}

/** `span` is the range of outcomes that the question expects: losses of different quantities are compared by it. */
export function scoreQuantiles(curve: Curve, outcome: number, span: number): Score {
  const crps = crpsOf(curve, outcome)
  return { loss: Math.min(1, crps / span), crps, quantile: pinballOf(curve, outcome) }
}

/** Exact for the distribution that is linear between the quantiles; what lies outside them is at the outermost. */
export function crpsOf(curve: Curve, outcome: number): number {
  const [first, last] = [curve[0]![1], curve.at(-1)![1]]
  let sum = Math.max(0, first - outcome) + Math.max(0, outcome - last)
  for (const [place, [high_level, high]] of curve.entries()) {
    if (place === 0) continue
    const [low_level, low] = curve[place - 1]!
    const at = Math.min(Math.max(outcome, low), high)
    const level = high > low ? low_level + ((high_level - low_level) * (at - low)) / (high - low) : low_level
    sum += (at - low) * meanSquare(low_level, level) + (high - at) * meanSquare(1 - level, 1 - high_level)
  }
  return sum
}

/** Of a value that goes from one to the other in a straight line. */
function meanSquare(from: number, to: number): number {
  return (from * from + from * to + to * to) / 3
}

export function pinballOf(curve: Curve, outcome: number): number {
  const losses = curve.map(([level, value]) => (outcome - value) * (level - (outcome < value ? 1 : 0)))
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length
}
