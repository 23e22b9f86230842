// The 90th percentile of the makespan: simulates the plan many times with random durations.
import { Draws, type Quantile, quantileOf } from '../../truth/mare/api.ts'
import type { Duration } from './domain.ts'
import type { Slot } from './levelling.ts'

/** As many where there is no time for more: the percentile is then a few parts in a hundred less certain. */
export const samples = { usual: 2_000, hurried: 200 } as const

export interface Uncertain {
  readonly duration: Duration
  readonly after: readonly number[]
  readonly slot: Slot
  /** Earliest start. */
  readonly release?: number
  /** Whether its start or end is already known. */
  readonly settled: boolean
}

/** PERT: the likely value weighs four times as much as either extreme. */
export function meanOf({ opt, likely, pess }: Duration): number {
  return Math.round((opt + 4 * likely + pess) / 6)
}

export function deviationOf({ opt, pess }: Duration): number {
  return (pess - opt) / 6
}

const spreads = new WeakMap<Duration, Quantile>()

/** Tasks of one operator share a duration, and a table is expensive. */
function spreadOf(duration: Duration): Quantile {
  const spread = spreads.get(duration)
  if (spread) return spread
  const { opt, likely, pess } = duration
  const made = quantileOf({ kind: 'pert', low: opt, mode: likely, high: pess })
  spreads.set(duration, made)
  return made
}

/** The 90th percentile of the end, relative to the same origin as the slots. */
export function drawMakespan(
  works: readonly Uncertain[],
  seed: number,
  not_before: number,
  samples_count: number = samples.usual,
): number {
  const quantiles = works.map(({ duration }) => spreadOf(duration))
  const waits = works.map((work, place) => [...work.after, ...sameAgentBefore(works, place)])
  const order = [...works.keys()].sort(
    (a, b) =>
      works[a]!.slot.start - works[b]!.slot.start || works[a]!.slot.finish - works[b]!.slot.finish || a - b,
  )
  const draws = new Draws(seed)
  const ends = new Float64Array(samples_count)
  const finish = new Float64Array(works.length)
  for (let sample = 0; sample < samples_count; sample++) {
    draws.goTo(sample)
    let end = 0
    for (const place of order) {
      const { settled, slot, release = not_before } = works[place]!
      let start = Math.max(not_before, release)
      for (const one of waits[place]!) start = Math.max(start, finish[one]!)
      finish[place] = settled ? slot.finish : start + quantiles[place]!(draws.next())
      end = Math.max(end, finish[place]!)
    }
    ends[sample] = end
  }
  ends.sort()
  return Math.round(ends[Math.ceil(samples_count * 0.9) - 1]!)
}

/** Tasks of one agent that do not overlap in the plan never do, so every sample respects its capacity. */
function sameAgentBefore(works: readonly Uncertain[], place: number): number[] {
  const { slot } = works[place]!
  if (slot.assignee === undefined) return []
  return works.flatMap((other, at) => {
    const is_before = at !== place && other.slot.assignee === slot.assignee && other.slot.finish <= slot.start
    return is_before && (other.slot.finish > other.slot.start || at < place) ? [at] : []
  })
}
