// Reliability of a source: by how much its losses differed from those of others on the same questions, turned into weights.
import { normalise } from './pool.ts'

export const half_life_days_default = 180
const weight_floor = 0.01
/** A source counts as average until about this much difference from others, in losses, says otherwise. */
const prior_difference = 2
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
  /** Of these, on questions that somebody of another root forecast as well. */
  readonly n_compared: number
  /** Effective count: an outcome of today is one, one as old as the half-life is a half. */
  readonly n_effective: number
  readonly loss_sum: number
  /** Losses less those of others; below zero is better than they are. */
  readonly excess_sum: number
  /** The same without signs: what tells this source from others at all. */
  readonly difference_sum: number
  /** Set by the organization; replaces the learned weight. */
  readonly manual_weight: number | null
}

export function emptyTally(source: string): Tally {
  return {
    source,
    n: 0,
    n_compared: 0,
    n_effective: 0,
    loss_sum: 0,
    excess_sum: 0,
    difference_sum: 0,
    manual_weight: null,
  }
}

export interface Scored {
  readonly root: string
  readonly loss: number
}

/**
 * The loss of each less the median of the other roots, each of which has one voice: an easy question tells nobody from anybody,
 * and one that nobody else forecast says nothing. Siblings are not compared with each other.
 */
export function excessLosses(scored: readonly Scored[]): (number | undefined)[] {
  const by_root = new Map<string, number[]>()
  for (const { root, loss } of scored) by_root.set(root, [...(by_root.get(root) ?? []), loss])
  const voices = [...by_root].map(([root, losses]) => ({ root, loss: meanOf(losses) }))
  const sorted = voices.toSorted((a, b) => a.loss - b.loss)
  const places = new Map(sorted.map(({ root }, place) => [root, place]))
  return scored.map(({ root, loss }) => {
    if (sorted.length < 2) return undefined
    const own = places.get(root)!
    const at = (place: number) => sorted[place < own ? place : place + 1]!.loss
    const others = sorted.length - 1
    return loss - (at(Math.floor((others - 1) / 2)) + at(Math.floor(others / 2))) / 2
  })
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
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
  readonly n_compared: number
  readonly n_effective: number
  /** Of all questions together; below zero is better than others. */
  readonly excess: number
  /** Of the mean loss. */
  readonly interval95: readonly [number, number]
  /** 1 is the most reliable; ties share a rank. */
  readonly rank: number
}

/** Judges all sources of a topic together. */
export function judgeSources(tallies: readonly Tally[]): Reliability[] {
  const learned = weightsOf(tallies)
  const weights = tallies.map(({ manual_weight }, place) => manual_weight ?? learned[place]!)
  const places = new Map<number, number>()
  for (const [place, weight] of weights.toSorted((a, b) => b - a).entries())
    if (!places.has(weight)) places.set(weight, place + 1)
  return tallies.map(
    ({ source, n, n_compared, n_effective, loss_sum, excess_sum, manual_weight }, place) => ({
      source,
      weight: weights[place]!,
      is_manual: manual_weight !== null,
      n,
      n_compared,
      n_effective,
      excess: excess_sum,
      interval95: wilson(n_effective > 0 ? loss_sum / n_effective : 0.5, n_effective),
      rank: places.get(weights[place]!)!,
    }),
  )
}

/**
 * Exponential weights over what each lost more than others did on the questions it answered, as for experts who are not always
 * asked (Freund et al., 1997): what was not answered, or set nobody apart, changes nothing. No source gets zero.
 */
function weightsOf(tallies: readonly Tally[]): number[] {
  const sources = tallies.length
  const excesses = tallies.map(
    ({ excess_sum, difference_sum }) => (excess_sum * difference_sum) / (difference_sum + prior_difference),
  )
  const best = excesses.reduce((least, excess) => Math.min(least, excess), Infinity)
  const shares = normalise(excesses.map((excess) => Math.exp(-mixable_rate * (excess - best))))
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
