// Loops, timers and child runs of a recipe, as they are planned.
import type { RecipeStep } from '@svc/contract/recipe'
import { wait_ms_max } from '@svc/contract/recipe-repetition'
import type { Retry } from '@svc/contract/recipe-retry'
import { refuse } from '@svc/contract/refusal'
import type { PlannedStep } from './plan.ts'
import type { ProblemReason } from './problem.ts'
import { completeRetry } from './retry-delay.ts'

type Step<Kind> = Extract<RecipeStep, { kind: Kind }>

export function loopPart(step: Step<'ForEach' | 'Repeat' | 'Wait'>) {
  switch (step.kind) {
    case 'ForEach':
      return { kind: step.kind, items: step.items, concurrency: step.concurrency ?? 1 }
    case 'Repeat': {
      const { kind, until, while: goes_on, max, pause_ms = 0 } = step
      return { kind, max, pause_ms, ...(until !== undefined && { until }), ...(goes_on !== undefined && { while: goes_on }) } // biome-ignore format: one thought
    }
    case 'Wait': {
      const { kind, for_ms, until } = step
      return { kind, ...(for_ms !== undefined && { for_ms }), ...(until !== undefined && { until }) }
    }
  }
}

/** The time limit of the step is the deadline of the run, which then ends by itself and undoes what it did. */
export function runPart(step: Step<'Run'>, retry: Retry | undefined) {
  const { kind, manifest, version, input = {}, timeout_ms } = step
  const payload = {
    name: manifest,
    version,
    input,
    ...(timeout_ms !== undefined && { deadline_ms: timeout_ms }),
  }
  const call = { protocol: 'MOON', operation: 'execute_workflow', payload }
  return { kind, ...call, retry: completeRetry(step.retry, retry) }
}

/** What the schema of a step cannot say. */
export function judgeRepetition(
  step: PlannedStep,
  problem: (pointer: string, reason: ProblemReason, message: string) => void,
): void {
  if (step.kind === 'Repeat' && (step.until === undefined) === (step.while === undefined))
    problem(step.pointer, 'loop', 'A Repeat has either until or while; give one of them.')
  if (step.kind !== 'Wait') return
  if ((step.for_ms === undefined) === (step.until === undefined))
    problem(step.pointer, 'timer', 'A Wait has either for_ms or until; give one of them.')
  else if (typeof step.until === 'string' && Number.isNaN(Date.parse(step.until)))
    problem(`${step.pointer}/until`, 'timer', `${step.until} is no time; write it as 2026-12-01T09:00:00Z.`)
}

/** When a timer is over. */
export function dueAt(for_ms: number | undefined, until: unknown, now: Date): Date {
  if (for_ms !== undefined) return new Date(now.getTime() + for_ms)
  const at_ms = typeof until === 'string' ? Date.parse(until) : Number.NaN
  const latest_ms = now.getTime() + wait_ms_max
  if (at_ms <= latest_ms) return new Date(Math.max(at_ms, now.getTime()))
  throw refuse(
    'invalid_payload',
    Number.isNaN(at_ms)
      ? 'A timer waits until a time as 2026-12-01T09:00:00Z; its until is something else.'
      : 'A timer waits a year at most, and its until is later; choose an earlier time.',
    { reason: 'timer' },
  )
}
