// What a step's expressions see: the input of its recipe, and the steps that ended before it could start.
import type { Scope } from '@svc/contract/expressions/expression'
import type { Journal } from './journal.ts'
import { isBefore, type Plan, type PlannedStep, stepAt, stepsInside } from './plan.ts'

/** Values from the run; a signal only for the gate that waited for it. */
export type Outside = Pick<Scope, 'input' | 'signal' | 'now_ms' | 'seed'>

/** The scope of one step. Without a path, that of the whole ended run, for its output. */
export function readScope(plan: Plan, journal: Journal, path: string | undefined, outside: Outside): Scope {
  const namespace = path === undefined ? '' : stepAt(plan, path).namespace
  const visible = [...(plan.names.get(namespace) ?? [])].filter(
    ([, other]) => path === undefined || isBefore(plan, other, path),
  )
  return {
    ...outside,
    input: namespace === '' ? outside.input : journal.get(namespace)?.data,
    steps: Object.fromEntries(
      visible.flatMap(([name, other]) => {
        const view = viewStep(plan, journal, stepAt(plan, other))
        return view ? [[name, view]] : []
      }),
    ),
  }
}

interface StepView {
  readonly state: string
  readonly data?: unknown
  readonly [more: string]: unknown
}

function viewStep(plan: Plan, journal: Journal, step: PlannedStep): StepView | undefined {
  const record = journal.get(step.path)
  if (!record) return undefined
  const { state, metadata, decision, skip_reason, error } = record
  const more = Object.entries({ metadata, decision, skip_reason, error }).filter(
    ([, value]) => value !== undefined,
  )
  const data = state === 'succeeded' ? dataOf(plan, journal, step) : undefined
  return { state, ...Object.fromEntries(more), ...(data !== undefined && { data }) }
}

/** The data of a SubRecipe or Parallel is that of its named inner steps, by name. */
function dataOf(plan: Plan, journal: Journal, step: PlannedStep): unknown {
  if (step.kind !== 'SubRecipe' && step.kind !== 'Parallel') return journal.get(step.path)?.data
  return Object.fromEntries(
    namedInside(plan, step).flatMap(([name, inner]) => {
      if (journal.get(inner.path)?.state !== 'succeeded') return []
      const data = dataOf(plan, journal, inner)
      return data === undefined ? [] : [[name, data]]
    }),
  )
}

/** The steps whose data make up the data of their container. */
export function namedInside(plan: Plan, step: PlannedStep): [string, PlannedStep][] {
  const names = plan.names.get(step.kind === 'SubRecipe' ? step.path : step.namespace)
  return stepsInside(plan, step.path)
    .filter((inner) => names?.get(inner.name) === inner.path)
    .map((inner) => [inner.name, inner])
}
