// A question that sources answer, and their votes.

export type Value = string | number | boolean

export interface Vote {
  readonly source: string
  readonly confidence: number
  /** The root behind the source; a source without one has no voice. */
  readonly voice: string | undefined
  /** Its part of that voice: sources of one root share one voice on each question. */
  readonly share: number
}

/** One answer, with its supporters. */
export interface Candidate {
  readonly value: Value
  /** Equal for equal answers; the last tie-breaker. */
  readonly key: string
  readonly votes: readonly Vote[]
  /** Time of the newest vote, in milliseconds. */
  readonly newest: number
}

/** A question with a single answer, and the answers given. */
export interface Question {
  readonly candidates: readonly Candidate[]
}

export type Reliability = ReadonlyMap<string, number>
