// Replans after events, on a worker: finished tasks stay, broken ones are repaired, others rescheduled.
import { type ComputationHost, computation } from '@svc/contract/needs/computation'
import { dependenciesOf } from './dependencies.ts'
import { compileDomain, type Fault } from './domain.ts'
import { factsOf, plainOf } from './facts.ts'
import { finishingBy } from './finishing.ts'
import { meanOf } from './makespan.ts'
import { objectiveValue } from './objective.ts'
import { type Aftermath, type EventFault, outgrown, type PlanEvent, tellEvents } from './plan-events.ts'
import {
  type Plain,
  type PlanGraph,
  type PlannedTask,
  type PlanTask,
  plannedTask,
  type TreeEntry,
  tree_max,
  treeOf,
} from './plan-graph.ts'
import { limitsOf, type PlanLimits } from './plan-limits.ts'
import { type Planned, type Schedule, type Standing, scheduleTasks } from './plan-schedule.ts'
import {
  type Failing,
  measuresOf,
  type ObjectiveResult,
  type Reason,
  reasonOf,
  unmeasured,
} from './refine-job.ts'
import { type RepairScope, repairPlan } from './repair.ts'
import type { Judgement } from './search.ts'
import { type Ended, type Solution, type Step, stepKey } from './solution.ts'
import { ancestry } from './task-network.ts'

export interface ReplanTask {
  readonly graph: PlanGraph
  readonly events: readonly PlanEvent[]
  /** Relative to the start of the plan. */
  readonly now: number
  readonly policy: 'minimal_change' | 'optimal'
  readonly freeze_window_ms: number
  /** Absent: only the deadline ends the search. */
  readonly expansions_max?: number
  readonly deadline_ms: number
}

export interface Replan {
  readonly graph: PlanGraph
  readonly schedule: Schedule
  readonly objective: ObjectiveResult
  readonly feasible: boolean
  readonly failing?: Failing
  readonly reason?: Reason
  readonly expansions: number
  readonly ended: Ended
  readonly replanned: number
}

export type Replanned = { readonly faults: readonly Fault[] } | { readonly fault: EventFault } | Replan

export const replan_job = computation<ReplanTask, Replanned>(new URL(import.meta.url))

export function compute(task: ReplanTask, host: ComputationHost): Replanned {
  const { graph } = task
  const compiled = compileDomain(graph.domain)
  if ('faults' in compiled) return compiled
  const { domain } = compiled
  const applied = tellEvents(graph, domain, task.events)
  if ('fault' in applied) return applied
  const { after } = applied
  const limits = limitsOf(graph)
  const finishing = finishingBy(task.deadline_ms, host)
  const repaired = repairPlan<Way>({
    domain,
    tree: graph.tree,
    order: graph.tasks.map(({ id }) => id),
    after,
    limits,
    expansions_max: task.expansions_max ?? Number.POSITIVE_INFINITY,
    is_late: finishing.isLate,
    judge(solution, scope) {
      const judgement = judge(solution, scope, after, limits, task)
      const { made } = judgement.candidate
      if (made && scope.replanned.size > 0) finishing.measure(() => made.draw(finishing.isOver()))
      return judgement
    },
  })
  const { best, refused, standing, expansions, ended } = repaired
  const unchanged: Way = { solution: standing, scope: { nodes: repaired.nodes, replanned: new Set() } }
  const { solution, scope, made } = best ?? refused?.candidate ?? unchanged
  const { graph: next, draw } = made ?? carryOn(solution, scope, after, task)
  const way = { graph: next, schedule: draw(finishing.isOver()) }
  if (way.graph.tree.length > tree_max) return { fault: outgrown }
  const failing = best ? undefined : (refused?.refusal ?? repaired.failure)
  const { minimize } = limits
  const proven_best = best !== undefined && scope.replanned.size > 0 && ended === 'complete'
  return {
    ...way,
    objective: { minimize, value: objectiveValue(minimize, measuresOf(way.schedule)), proven_best },
    feasible: best !== undefined,
    ...(!best && { reason: reasonOf(failing, ended) }),
    ...(failing && { failing }),
    expansions,
    ended,
    replanned: repaired.replanned.size,
  }
}

interface Made extends Planned {
  readonly graph: Replan['graph']
}

interface Way {
  readonly solution: Solution
  readonly scope: RepairScope
  /** Absent for what is refused by its end alone. */
  readonly made?: Made
}

function judge(
  solution: Solution,
  scope: RepairScope,
  after: Aftermath,
  limits: PlanLimits,
  task: ReplanTask,
): Judgement<Way> {
  const breach = limits.atEnd(solution.state)
  if (breach) return { measures: unmeasured, candidate: { solution, scope }, refusal: breach, is_final: true }
  const made = carryOn(solution, scope, after, task)
  const schedule = limits.needs_p90 ? made.draw() : made.schedule
  const refusal = limits.inAll(schedule, solution.state)
  return { measures: measuresOf(schedule), candidate: { solution, scope, made }, ...(refusal && { refusal }) }
}

/** The plan with these remaining steps. */
function carryOn(solution: Solution, scope: RepairScope, after: Aftermath, task: ReplanTask): Made {
  const { steps } = solution
  const { graph, now, policy } = task
  const done = graph.tasks.map(({ id }) => after.tasks.get(id)).filter((one) => one?.is_done) as PlanTask[]
  const { planned, next_task } = namedTasks(solution, done, after, graph)
  const standings = [
    ...done.map(asDone),
    ...standingsOf(planned, new Set(done.map(({ id }) => id)), after, task),
  ]
  const { agents, objectives } = after
  const staffed = graph.staffed || agents.length > 0
  const { schedule, draw } = scheduleTasks(standings, {
    staffed,
    agents,
    now,
    keep_order: policy === 'minimal_change',
    seed: graph.seed,
  })
  const next = {
    ...graph,
    staffed,
    agents,
    objectives,
    state: plainOf(after.state) as Plain,
    tasks: schedule.tasks,
    tree: treeAfter(steps, planned, done, scope, graph.tree),
    next_task,
    forbidden: [...after.forbidden].sort(),
  }
  return { graph: next, schedule, draw }
}

/** Unchanged tasks keep their ids, even if they were replanned. */
function namedTasks(
  solution: Solution,
  done: readonly PlanTask[],
  after: Aftermath,
  graph: PlanGraph,
): { planned: PlannedTask[]; next_task: number } {
  const { steps } = solution
  const remaining = new Set(steps.map(({ node }) => node.task_id))
  const given_up = new Map<string, string[]>()
  for (const { id, operator, args, is_done } of after.tasks.values()) {
    if (remaining.has(id) || is_done) continue
    const key = stepKey({ task: operator, args: factsOf(args) })
    given_up.set(key, [...(given_up.get(key) ?? []), id])
  }
  let { next_task } = graph
  const ids = steps.map(
    ({ node }) => node.task_id ?? given_up.get(stepKey(node))?.shift() ?? `t${next_task++}`,
  )
  const waits = dependenciesOf(solution)
  const earlier = new Set(done.map(({ id }) => id))
  const planned = steps.map((step, place) => {
    const id = ids[place]!
    const before = (after.tasks.get(id)?.depends_on ?? []).filter((one) => earlier.has(one))
    earlier.add(id)
    return plannedTask(step, id, [...new Set([...before, ...waits[place]!.map((one) => ids[one]!)])])
  })
  return { planned, next_task }
}

function asDone(task: PlanTask): Standing {
  const { start, finish, assignee } = task
  return { task, fixed: { start, finish }, ...(assignee !== undefined && { assignee }) }
}

function standingsOf(
  planned: readonly PlannedTask[],
  done: ReadonlySet<string>,
  after: Aftermath,
  { graph, now, freeze_window_ms, policy }: ReplanTask,
): Standing[] {
  const before = new Map(graph.tasks.map((task) => [task.id, task]))
  const room = new Map(after.agents.map(({ did, capacity }) => [did, { capacity, left: capacity }]))
  return planned.map((task): Standing => {
    const was = before.get(task.id)
    const late = after.late.get(task.id)
    if (!was) return { task }
    const assignee = was.assignee !== undefined && room.has(was.assignee) ? was.assignee : undefined
    const who = assignee === undefined ? {} : { assignee }
    const is_staffed = assignee !== undefined || was.assignee === undefined
    const can_run = was.start <= now && is_staffed && task.depends_on.every((id) => done.has(id))
    if (can_run && takeRoom(task, assignee, room)) {
      const ended = task.depends_on.map((id) => after.tasks.get(id)!.finish)
      const start = Math.max(was.start, ...ended)
      const expected = late ? late.at + late.remaining_ms : start + was.finish - was.start
      return { task, ...who, fixed: { start, finish: Math.max(now, start, expected) } }
    }
    const frozen = was.start < now + freeze_window_ms
    const stays = policy === 'minimal_change' || frozen
    return {
      task: late ? slowed(task, late.remaining_ms) : asTold(task, was),
      start: was.start,
      ...(stays && who),
      frozen,
    }
  })
}

/** A task that exceeds its agent's free capacity has not started, whatever the plan said. */
function takeRoom(
  { load }: PlannedTask,
  assignee: string | undefined,
  room: ReadonlyMap<string, { readonly capacity: number; left: number }>,
): boolean {
  if (assignee === undefined) return true
  const agent = room.get(assignee)!
  const needed = load ?? agent.capacity
  if (needed > agent.left + 1e-9 || agent.left <= 0) return false
  agent.left -= needed
  return true
}

/** A reported duration stays valid. */
function asTold(task: PlannedTask, { duration }: PlanTask): PlannedTask {
  return meanOf(duration) === meanOf(task.duration) ? task : { ...task, duration }
}

function slowed(task: PlannedTask, remaining_ms: number): PlannedTask {
  return { ...task, duration: { opt: remaining_ms, likely: remaining_ms, pess: remaining_ms } }
}

function treeAfter(
  steps: readonly Step[],
  planned: readonly PlannedTask[],
  done: readonly PlanTask[],
  { nodes, replanned }: RepairScope,
  tree: readonly TreeEntry[],
): TreeEntry[] {
  const finished = done.flatMap(({ id }) => (nodes.has(id) ? [{ node: nodes.get(id)!, task_id: id }] : []))
  const isOver = ({ node }: (typeof finished)[number]) =>
    [...ancestry(node)].slice(1).some((above) => replanned.has(above))
  const coming = steps.map(({ node }, place) => ({ node, task_id: planned[place]!.id }))
  const entries = treeOf([...finished.filter((one) => !isOver(one)), ...coming])
  const past = finished.filter(isOver).map(({ node, task_id }) => ({
    place: node.place,
    task: node.task,
    args: plainOf(node.args) as Plain,
    task_id,
  }))
  const older = tree.filter((entry) => entry.past).map(({ id: _, parent: __, ...entry }) => entry)
  const over = [...older, ...past].map((entry, at) => ({
    ...entry,
    id: entries.length + at,
    past: true as const,
  }))
  return [...entries, ...over]
}
