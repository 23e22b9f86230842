// What a task takes at least, whatever the facts are: lower bounds, by which the search leaves out worse plans.
import type { Domain, Method } from './domain.ts'
import { meanOf } from './makespan.ts'
import type { Measures } from './objective.ts'

const nothing: Measures = { makespan: 0, cost: 0, steps: 0 }
const never: Measures = { makespan: Infinity, cost: Infinity, steps: Infinity }
/** A task that nobody knows how to do stays one step. */
const unrefined: Measures = { makespan: 0, cost: 0, steps: 1 }

export type LeastWork = (task: string) => Measures

/** Tasks that only lead to themselves take forever. If it is late before that is known, all that is known is that nothing takes less. */
export function leastWorkOf({ operators, methods, all_methods }: Domain, isLate: () => boolean): LeastWork {
  const least = new Map<string, Measures>()
  for (const task of methods.keys()) least.set(task, never)
  for (const [name, { source }] of operators) {
    const { cost = 0, duration } = source
    least.set(name, { makespan: duration ? meanOf(duration) : 0, cost, steps: 1 })
  }
  const leastOf = (task: string) => least.get(task) ?? unrefined
  const users = usersOf(all_methods)
  const waiting = new Set(all_methods)
  // Whatever becomes less is a reason to look at those again that need it.
  for (const method of waiting) {
    if (isLate()) return () => nothing
    waiting.delete(method)
    const { task } = method
    const [before, after] = [leastOf(task), lesser(leastOf(task), leastOfMethod(method, leastOf))]
    if (isSame(before, after)) continue
    least.set(task, after)
    for (const user of users.get(task) ?? []) waiting.add(user)
  }
  return leastOf
}

/** The methods that have a task among their subtasks. */
function usersOf(all_methods: readonly Method[]): Map<string, Set<Method>> {
  const users = new Map<string, Set<Method>>()
  for (const method of all_methods)
    for (const { task } of method.subtasks) users.set(task, (users.get(task) ?? new Set()).add(method))
  return users
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
