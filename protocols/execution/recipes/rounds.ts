// The rounds of a loop. A plan holds the first one; a run adds the others once their number is known.
import type { StepRecord } from './journal.ts'
import type { ListOrder } from './list-order.ts'
import { isLoop, type Plan, type PlannedStep, stepsInside } from './plan.ts'

/** Of a run: so many decisions stay quick, however often its loops repeat. */
export const run_steps_max = 10_000

export function roundPath(loop_path: string, index: number): string {
  return `${loop_path}/${index}`
}

/** The rounds that a loop has been given; none before it is opened. */
export function roundsOf(record: Pick<StepRecord, 'metadata'> | undefined): number {
  return typeof record?.metadata?.rounds === 'number' ? record.metadata.rounds : 0
}

/** The plan with all rounds that its loops have by now. */
export function withRounds(plan: Plan, roundsAt: (loop_path: string) => number): Plan {
  if (![...plan.steps.values()].some((step) => isLoop(step) && roundsAt(step.path) > 1)) return plan
  const grown = {
    steps: new Map(plan.steps),
    inside: new Map(plan.inside),
    names: new Map(plan.names),
    order: new Map(plan.order),
  }
  // From the outside in: a round copies loops inside of it with one round, which then get their own.
  const waiting = [...stepsInside(plan, '')]
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    if (isLoop(step)) {
      const rounds = roundsAt(step.path)
      for (let index = 1; index < rounds; index++) addRound(grown, step, index)
    }
    waiting.push(...stepsInside(grown, step.path))
  }
  return grown
}

interface Growing {
  readonly steps: Map<string, PlannedStep>
  readonly inside: Map<string, readonly PlannedStep[]>
  readonly names: Map<string, ReadonlyMap<string, string>>
  readonly order: Map<string, ListOrder>
}

function addRound(grown: Growing, loop: PlannedStep, index: number): void {
  const first = roundPath(loop.path, 0)
  const own = roundPath(loop.path, index)
  const move = (path: string) =>
    path === first || path.startsWith(`${first}/`) ? own + path.slice(first.length) : path
  const back = (path: string) =>
    path === own || path.startsWith(`${own}/`) ? first + path.slice(own.length) : path
  const copy = (step: PlannedStep): PlannedStep => {
    const copied = {
      ...step,
      path: move(step.path),
      namespace: move(step.namespace),
      parents: step.parents.map(move),
      ...(step.within !== undefined && { within: move(step.within) }),
    }
    grown.steps.set(copied.path, copied)
    copyHolder(step.path)
    return copied
  }
  const copyHolder = (path: string) => {
    const list = grown.inside.get(path)
    if (list) grown.inside.set(move(path), list.map(copy))
    const order = grown.order.get(path)
    if (order) grown.order.set(move(path), { isBefore: (a, b) => order.isBefore(back(a), back(b)) })
    const names = grown.names.get(path)
    if (names) grown.names.set(move(path), new Map([...names].map(([name, at]) => [name, move(at)])))
  }
  const round = copy(grown.steps.get(first)!)
  // What is repeated follows the round before it.
  const parents = loop.kind === 'Repeat' ? [roundPath(loop.path, index - 1)] : []
  const placed = { ...round, index, parents } as PlannedStep
  grown.steps.set(own, placed)
  grown.inside.set(loop.path, [...stepsInside(grown as Plan, loop.path), placed])
  grown.order.set(loop.path, { isBefore: (a, b) => loop.kind === 'Repeat' && indexOf(a) < indexOf(b) })
}

function indexOf(round_path: string): number {
  return Number(round_path.slice(round_path.lastIndexOf('/') + 1))
}
