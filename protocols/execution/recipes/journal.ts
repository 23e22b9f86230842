// What a run has written down of its steps, by path. All that is decided about a run is decided from this and its plan.

export type StepState = 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped' | 'indeterminate'

/** not_taken: the other branch of a gate; upstream: what holds it was skipped or failed before it could start. */
export type SkipReason = 'not_taken' | 'when' | 'optional_failed' | 'upstream'

export interface StepRecord {
  readonly state: StepState
  /** Tries begun, the first is 1. */
  readonly attempt: number
  /** A Protocol step's answer; of a SubRecipe its params with every reference resolved, which its inside sees as input. */
  readonly data?: unknown
  readonly metadata?: Readonly<Record<string, unknown>>
  /** What the answer says of its own confidence, see `baseScore`; 1 where absent. */
  readonly base_score?: number
  /** Of a Gate that has been decided. */
  readonly decision?: boolean
  readonly skip_reason?: SkipReason
  readonly error?: unknown
}

/** A Gate, Parallel or SubRecipe that `succeeded` has been opened: how it ends follows from what is inside. */
export type Journal = ReadonlyMap<string, StepRecord>
