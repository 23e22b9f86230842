// Journal rows that are not steps: gates before a step, and compensations.
import type { GovernanceGate, RecipeStep } from '@svc/contract/recipe'
import {
  completeRetry,
  isCall,
  type Plan,
  type PlannedProtocol,
  recipeOfStep,
  stepAt,
} from '../recipes/api.ts'
import type { Manifest } from './manifest.ts'

const undo_end = '@undo'
const gate_form = /^(.*)@gate-(\d+)$/

export function undoPath(path: string): string {
  return path + undo_end
}

export function gatePath(path: string, index: number): string {
  return `${path}@gate-${index}`
}

export function undoneBy(path: string): string | undefined {
  return path.endsWith(undo_end) ? path.slice(0, -undo_end.length) : undefined
}

export function gateAt(plan: Plan, path: string): { step_path: string; gate: GovernanceGate } | undefined {
  const [, step_path, index] = gate_form.exec(path) ?? []
  const gate = step_path === undefined ? undefined : stepAt(plan, step_path).gates[Number(index)]
  return gate && { step_path: step_path!, gate }
}

/** What is needed to make and judge a call, whether of a step or of a compensation. */
export type Callable = Pick<
  PlannedProtocol,
  'protocol' | 'operation' | 'payload' | 'retry' | 'on_unknown' | 'timeout_ms' | 'success_when' | 'errors'
>

export function callableAt(plan: Plan, manifest: Manifest, path: string): Callable | undefined {
  const undone = undoneBy(path)
  if (undone === undefined) {
    const step = gateAt(plan, path) ? undefined : stepAt(plan, path)
    return step && isCall(step) ? step : undefined
  }
  // Names are local to a recipe: a step of the same name in a sub-recipe is a different one.
  const step = stepAt(plan, undone)
  const undoing = recipeOfStep(plan, step) === '' ? compensationOf(manifest, step.name) : undefined
  if (!undoing) return undefined
  const { protocol, operation, payload, retry, on_unknown, timeout_ms, success_when, errors } = undoing
  return {
    protocol,
    operation,
    payload,
    retry: completeRetry(retry, manifest.defaults?.retry),
    ...(on_unknown && { on_unknown }),
    ...(timeout_ms !== undefined && { timeout_ms }),
    ...(success_when !== undefined && { success_when }),
    ...(errors && { errors }),
  }
}

type ProtocolStep = Extract<RecipeStep, { kind: 'Protocol' }>

function compensationOf({ compensation = {} }: Manifest, name: string): ProtocolStep | undefined {
  const step = Object.hasOwn(compensation, name) ? compensation[name] : undefined
  return step?.kind === 'Protocol' ? step : undefined
}
