// What each kind of step brings into the plan.
import type { RecipeStep } from '@svc/contract/recipe'
import type { Retry } from '@svc/contract/recipe-retry'
import { auditPart } from './audit-step.ts'
import type { PlannedProtocol } from './plan.ts'
import { loopPart, runPart } from './repetition-step.ts'
import { completeRetry } from './retry-delay.ts'

export interface Defaults {
  readonly timeout_ms?: number
  readonly retry?: Retry
}

type ProtocolStep = Extract<RecipeStep, { kind: 'Protocol' }>

/** A call outside any list, such as a compensation. */
export function planAlone(step: ProtocolStep, pointer: string, defaults: Defaults = {}): PlannedProtocol {
  const { optional = false, weight = 1 } = step
  const place = {
    path: pointer,
    name: pointer,
    parents: [],
    namespace: '',
    pointer,
    gates: [],
    checkpoint: false,
  }
  return { ...place, optional, weight, ...callPart(step, defaults) }
}

function callPart(step: ProtocolStep, { retry }: Defaults) {
  const { kind, protocol, operation, payload, on_unknown, success_when, errors } = step
  const outcome = { ...(success_when !== undefined && { success_when }), ...(errors && { errors }) }
  const rest = { retry: completeRetry(step.retry, retry), ...(on_unknown && { on_unknown }) }
  return { kind, protocol, operation, payload, ...rest, ...outcome }
}

/** Fields specific to the step's kind. */
export function ownPart(step: RecipeStep, defaults: Defaults) {
  switch (step.kind) {
    case 'Protocol':
      return callPart(step, defaults)
    case 'Gate':
      return { kind: step.kind, condition: step.condition, ...(step.await && { await: step.await }) }
    case 'Audit':
      return auditPart(step, defaults.retry)
    case 'SubRecipe': {
      // The default is for calls: a sub-recipe is retried as a whole only if it says so itself.
      const { kind, recipe_id, params } = step
      return { kind, recipe_id, params, retry: completeRetry(step.retry) }
    }
    case 'Parallel':
      return { kind: step.kind }
    case 'Fail':
      return { kind: step.kind, error: step.error, message: step.message }
    case 'Run':
      return runPart(step, defaults.retry)
    default:
      return loopPart(step)
  }
}
