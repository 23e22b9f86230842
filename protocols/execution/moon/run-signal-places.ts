// How many signals of a name the gates of a run can still take: each gate takes one, in every round of the loops around it.
import { rounds_max } from '@svc/contract/recipe-repetition'
import {
  type Journal,
  type Plan,
  type PlannedGate,
  type PlannedRepeat,
  type PlannedStep,
  roundsOf,
  stepsInside,
} from '../recipes/api.ts'

interface RunState {
  /** With the rounds that its loops have by now. */
  readonly plan: Plan
  readonly journal: Journal
  readonly name: string
}

/** A gate that waits or may yet be reached counts; one that has decided, was skipped or has failed does not. */
export function signalPlaces(run_state: RunState): number {
  return sum(run_state, stepsInside(run_state.plan, ''))
}

function sum(run_state: RunState, steps: readonly PlannedStep[]): number {
  return steps.reduce((places, step) => places + placesAt(run_state, step), 0)
}

function placesAt(run_state: RunState, step: PlannedStep): number {
  const { plan, journal } = run_state
  const record = journal.get(step.path)
  if (record?.state === 'failed' || record?.state === 'skipped') return 0
  const inside = stepsInside(plan, step.path)
  if (step.kind === 'Gate') return placesOfGate(run_state, step)
  if (step.kind === 'ForEach' && !record) return rounds_max * sum(run_state, inside)
  if (step.kind === 'ForEach') return sum(run_state, inside.slice(0, roundsOf(record)))
  if (step.kind === 'Repeat') return placesOfRepeat(run_state, step)
  return sum(run_state, inside)
}

/** Only one of its branches is taken. */
function placesOfGate(run_state: RunState, step: PlannedGate): number {
  const decision = run_state.journal.get(step.path)?.decision
  const [on_true, on_false] = (['on_true', 'on_false'] as const).map((taken) =>
    sum(
      run_state,
      stepsInside(run_state.plan, step.path).filter(({ branch }) => branch === taken),
    ),
  ) as [number, number]
  if (decision !== undefined) return decision ? on_true : on_false
  return (step.await?.signal === run_state.name ? 1 : 0) + Math.max(on_true, on_false)
}

/** Whether another round follows is known only when one has ended. */
function placesOfRepeat(run_state: RunState, { path, max }: PlannedRepeat): number {
  const record = run_state.journal.get(path)
  const inside = stepsInside(run_state.plan, path)
  const rounds = roundsOf(record)
  const later = record?.metadata?.is_over === true ? 0 : Math.max(0, max - rounds)
  return (
    sum(run_state, inside.slice(0, rounds)) +
    later * sum({ ...run_state, journal: new Map() }, inside.slice(0, 1))
  )
}
