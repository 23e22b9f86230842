// A node of the plan search: the tasks that are open, the state, and what was done to get there.
import { type Facts, fingerprint } from './facts.ts'
import type { LeastWork } from './least-work.ts'
import type { Measures } from './objective.ts'
import { roundCost } from './objective.ts'
import { type Solution, type Step, stepKey } from './solution.ts'
import type { Decomposition, TaskNode } from './task-network.ts'
import { earliestStart, isUnder, type Mark, markDecision, markStep, precedingSiblings } from './trace.ts'

/** With more open tasks than this, the bound on the time looks at each by itself. */
const chained_max = 32
/** A hundred bits of the state's hash tell a hundred thousand states apart. */
const state_digits = 25
/** Sums of ids are exact below this. */
const sum_modulus = 2 ** 52

interface Steps {
  readonly step: Step
  readonly previous: Steps | undefined
}

interface Settled {
  readonly decomposition: Decomposition
  readonly previous: Settled | undefined
}

export interface Moment {
  readonly open: readonly TaskNode[]
  readonly state: Facts
  readonly done: Steps | undefined
  readonly count: number
  readonly cost: number
  /** Equal for the same steps in any order. */
  readonly step_sum: number
  readonly settled: Settled | undefined
  /** Only where the order of steps matters. */
  readonly trace?: { readonly last: Mark | undefined; readonly sum: number; readonly finish: number }
}

export function startOf(open: readonly TaskNode[], state: Facts, by_order: boolean): Moment {
  const start = { open, state, done: undefined, count: 0, cost: 0, step_sum: 0, settled: undefined }
  return by_order ? { ...start, trace: { last: undefined, sum: 0, finish: 0 } } : start
}

export function advance(moment: Moment, step: Step, state: Facts): Moment {
  const { trace } = moment
  const last = trace && markStep(step, trace.last)
  return {
    ...moment,
    open: moment.open.filter((one) => one !== step.node),
    state,
    done: { step, previous: moment.done },
    count: moment.count + 1,
    cost: moment.cost + (step.operator?.source.cost ?? 0),
    step_sum: (moment.step_sum + step.node.id) % sum_modulus,
    ...(trace &&
      last && {
        trace: {
          last,
          sum: (trace.sum + last.sum) % sum_modulus,
          finish: Math.max(trace.finish, last.finish),
        },
      }),
  }
}

export function decide(moment: Moment, decomposition: Decomposition): Moment {
  const { trace } = moment
  const { node, children } = decomposition
  const open = moment.open.flatMap((one) => (one === node ? children : [one]))
  const settled = { decomposition, previous: moment.settled }
  const sum = trace && (trace.sum + markDecision(decomposition, trace.last)) % sum_modulus
  return {
    ...moment,
    open,
    ...(children.length === 0 && { settled }),
    ...(trace && sum !== undefined && { trace: { ...trace, sum } }),
  }
}

export function solutionOf({ done, state, settled: last }: Moment): Solution {
  const steps: Step[] = []
  for (let one = done; one; one = one.previous) steps.push(one.step)
  const settled: Decomposition[] = []
  for (let one = last; one; one = one.previous) settled.push(one.decomposition)
  return { steps: steps.reverse(), state, settled }
}

/** No plan that goes on from here measures less. */
export function leastFrom({ open, count, cost, trace }: Moment, leastOf: LeastWork): Measures {
  let [total_cost, steps] = [cost, count]
  for (const { task } of open) {
    const least = leastOf(task)
    total_cost += least.cost
    steps += least.steps
  }
  return { makespan: trace ? leastTime(open, trace, leastOf) : 0, cost: roundCost(total_cost), steps }
}

function leastTime(
  open: readonly TaskNode[],
  { last, finish }: NonNullable<Moment['trace']>,
  leastOf: LeastWork,
): number {
  const ends = new Map<TaskNode, number>()
  const endOf = (node: TaskNode): number => {
    const computed = ends.get(node)
    if (computed !== undefined) return computed
    let start = earliestStart(node, last)
    if (open.length <= chained_max) {
      const siblings = precedingSiblings(node)
      for (const other of open) if (isUnder(other, siblings)) start = Math.max(start, endOf(other))
    }
    const end = start + leastOf(node.task).makespan
    ends.set(node, end)
    return end
  }
  return Math.max(finish, ...open.map(endOf))
}

/** The same task in the same state below itself would recur forever. */
export function isLoop(node: TaskNode, state_key: string): boolean {
  const key = stepKey(node)
  for (let above = node.parent; above; above = above.node.parent)
    if (above.state_key === state_key && stepKey(above.node) === key) return true
  return false
}

/** From equal keys the same steps are possible. */
export function keyOf({ open, state }: Moment): string {
  let sum = 0
  for (const { id } of open) sum = (sum + id) % sum_modulus
  return `${sum}|${fingerprint(state).slice(0, state_digits)}`
}
