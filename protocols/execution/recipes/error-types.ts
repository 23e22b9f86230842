// The names of failures: those that steps declare must not be the engine's, and a retry names only what can happen.
import { type RefusalCode, refusals } from '@svc/contract/refusal'
import { isCall, type PlannedStep } from './plan.ts'
import type { ProblemReason } from './problem.ts'
import { unsuccessful } from './retry-delay.ts'

type Tell = (pointer: string, reason: ProblemReason, message: string) => void

export function judgeErrorTypes(steps: readonly PlannedStep[], problem: Tell): void {
  const declared = steps.flatMap(declaredBy)
  for (const { type, pointer } of declared)
    if (type === unsuccessful || Object.hasOwn(refusals, type))
      problem(pointer, 'error_type', `${type} is the name of an error of the engine; choose another.`)
  const own = new Set(declared.map(({ type }) => type))
  for (const step of steps) {
    const is_sub = step.kind === 'SubRecipe'
    if (!is_sub && !isCall(step)) continue
    for (const [at, type] of (step.retry.on ?? []).entries()) {
      if (own.has(type) || type === unsuccessful || isFailure(type, is_sub)) continue
      const why = Object.hasOwn(refusals, type)
        ? `is a refusal, which another attempt does not change`
        : 'is the error of no step here; declare it in errors, or correct the name'
      problem(`${step.pointer}/retry/on/${at}`, 'error_type', `${type} ${why}.`)
    }
  }
}

/** What is inside a sub-recipe may also have been refused. */
function isFailure(type: string, is_sub: boolean): boolean {
  if (!Object.hasOwn(refusals, type)) return false
  return is_sub || refusals[type as RefusalCode].outcome === 'error'
}

function declaredBy(step: PlannedStep): { type: string; pointer: string }[] {
  const { pointer } = step
  if (step.kind === 'Fail') return [{ type: step.error, pointer: `${pointer}/error` }]
  if (step.kind !== 'Protocol') return []
  return (step.errors ?? []).map(({ type }, at) => ({ type, pointer: `${pointer}/errors/${at}/type` }))
}
