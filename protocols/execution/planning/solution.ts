// The result of a plan search: steps in executable order, or the reason for failure.
import type { Operator } from './domain.ts'
import { type Facts, fingerprint } from './facts.ts'
import type { Decomposition, TaskNode } from './task-network.ts'

export interface Step {
  readonly node: TaskNode
  /** Absent if no operator is known. */
  readonly operator: Operator | undefined
  readonly before: Facts
  /** The payload of its operation, if the operator defines one. */
  readonly payload?: unknown
}

export interface Solution {
  readonly steps: readonly Step[]
  readonly state: Facts
  /** Tasks that needed no steps: later steps depend on what they read. */
  readonly settled: readonly Decomposition[]
}

export interface Failure {
  readonly task: string
  readonly args: unknown
  readonly of: 'operator' | 'method' | 'choice' | 'effect'
  readonly name: string
  readonly precondition?: string
  readonly why: string
}

/**
 * Why a search ended: everything was tried, or one of its budgets was used up. `expression`: branches were left out because
 * an expression took too much work. `size`: because they exceed the limits of a plan.
 */
export type Ended = 'complete' | 'expansions' | 'deadline' | 'expression' | 'size'

/** Equal for the same operator and arguments, wherever the step is. */
export function stepKey({ task, args }: Pick<TaskNode, 'task' | 'args'>): string {
  return `${task}|${fingerprint(args)}`
}
