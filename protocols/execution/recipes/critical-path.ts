// The duration of a recipe without retries: the longest path through its steps. What has not been measured takes its time limit.
import { isCall, type Plan, type PlannedStep, stepsInside } from './plan.ts'

/** A call without its own timeout ends at the default deadline of a module. */
const call_ms_default = 30_000

/** From timeouts, or from measured or estimated durations. */
export function criticalPathMs(plan: Plan, durations_ms: ReadonlyMap<string, number> = new Map()): number {
  const measure = (step: PlannedStep): number => {
    if (step.kind === 'Wait' && step.for_ms !== undefined) return step.for_ms
    const durations_m = durations_ms.get(step.path)
    if (durations_m !== undefined) return durations_m
    const inner = longest(stepsInside(plan, step.path), measure)
    const own = step.kind === 'Gate' ? (step.await?.after_ms ?? 0) : 0
    if (isCall(step)) return step.timeout_ms ?? call_ms_default
    return Math.min(own + inner, step.timeout_ms ?? Number.POSITIVE_INFINITY)
  }
  return longest(stepsInside(plan, ''), measure)
}

function longest(list: readonly PlannedStep[], measure: (step: PlannedStep) => number): number {
  const steps = new Map(list.map((step) => [step.path, step]))
  const ends = new Map<string, number>()
  const end = (step: PlannedStep): number => {
    const cached = ends.get(step.path)
    if (cached !== undefined) return cached
    const start = Math.max(0, ...step.parents.map((parent) => end(steps.get(parent)!)))
    const ended = start + measure(step)
    ends.set(step.path, ended)
    return ended
  }
  return Math.max(0, ...list.map(end))
}
