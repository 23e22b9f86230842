// Reliability of a source: past losses, discounted by age and shrunk for few outcomes, turned into weights.
import { normalise } from './pool.ts'

export const half_life_days_default = 180
const weight_floor = 0.01
/** A source counts as average until about this many outcomes say otherwise. */
const prior_strength = 10
/** The learning rate that is safe for squared losses of probabilities, for any number of rounds. */
const mixable_rate = 2
const day_ms = 86_400_000
/** Weights of outcomes grow with their date from here on, so that sums only need additions. */
const epoch_ms = Date.parse('2026-01-01T00:00:00Z')
const log_share_min = 1e-15
const z95 = 1.959963984540054

type Outcome = boolean | number | string

export function hitOf(outcome: Outcome): 0 | 1 | undefined {
  if (outcome === true || outcome === 1) return 1
  return outcome === false || outcome === 0 ? 0 : undefined
}

export function logLoss(share: number): number {
  return -Math.log(Math.max(share, log_share_min))
}

/** Sums over one source's scores, discounted by age. */
export interface Tally {
  readonly source: string
  readonly n: number
  /** Effective count: an outcome of today is one, one as old as the half-life is a half. */
  readonly n_effective: number
  readonly loss_sum: number
  /** Set by the organization; replaces the learned weight. */
  readonly manual_weight: number | null
}

export function emptyTally(source: string): Tally {
  return { source, n: 0, n_effective: 0, loss_sum: 0, manual_weight: null }
}

/** The weight of an outcome at this time, in sums that only grow; doubles with every half-life. */
export function massAt(at_ms: number): number {
  return 2 ** ((at_ms - epoch_ms) / day_ms / half_life_days_default)
}

export interface Reliability {
  readonly source: string
  readonly weight: number
  readonly is_manual: boolean
  readonly n: number
  readonly n_effective: number
  /** Of the mean loss. */
  readonly interval95: readonly [number, number]
  /** 1 is the most reliable; ties share a rank. */
  readonly rank: number
}

/** Judges all sources of a topic together. */
export function judgeSources(tallies: readonly Tally[]): Reliability[] {
  const n_all = tallies.reduce((sum, { n_effective }) => sum + n_effective, 0)
  const lost = tallies.reduce((sum, { loss_sum }) => sum + loss_sum, 0)
  const mean = n_all > 0 ? lost / n_all : 0
  const losses = tallies.map(
    ({ loss_sum, n_effective }) => (loss_sum + prior_strength * mean) / (n_effective + prior_strength),
  )
  const learned = weightsOf(losses, n_all / tallies.length)
  const weights = tallies.map(({ manual_weight }, place) => manual_weight ?? learned[place]!)
  const places = new Map<number, number>()
  for (const [place, weight] of weights.toSorted((a, b) => b - a).entries())
    if (!places.has(weight)) places.set(weight, place + 1)
  return tallies.map(({ source, n, n_effective, loss_sum, manual_weight }, place) => ({
    source,
    weight: weights[place]!,
    is_manual: manual_weight !== null,
    n,
    n_effective,
    interval95: wilson(n_effective > 0 ? loss_sum / n_effective : 0.5, n_effective),
    rank: places.get(weights[place]!)!,
  }))
}

/** Exponential weights over the losses, at the rate that bounds the regret; no source gets zero. */
function weightsOf(losses: readonly number[], rounds: number): number[] {
  const sources = losses.length
  const rate = rounds > 0 ? Math.max(mixable_rate, Math.sqrt((8 * Math.log(sources)) / rounds)) : 0
  const best = Math.min(...losses)
  const shares = normalise(losses.map((loss) => Math.exp(-rate * rounds * (loss - best))))
  // If an equal share is itself small, the floor is a tenth of it: otherwise all would be at the floor.
  const floor = Math.min(weight_floor, 1 / (10 * sources))
  return shares.map((share) => floor + (1 - sources * floor) * share)
}

/** The Wilson score interval for a share of n; a loss in [0, 1] varies at most like a coin. */
export function wilson(share: number, n: number): [number, number] {
  if (n <= 0) return [0, 1]
  const centre = (share + (z95 * z95) / (2 * n)) / (1 + (z95 * z95) / n)
  const half =
    (z95 / (1 + (z95 * z95) / n)) * Math.sqrt((share * (1 - share)) / n + (z95 * z95) / (4 * n * n))
  return [Math.max(0, centre - half), Math.min(1, centre + half)]
}
