// How much of a plan is unchanged.
import type { PlanTask } from './plan-graph.ts'

export interface PlanChange {
  readonly diff: {
    readonly added: string[]
    readonly removed: string[]
    readonly moved: string[]
    readonly reassigned: string[]
  }
  readonly stability: number
}

/** A reassigned task counts as one removed and one added. */
export function compareTasks(before: readonly PlanTask[], after: readonly PlanTask[]): PlanChange {
  const earlier = new Map(before.map((task) => [task.id, task]))
  const later = new Map(after.map((task) => [task.id, task]))
  const plan_tasks = after.filter(({ id }) => earlier.has(id))
  const reassigned = plan_tasks.filter(({ id, assignee }) => earlier.get(id)!.assignee !== assignee)
  const moved = plan_tasks.filter(({ id, is_done, start }) => !is_done && earlier.get(id)!.start !== start)
  const whole = before.length + after.length
  return {
    diff: {
      added: idsOf(after.filter(({ id }) => !earlier.has(id))),
      removed: idsOf(before.filter(({ id }) => !later.has(id))),
      moved: idsOf(moved),
      reassigned: idsOf(reassigned),
    },
    stability: whole === 0 ? 1 : (2 * (plan_tasks.length - reassigned.length)) / whole,
  }
}

function idsOf(tasks: readonly PlanTask[]): string[] {
  return tasks.map(({ id }) => id)
}
