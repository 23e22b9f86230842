// The patterns worth telling: those that recur most, and only as many as were asked for.

import type { Seen } from './pattern.ts'
import { type Pattern, patternId } from './pattern.ts'

export interface MiningBounds {
  readonly recurrences_min: number
  readonly consistency_bps_min: number
  readonly limit: number
  /** What does not end so is not reported; for the consistency of what does, it still counts. */
  readonly outcomes?: readonly Pattern['outcome'][] | undefined
}

/** What recurs, how often, and of how many that looked the same. */
export interface Candidate {
  readonly pattern: Pattern
  readonly recurrences: number
  readonly consistency_bps: number
  /** In basis points: 10000 where this end is as frequent elsewhere. */
  readonly lift: number
  /** Those it stands for, and those that looked the same and ended otherwise; asked only of what is reported. */
  examples(): { readonly held: readonly Seen[]; readonly broken: readonly Seen[] }
}

export type Ranked = Candidate & { readonly pattern_id: string }

export class BestPatterns {
  readonly #bounds: MiningBounds
  #kept: Ranked[] = []
  /** Below this nothing gets in any more. */
  #floor: number

  constructor(bounds: MiningBounds) {
    this.#bounds = bounds
    this.#floor = bounds.recurrences_min
  }

  offer(candidate: Candidate): void {
    const { recurrences, consistency_bps, pattern } = candidate
    const { consistency_bps_min, outcomes, limit } = this.#bounds
    if (recurrences < this.#floor || consistency_bps < consistency_bps_min) return
    if (outcomes && !outcomes.includes(pattern.outcome)) return
    this.#kept.push({ ...candidate, pattern_id: patternId(pattern) })
    if (this.#kept.length > 2 * limit) this.#trim()
  }

  take(other: BestPatterns): void {
    for (const candidate of other.#kept) this.offer(candidate)
  }

  /** Recurrences falling, then by id: the same whichever way they were found. */
  ranked(): readonly Ranked[] {
    this.#trim()
    return this.#kept
  }

  #trim(): void {
    const { limit } = this.#bounds
    this.#kept = this.#kept.toSorted(byRecurrence).slice(0, limit)
    if (this.#kept.length === limit) this.#floor = this.#kept.at(-1)!.recurrences
  }
}

function byRecurrence(a: Ranked, b: Ranked): number {
  return b.recurrences - a.recurrences || (a.pattern_id < b.pattern_id ? -1 : 1)
}
