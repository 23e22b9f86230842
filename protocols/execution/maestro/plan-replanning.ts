// MAESTRO graph.replan: takes events and returns the repaired plan.
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  compareTasks,
  type EventFault,
  event_kinds,
  type PlanEvent,
  type PlanGraph,
  type Replan,
  type Replanned,
  replan_job,
} from '../planning/api.ts'
import {
  FailingAnswer,
  Makespan,
  ObjectiveAnswer,
  PlanTaskAnswer,
  ReasonAnswer,
  RiskAnswer,
  SearchAnswer,
  TaskId,
  TreeAnswer,
  tellFailing,
  tellObjective,
  tellRisks,
  tellSchedule,
  tellTasks,
  tellTree,
} from './plan-answer.ts'
import { searchBudget } from './plan-budget.ts'
import { refuseFaults } from './plan-faults.ts'
import { Effects, GraphRef, Name, PlanningBudget } from './plan-input.ts'
import { manifestOf } from './plan-manifest.ts'
import { readGraph, replaceGraph } from './plan-store.ts'

const tasks_max = 2_000
/** The reporters' clocks differ from ours. */
const ahead_ms_max = 300_000

const Happening = Closed({
  task_id: Type.Optional(described(TaskId, 'Task it is about; for done, failed, late and cancelled.')),
  kind: Type.Enum([...event_kinds], {
    description: 'What happened; resource_lost and resource_added are about agents.',
  }),
  at: Type.Optional(described(Timestamp, 'When it happened; default now.')),
  data: Type.Optional(
    Closed(
      {
        effects: Type.Optional(described(Effects, 'Further facts that are true now; needed for new_fact.')),
        remaining_ms: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 31_536_000_000,
            description: 'late: how long it still takes.',
          }),
        ),
        did: Type.Optional(described(Did, 'resource_lost and resource_added: the agent.')),
        skills: Type.Optional(described(ListOf(Text(64), 0, 64), 'resource_added: what the agent can do.')),
        capacity: Type.Optional(
          Type.Number({
            minimum: 0,
            maximum: 1,
            default: 1,
            description: 'resource_added: share of its time that may be planned with.',
          }),
        ),
        objective_id: Type.Optional(described(Name, 'new_deadline: the objective.')),
        deadline: Type.Optional(described(Timestamp, 'new_deadline: when it must be reached now.')),
      },
      { description: 'What is needed to know of it, by kind.' },
    ),
  ),
})

export const ReplanInput = Closed({
  graph_ref: described(GraphRef, 'Plan to change.'),
  expected_version: Type.Integer({ minimum: 1, description: 'Version you know; another one is refused.' }),
  events: described(ListOf(Happening, 1, 100), 'What happened since; taken in order of time.'),
  policy: Type.Optional(
    Type.Enum(['minimal_change', 'optimal'], {
      default: 'minimal_change',
      description:
        'Whether order and people stay as far as they can, or all that is left is scheduled anew. Both keep the objective.',
    }),
  ),
  freeze_window_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 31_536_000_000,
      default: 0,
      description: 'What starts within it keeps its people, and starts no earlier.',
    }),
  ),
  budget: Type.Optional(described(PlanningBudget, 'What the search may use.')),
})
export type ReplanInput = Static<typeof ReplanInput>

export const ReplanOutput = Closed({
  graph_ref: GraphRef,
  version: Type.Integer({ minimum: 2, description: 'Version of the changed plan.' }),
  feasible: Type.Boolean({ description: 'Whether the rest can still be done.' }),
  reason: Type.Optional(described(ReasonAnswer, 'Why the rest cannot be done; absent: it can.')),
  failing: Type.Optional(FailingAnswer),
  diff: Closed(
    {
      added: described(ListOf(TaskId, 0, tasks_max), 'New tasks.'),
      removed: described(ListOf(TaskId, 0, tasks_max), 'Tasks that are no longer needed.'),
      moved: described(ListOf(TaskId, 0, tasks_max), 'Tasks with other times.'),
      reassigned: described(ListOf(TaskId, 0, tasks_max), 'Tasks that somebody else does now.'),
    },
    { description: 'What changed in the plan.' },
  ),
  stability: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Twice the tasks that stayed with who had them, over all tasks before and all after.',
  }),
  starts_at: described(Timestamp, 'Time from which offsets count.'),
  tasks: described(
    ListOf(PlanTaskAnswer, 0, tasks_max),
    'Steps of the plan with their times, done ones included.',
  ),
  critical_path: described(ListOf(TaskId, 0, tasks_max), 'Tasks that decide how long the rest takes.'),
  makespan: Makespan,
  cost: Type.Number({ minimum: 0, description: 'US dollars.' }),
  objective: described(
    ObjectiveAnswer,
    'How good the plan is by the objective it was made for; proven_best is about the ways to do what broke, and false if nothing did.',
  ),
  decomposition: described(ListOf(TreeAnswer, 0, 10_000), 'How the goal was broken down, as a tree.'),
  executable_manifest: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'What is left to do, for MOON submit_manifest; absent where that is nothing, or not feasible.',
    }),
  ),
  at_risk_objectives: described(RiskAnswer, 'Objectives of the charter that will be late.'),
  search: described(SearchAnswer, 'How far the search went.'),
})
type Answer = Static<typeof ReplanOutput>

export async function replanGraph(
  input: ReplanInput,
  context: OperationContext<'compute' | 'embedder' | 'vault'>,
): Promise<Answer> {
  const { graph_ref, expected_version, policy = 'minimal_change', budget } = input
  const { tenant_id, vault } = context
  // Outside the operation's transaction: no locks during the work; the version is checked again at the end.
  const before = await context.apart(({ db }) =>
    readGraph({ db, tenant_id, vault }, graph_ref, expected_version),
  )
  const { worker_ms, ...limits } = searchBudget(budget, context)
  const events = input.events.map((event, place) => eventOf(event, place, before, context))
  const replanned = await context.compute(
    replan_job,
    {
      graph: before,
      events,
      now: Math.max(0, Date.parse(context.now) - before.starts_at_ms, ...events.map(({ at }) => at)),
      policy,
      freeze_window_ms: input.freeze_window_ms ?? 0,
      ...limits,
    },
    worker_ms,
  )
  const replan = requireReplan(replanned)
  const replaced = await replaceGraph(context, graph_ref, expected_version, replan.graph)
  return tell(replan, before, { graph_ref, policy, ...replaced }, context)
}

function requireReplan(replanned: Replanned): Replan {
  if ('faults' in replanned) refuseFaults(replanned.faults)
  if ('fault' in replanned) throw refuseEvent(replanned.fault)
  return replanned as Replan
}

function refuseEvent({ place, reason, message }: EventFault) {
  const pointer = `/events/${place}`
  return refuse('invalid_payload', `Event ${place + 1} does not fit this plan: it ${asClause(message)}.`, {
    reason,
    path: pointer,
    faults: [{ pointer, message }],
  })
}

function asClause(message: string): string {
  return /^(names|needs|belongs)/.test(message) ? message : `says that, and ${message}`
}

function eventOf(
  { kind, task_id, at, data = {} }: ReplanInput['events'][number],
  place: number,
  { starts_at_ms }: PlanGraph,
  { now }: OperationContext,
): PlanEvent {
  const [at_ms, now_ms] = [Date.parse(at ?? now), Date.parse(now)]
  if (at_ms > now_ms + ahead_ms_max)
    throw refuse(
      'invalid_payload',
      `Event ${place + 1} has a time in the future; send it once it has happened.`,
      {
        reason: 'future_event',
        path: `/events/${place}/at`,
      },
    )
  const { deadline, effects, ...rest } = data
  return {
    kind,
    ...(task_id !== undefined && { task_id }),
    at: Math.max(0, at_ms - starts_at_ms),
    data: {
      ...rest,
      ...(effects && { effects: effects as PlanEvent['data']['effects'] & {} }),
      ...(deadline !== undefined && { deadline_ms: Date.parse(deadline) }),
    },
  }
}

interface Stored {
  readonly graph_ref: string
  readonly version: number
  readonly commitment: string
  readonly policy: string
}

function tell(
  { graph, schedule, objective, feasible, reason, failing, expansions, ended }: Replan,
  before: PlanGraph,
  { graph_ref, version, commitment, policy }: Stored,
  context: OperationContext,
): Answer {
  const { diff, stability } = compareTasks(before.tasks, graph.tasks)
  const manifest = feasible ? manifestOf(graph.tasks, graph_ref, version) : undefined
  const counts = Object.fromEntries(Object.entries(diff).map(([name, ids]) => [name, ids.length]))
  context.audit('PlanReplanned', {
    graph_ref,
    version,
    commitment,
    policy,
    ...counts,
    stability,
    feasible,
    expansions,
  })
  return {
    graph_ref,
    version,
    feasible,
    ...(reason && { reason }),
    ...(failing && { failing: tellFailing(failing) }),
    diff,
    stability,
    starts_at: new Date(graph.starts_at_ms).toISOString(),
    tasks: tellTasks(graph.tasks),
    ...tellSchedule(schedule),
    objective: tellObjective(objective),
    decomposition: tellTree(graph.tree),
    ...(manifest && { executable_manifest: { ...manifest } }),
    at_risk_objectives: tellRisks(graph.objectives, graph, schedule),
    search: { expansions, ended },
  }
}
