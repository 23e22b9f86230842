// A plan in an answer: tasks with their times, the task tree, and the runnable manifest.
import { Closed, Did, described, ListOf, OneOf, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  deviationOf,
  type Failing,
  meanOf,
  type Objective,
  type ObjectiveResult,
  type PlanGraph,
  type PlanTask,
  type Schedule,
  type TreeEntry,
} from '../planning/api.ts'
import { Minimize, Name } from './plan-input.ts'

const tasks_max = 2_000

export const TaskId = Type.String({ pattern: '^t[1-9][0-9]{0,6}$', description: 'Of one task of one plan.' })
const Args = Type.Record(Type.String(), Type.Unknown(), { description: 'Arguments by name.' })
const Offset = (description: string) => Type.Number({ description: `${description}, in ms from starts_at.` })

export const PlanTaskAnswer = Closed({
  id: described(TaskId, 'Names the task within the plan.'),
  kind: Type.Enum(['operation', 'skill', 'step', 'unrefined'], {
    description:
      'A call, the skill of an agent, a step that somebody takes, or a task nobody knows how to do.',
  }),
  status: described(OneOf('pending', 'done'), 'Whether it was reported as done.'),
  operator: described(Name, 'What is done, by the name of its operator.'),
  args: Args,
  depends_on: described(ListOf(TaskId, 0, tasks_max), 'Tasks that must end before it.'),
  duration: Closed(
    {
      mean: Type.Number({ description: 'Expected time, in milliseconds.' }),
      sd: Type.Number({ description: 'Standard deviation, in milliseconds.' }),
    },
    { description: 'PERT, in milliseconds.' },
  ),
  es: Offset('Earliest start'),
  ef: Offset('Earliest finish'),
  ls: Offset('Latest start'),
  lf: Offset('Latest finish'),
  slack: Type.Number({
    minimum: 0,
    description: 'How much later it may start without making the plan longer.',
  }),
  critical: Type.Boolean({ description: 'Whether a delay of it delays the plan.' }),
  start: Offset('When it starts with the agents there are'),
  finish: Offset('When it ends then'),
  assignee: Type.Optional(described(Did, 'Who does it; absent: nobody is needed, or nobody was found.')),
})

export const Makespan = Closed(
  {
    mean: Type.Number({ minimum: 0, description: 'Expected, in milliseconds.' }),
    p90: Type.Number({ minimum: 0, description: 'In nine cases of ten, in milliseconds.' }),
  },
  {
    description:
      'Milliseconds from starts_at: with mean durations and the agents there are; and in nine cases of ten.',
  },
)

export const TreeAnswer = Closed({
  id: Type.Integer({ minimum: 0, description: 'Names the entry within the tree.' }),
  parent: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Entry that it is a part of; absent: the goal.' }),
  ),
  task: described(Name, 'Task that was broken down.'),
  args: Args,
  method: Type.Optional(Type.String({ description: 'How it is done.' })),
  task_id: Type.Optional(described(TaskId, 'Task of the plan that does it; absent: it was broken down.')),
  past: Type.Optional(Type.Boolean({ description: 'Done for a way that was given up.' })),
})

export const FailingAnswer = Closed(
  {
    task: Type.Optional(Type.String({ description: 'Task that could not be done.' })),
    args: Type.Optional(Args),
    of: Type.Optional(
      Type.String({
        description: 'What did not hold: an operator, method, choice, effect, constraint, or the goal.',
      }),
    ),
    name: Type.Optional(Type.String({ description: 'Of the operator, the method or the constraint.' })),
    precondition: Type.Optional(Type.String({ description: 'Condition that was false, in CEL.' })),
    why: Type.String({ description: 'What was wrong, in words.' }),
  },
  { description: 'Of the attempt that came furthest, the first thing that did not hold.' },
)

export const SearchAnswer = Closed({
  expansions: Type.Integer({ minimum: 0, description: 'Steps of the search that were taken.' }),
  ended: Type.Enum(['complete', 'expansions', 'deadline', 'expression', 'size'], {
    description:
      'complete: everything was tried, or can be no better. expansions, deadline: that budget was used up before. ' +
      'expression: a condition, choice or value took more work than one may, and what depends on it was left out. ' +
      'size: plans longer or deeper than can be kept were left out.',
  }),
})

export const ReasonAnswer = described(
  OneOf('no_plan', 'out_of_budget', 'goal_not_reached', 'limits', 'size'),
  'no_plan: every way was tried, and none can be done. out_of_budget: the search or an expression used up its budget, or ' +
    'every plan costs more than the charter has; failing says which. goal_not_reached: no plan reaches the :goal. ' +
    'limits: no plan keeps the constraints, or has the agents it needs. size: only plans too large to keep were left.',
)

export const ObjectiveAnswer = Closed(
  {
    minimize: described(Minimize, 'As it was asked for; makespan where nothing was.'),
    value: Type.Number({ description: 'What the objective makes of this plan: the smaller, the better.' }),
    proven_best: Type.Boolean({
      description:
        'Whether no plan of these methods and operators is better, each scheduled as plans are here; false: the search ended before that was known.',
    }),
  },
  { description: 'How good the plan is by its objective.' },
)

export function tellObjective({ minimize, ...objective }: ObjectiveResult): Static<typeof ObjectiveAnswer> {
  return { ...objective, minimize: typeof minimize === 'string' ? minimize : { ...minimize } }
}

export const RiskAnswer = ListOf(
  Closed(
    {
      id: described(Name, 'The objective.'),
      deadline: described(Timestamp, 'When it must be reached.'),
      expected: described(Timestamp, 'When it will be reached, in nine cases of ten.'),
    },
    { description: 'Objectives that will be late.' },
  ),
  0,
  1000,
)

/** What both operations return. */
export function tellSchedule({ critical_path, makespan, cost }: Schedule) {
  return { critical_path: [...critical_path], makespan: { ...makespan }, cost }
}

export function tellTasks(tasks: readonly PlanTask[]): Static<typeof PlanTaskAnswer>[] {
  return tasks.map((task) => {
    const { id, kind, operator, args, es, ef, ls, lf, slack, critical, start, finish, assignee } = task
    return {
      id,
      kind,
      status: task.is_done ? 'done' : 'pending',
      operator,
      args,
      depends_on: [...task.depends_on],
      duration: { mean: meanOf(task.duration), sd: deviationOf(task.duration) },
      ...{ es, ef, ls, lf, slack, critical, start, finish },
      ...(assignee !== undefined && { assignee }),
    }
  })
}

export function tellTree(tree: readonly TreeEntry[]): Static<typeof TreeAnswer>[] {
  return tree.map(({ id, parent, task, args, method_name, task_id, past }) => ({
    id,
    ...(parent !== undefined && { parent }),
    task,
    args,
    ...(method_name !== undefined && { method: method_name }),
    ...(task_id !== undefined && { task_id }),
    ...(past && { past }),
  }))
}

export function tellFailing(failing: Failing): Static<typeof FailingAnswer> {
  if ('constraint' in failing) {
    const { constraint: name, why } = failing
    return { of: name === 'goal' ? 'goal' : 'constraint', name, why }
  }
  const { task, args, of, name, precondition, why } = failing
  return {
    task,
    args: args as Record<string, unknown>,
    of,
    name,
    ...(precondition !== undefined && { precondition }),
    why,
  }
}

/** Judged by the 90th percentile of the time. */
export function tellRisks(
  objectives: readonly Objective[],
  { starts_at_ms }: Pick<PlanGraph, 'starts_at_ms'>,
  { makespan }: Schedule,
): Static<typeof RiskAnswer> {
  const expected_ms = starts_at_ms + makespan.p90
  return objectives
    .filter(({ deadline_ms }) => deadline_ms < expected_ms)
    .map(({ id, deadline_ms }) => ({ id, deadline: isoOf(deadline_ms), expected: isoOf(expected_ms) }))
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
