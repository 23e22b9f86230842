// The journal of a run's steps, by path. Every decision about a run depends only on it and the plan.

export type StepState = 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped' | 'indeterminate'

/** not_taken: the other branch of a gate; upstream: its container was skipped or failed before it started. */
export type SkipReason = 'not_taken' | 'when' | 'optional_failed' | 'upstream'

export interface StepRecord {
  readonly state: StepState
  /** Attempts started, from 1. */
  readonly attempt: number
  /** A Protocol step's answer; for a SubRecipe its resolved params, which its inner steps see as input. */
  readonly data?: unknown
  readonly metadata?: Readonly<Record<string, unknown>>
  /** The confidence its answer states, see `baseScore`; 1 if absent. */
  readonly base_score?: number
  /** The decision of a Gate. */
  readonly decision?: boolean
  readonly skip_reason?: SkipReason
  readonly error?: unknown
}

/** A Gate, Parallel or SubRecipe that `succeeded` has been opened: its result depends on what is inside. */
export type Journal = ReadonlyMap<string, StepRecord>
