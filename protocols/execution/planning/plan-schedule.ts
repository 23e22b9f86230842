// Times and assignees of all tasks of a plan, and the resulting totals.
import { findCriticalPath } from './critical-path.ts'
import { type Agent, findUnstaffed, levelWorks, type Work } from './levelling.ts'
import { drawMakespan, meanOf, samples } from './makespan.ts'
import type { PlannedTask, PlanTask } from './plan-graph.ts'

/** What is known about a task before scheduling. */
export interface Standing {
  readonly task: PlannedTask
  /** Finished or started: its start, and its actual or expected end. */
  readonly fixed?: { readonly start: number; readonly finish: number }
  readonly assignee?: string
  /** Its previously planned start. */
  readonly start?: number
  /** Neither moved to an earlier time nor reassigned. */
  readonly frozen?: boolean
}

export interface Schedule {
  readonly tasks: readonly PlanTask[]
  readonly critical_path: readonly string[]
  readonly makespan: { readonly mean: number; readonly p90: number }
  readonly cost: number
  /** A task that no agent has the skill or the capacity for. */
  readonly unstaffed?: string
}

export interface Scheduling {
  readonly staffed: boolean
  readonly agents: readonly Agent[]
  /** Earliest start of new tasks, relative to the start of the plan. */
  readonly now: number
  /** Keeps order and assignees as far as possible. */
  readonly keep_order: boolean
  readonly seed: number
}

export interface Planned {
  /** Its 90th percentile is not drawn, which is expensive: it is the mean. */
  readonly schedule: Schedule
  /** With its 90th percentile: drawn once, of fewer samples if there is no more time. */
  draw(is_hurried?: boolean): Schedule
}

const cost_places = 6

export function scheduleTasks(standings: readonly Standing[], how: Scheduling): Planned {
  const places = new Map(standings.map(({ task }, place) => [task.id, place]))
  const works = standings.map((standing) => workOf(standing, places, how))
  const { staffed } = how
  const lacking = staffed ? findUnstaffed(works, how.agents) : undefined
  const { timings, critical_path } = findCriticalPath(works)
  // Without named agents, assume enough people with the skill.
  const levelled = levelWorks(
    staffed && lacking === undefined ? works : works.map(withoutAgent),
    how.agents,
    how.keep_order ? standings.map(({ start, fixed }) => fixed?.start ?? start ?? how.now) : undefined,
  )
  const tasks = standings.map(({ task, assignee }, place): PlanTask => {
    const { start, finish, assignee: slot_assignee } = levelled.slots[place]!
    const who = slot_assignee ?? (task.is_done || !staffed ? assignee : undefined)
    return { ...task, ...timings[place]!, start, finish, ...(who !== undefined && { assignee: who }) }
  })
  const uncertain = tasks.map(({ duration }, place) => ({
    duration,
    after: works[place]!.after,
    slot: levelled.slots[place]!,
    ...(works[place]!.release !== undefined && { release: works[place]!.release }),
    settled: standings[place]!.fixed !== undefined,
  }))
  const schedule: Schedule = {
    tasks,
    critical_path: critical_path.map((place) => tasks[place]!.id),
    makespan: { mean: levelled.makespan, p90: levelled.makespan },
    cost: costOf(tasks),
    ...(lacking !== undefined && { unstaffed: tasks[lacking]!.id }),
  }
  const drawnOf = (count: number): Schedule => {
    const p90 = drawMakespan(uncertain, how.seed, how.now, count)
    return { ...schedule, makespan: { mean: levelled.makespan, p90 } }
  }
  let drawn: Schedule | undefined
  const draw = (is_hurried = false) => {
    drawn ??= drawnOf(is_hurried ? samples.hurried : samples.usual)
    return drawn
  }
  return { schedule, draw }
}

function workOf(
  { task, fixed, assignee, start, frozen }: Standing,
  places: ReadonlyMap<string, number>,
  { now }: Scheduling,
): Work {
  if (fixed) {
    const busy = !task.is_done && assignee !== undefined
    return {
      duration: fixed.finish - fixed.start,
      after: [],
      release: fixed.start,
      fixed,
      ...(busy && { bound_to: assignee, load: task.load ?? 1 }),
    }
  }
  return {
    duration: meanOf(task.duration),
    after: task.depends_on.map((id) => places.get(id)!),
    release: frozen ? Math.max(now, start ?? now) : now,
    ...(task.skill !== undefined && { skill: task.skill }),
    ...(task.load !== undefined && { load: task.load }),
    ...(assignee !== undefined && { prefers: assignee }),
  }
}

function withoutAgent({ skill: _, bound_to: __, ...work }: Work): Work {
  return work
}

function costOf(tasks: readonly PlanTask[]): number {
  return Number(tasks.reduce((sum, { cost }) => sum + cost, 0).toFixed(cost_places))
}
