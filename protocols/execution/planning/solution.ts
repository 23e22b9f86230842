// What a search for a plan answers: steps in an order in which they can be done, or what stood in the way.
import type { Operator } from './domain.ts'
import { type Facts, fingerprint } from './facts.ts'
import type { Decomposition, TaskNode } from './task-network.ts'

export interface Step {
  readonly node: TaskNode
  /** Absent where nothing is known of how to do it. */
  readonly operator: Operator | undefined
  readonly before: Facts
  /** What its operation is called with, where the operator says so. */
  readonly payload?: unknown
}

export interface Solution {
  readonly steps: readonly Step[]
  readonly state: Facts
  /** Tasks for which nothing had to be done: what comes after them rests on what they looked at. */
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

export interface Found {
  readonly solutions: readonly Solution[]
  readonly expansions: number
  /** `size`: what was left out is deeper or longer than a plan may be. */
  readonly ended: 'complete' | 'expansions' | 'deadline' | 'size'
  /** Of the attempt that came furthest, the first that did not hold. */
  readonly failure: Failure | undefined
}

/** The same step of the same operator, wherever it stands. */
export function stepKey({ task, args }: Pick<TaskNode, 'task' | 'args'>): string {
  return `${task}|${fingerprint(args)}`
}
