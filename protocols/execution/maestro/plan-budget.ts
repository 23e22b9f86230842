// What a search may use: until shortly before the call must be answered, and as many steps as the caller allows.
import type { OperationContext } from '@svc/contract/operation-context'
import type { Static } from 'typebox'
import { expansions_default, type PlanningBudget } from './plan-input.ts'

const deadline_ms_default = 30_000
/** To schedule the chosen plan, sample its percentile and store it: a tenth of the time, within these. */
const finishing_ms = { least: 50, most: 2_000, share: 0.1 }

export interface SearchBudget {
  /** Absent: only the deadline ends the search. */
  readonly expansions_max?: number
  readonly deadline_ms: number
  /** The worker is ended then, whatever it does. */
  readonly worker_ms: number
}

export function searchBudget(
  { expansions, deadline_ms }: Static<typeof PlanningBudget> = {},
  context: Pick<OperationContext, 'deadline_ms'>,
): SearchBudget {
  const whole_ms = Math.min(deadline_ms ?? deadline_ms_default, context.deadline_ms)
  const { least, most, share } = finishing_ms
  const finishing = Math.min(most, Math.max(least, whole_ms * share))
  const steps = expansions ?? (deadline_ms === undefined ? expansions_default : undefined)
  return {
    ...(steps !== undefined && { expansions_max: steps }),
    deadline_ms: whole_ms - finishing,
    worker_ms: whole_ms - finishing / 5,
  }
}
