// What a task takes at least, whatever the facts are: lower bounds, by which the search leaves out worse plans.
import type { Domain, Method } from './domain.ts'
import { meanOf } from './makespan.ts'
import type { Measures } from './objective.ts'

const nothing: Measures = { makespan: 0, cost: 0, steps: 0 }
const never: Measures = { makespan: Infinity, cost: Infinity, steps: Infinity }
/** A task that nobody knows how to do stays one step. */
const unrefined: Measures = { makespan: 0, cost: 0, steps: 1 }

export type LeastWork = (task: string) => Measures

/** Tasks that only lead to themselves take forever. */
export function leastWorkOf({ operators, methods }: Domain): LeastWork {
  const least = new Map<string, Measures>()
  for (const task of methods.keys()) least.set(task, never)
  for (const [name, { source }] of operators) {
    const { cost = 0, duration } = source
    least.set(name, { makespan: duration ? meanOf(duration) : 0, cost, steps: 1 })
  }
  const leastOf = (task: string) => least.get(task) ?? unrefined
  // Each round settles at least one task more, so this ends after at most as many rounds as there are tasks.
  for (let is_settled = false; !is_settled; ) {
    is_settled = true
    for (const [task, ways] of methods) {
      if (operators.has(task)) continue
      for (const method of ways) {
        const [before, after] = [leastOf(task), lesser(leastOf(task), leastOfMethod(method, leastOf))]
        if (isSame(before, after)) continue
        least.set(task, after)
        is_settled = false
      }
    }
  }
  return leastOf
}

function leastOfMethod({ subtasks, after }: Method, leastOf: LeastWork): Measures {
  const parts = subtasks.map(({ task }) => leastOf(task))
  const ends: (number | undefined)[] = parts.map(() => undefined)
  const endOf = (place: number): number => {
    ends[place] ??= Math.max(0, ...after[place]!.map(endOf)) + parts[place]!.makespan
    return ends[place]
  }
  const total = parts.reduce(
    ({ cost, steps }, one) => ({ makespan: 0, cost: cost + one.cost, steps: steps + one.steps }),
    nothing,
  )
  return { ...total, makespan: Math.max(0, ...parts.map((_, place) => endOf(place))) }
}

function lesser(one: Measures, other: Measures): Measures {
  return {
    makespan: Math.min(one.makespan, other.makespan),
    cost: Math.min(one.cost, other.cost),
    steps: Math.min(one.steps, other.steps),
  }
}

function isSame(one: Measures, other: Measures): boolean {
  return one.makespan === other.makespan && one.cost === other.cost && one.steps === other.steps
}
