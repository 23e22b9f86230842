// What a step's expressions see: the input of its recipe, and the steps that ended before it could start.
import type { Scope } from '@svc/contract/expressions/expression'
import type { Journal } from './journal.ts'
import {
  isBefore,
  isLoop,
  type Plan,
  type PlannedRound,
  type PlannedStep,
  stepAt,
  stepsInside,
} from './plan.ts'
import { roundPath, roundsOf } from './rounds.ts'

/** Values from the run; a signal only for the gate that waited for it. */
export type Outside = Pick<Scope, 'input' | 'signal' | 'now_ms' | 'seed'>

/** The scope of one step. Without a path, that of the whole ended run, for its output, or of an ended round. */
export function readScope(
  plan: Plan,
  journal: Journal,
  path: string | undefined,
  outside: Outside,
  ended = '',
): Scope {
  const namespace = path === undefined ? ended : stepAt(plan, path).namespace
  const visible = [...(plan.names.get(namespace) ?? [])].filter(
    ([, other]) => path === undefined || isBefore(plan, other, path),
  )
  return {
    ...outside,
    ...roundScope(plan, journal, namespace, outside.input),
    steps: Object.fromEntries(
      visible.flatMap(([name, other]) => {
        const view = viewStep(plan, journal, stepAt(plan, other), path ?? ended)
        return view ? [[name, view]] : []
      }),
    ),
  }
}

/** The input of the recipe around, and what the round is about. */
function roundScope(plan: Plan, journal: Journal, namespace: string, run_input: unknown) {
  let at = namespace === '' ? undefined : stepAt(plan, namespace)
  const round = at?.kind === 'Round' ? { index: at.index, item: itemOf(plan, journal, at) } : {}
  while (at?.kind === 'Round') at = at.namespace === '' ? undefined : stepAt(plan, at.namespace)
  return { ...round, input: at ? journal.get(at.path)?.data : run_input }
}

/** The element, or what the round before answered. */
function itemOf(plan: Plan, journal: Journal, { index, within }: PlannedRound): unknown {
  const loop = stepAt(plan, within!)
  const { items } = (journal.get(loop.path)?.data ?? {}) as { items?: readonly unknown[] }
  if (loop.kind === 'ForEach') return items?.[index]
  return index === 0 ? null : dataOf(plan, journal, stepAt(plan, roundPath(loop.path, index - 1)))
}

interface StepView {
  readonly state: string
  readonly data?: unknown
  readonly [more: string]: unknown
}

function viewStep(plan: Plan, journal: Journal, step: PlannedStep, from: string): StepView | undefined {
  const record = journal.get(step.path)
  if (!record) return undefined
  const { state, metadata, decision, skip_reason, error } = record
  const more = Object.entries({ metadata, decision, skip_reason, error }).filter(
    ([, value]) => value !== undefined,
  )
  // Seen from inside, a loop has no data yet.
  const is_around = isLoop(step) && from.startsWith(`${step.path}/`)
  const data = state === 'succeeded' && !is_around ? dataOf(plan, journal, step) : undefined
  return { state, ...Object.fromEntries(more), ...(data !== undefined && { data }) }
}

/** The data of a SubRecipe, Parallel or round is that of its named inner steps, by name. */
function dataOf(plan: Plan, journal: Journal, step: PlannedStep): unknown {
  if (isLoop(step)) return loopData(plan, journal, step)
  if (step.kind !== 'SubRecipe' && step.kind !== 'Parallel' && step.kind !== 'Round')
    return journal.get(step.path)?.data
  return Object.fromEntries(
    namedInside(plan, step).flatMap(([name, inner]) => {
      if (journal.get(inner.path)?.state !== 'succeeded') return []
      const data = dataOf(plan, journal, inner)
      return data === undefined ? [] : [[name, data]]
    }),
  )
}

/** Of ForEach: each round, in the order of the list. Of Repeat: the last round. */
function loopData(plan: Plan, journal: Journal, loop: PlannedStep): unknown {
  const rounds = roundsOf(journal.get(loop.path))
  const roundData = (index: number) => dataOf(plan, journal, stepAt(plan, roundPath(loop.path, index)))
  if (loop.kind === 'ForEach') return Array.from({ length: rounds }, (_, index) => roundData(index))
  return roundData(Math.max(0, rounds - 1))
}

/** The steps whose data make up the data of their container. */
export function namedInside(plan: Plan, step: PlannedStep): [string, PlannedStep][] {
  const names = plan.names.get(
    step.kind === 'SubRecipe' || step.kind === 'Round' ? step.path : step.namespace,
  )
  return stepsInside(plan, step.path)
    .filter((inner) => names?.get(inner.name) === inner.path)
    .map((inner) => [inner.name, inner])
}
