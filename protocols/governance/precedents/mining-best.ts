// The most frequent patterns, up to the requested number.

import type { Seen } from './pattern.ts'
import { type Pattern, patternId } from './pattern.ts'

export interface MiningBounds {
  readonly recurrences_min: number
  readonly consistency_bps_min: number
  readonly limit: number
  /** Other outcomes are not reported, but count for the consistency. */
  readonly outcomes?: readonly Pattern['outcome'][] | undefined
}

/** A pattern, its frequency, and its share of the similar cases. */
export interface Candidate {
  readonly pattern: Pattern
  readonly recurrences: number
  readonly consistency_bps: number
  /** In basis points; 10000 means the outcome is as frequent elsewhere. */
  readonly lift: number
  /** Matching cases, and similar ones with another outcome; computed only for reported patterns. */
  examples(): { readonly held: readonly Seen[]; readonly broken: readonly Seen[] }
}

export type Ranked = Candidate & { readonly pattern_id: string }

export class BestPatterns {
  readonly #bounds: MiningBounds
  #kept: Ranked[] = []
  /** Patterns below this are rejected. */
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

  /** By descending recurrences, then by id, independent of the search order. */
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
