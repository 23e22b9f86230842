// Input and output of goal.refine.
import { Closed, described, ListOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
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
} from './plan-answer.ts'
import {
  CharterRef,
  Facts,
  GraphRef,
  Methods,
  Minimize,
  Name,
  Operators,
  PlanningBudget,
} from './plan-input.ts'

const tasks_max = 2_000
const hddl_chars_max = 1_048_576

export const RefineInput = Closed({
  charter_ref: Type.Optional(
    described(CharterRef, 'Charter whose methods, agents and constraints count; absent: none.'),
  ),
  goal: Type.Union(
    [
      Text(4096, { description: 'The name of a task, or a wish in words.' }),
      Closed({
        task: described(Name, 'Task to plan.'),
        args: Type.Optional(described(Facts, 'Arguments by name.')),
      }),
    ],
    { description: 'What to plan: the name of a task, a task with arguments, or a wish in words.' },
  ),
  state: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Facts, as expressions see them.' }),
  ),
  methods: Type.Optional(Methods),
  operators: Type.Optional(
    described(Operators, 'Tasks that need no breaking down: what they change, and who or what does them.'),
  ),
  hddl: Type.Optional(
    Text(hddl_chars_max, {
      description:
        'A domain, and a problem if there is one, in HDDL; methods, operators and state beside it add to it. ' +
        'The initial network of the problem is the task htn, predicates are facts keyed by their arguments, ' +
        'and only a plan after which its :goal is true is one.',
    }),
  ),
  minimize: Type.Optional(
    described(Minimize, 'What the best plan has least of; absent: makespan. Replanning keeps it.'),
  ),
  budget: Type.Optional(described(PlanningBudget, 'What the search may use.')),
})
export type RefineInput = Static<typeof RefineInput>

const Alternative = Closed({
  tasks: described(
    ListOf(
      Closed({
        operator: described(Name, 'What is done, by the name of its operator.'),
        args: Type.Record(Type.String(), Type.Unknown(), { description: 'Arguments by name.' }),
      }),
      0,
      tasks_max,
    ),
    'What would be done.',
  ),
  makespan_ms: Type.Number({ minimum: 0, description: 'Expected time, in milliseconds.' }),
  cost: Type.Number({ minimum: 0, description: 'US dollars.' }),
  value: Type.Number({ description: 'What the objective makes of it.' }),
})

export const RefineOutput = Closed({
  feasible: Type.Boolean({ description: 'Whether there is a plan.' }),
  reason: Type.Optional(described(ReasonAnswer, 'Why there is no plan; absent: there is one.')),
  failing: Type.Optional(FailingAnswer),
  graph_ref: Type.Optional(described(GraphRef, 'Names the plan, to change it later; absent: there is none.')),
  version: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Version of the plan; send it to graph.replan.' }),
  ),
  starts_at: Type.Optional(described(Timestamp, 'Time from which offsets count.')),
  tasks: described(ListOf(PlanTaskAnswer, 0, tasks_max), 'Steps of the plan with their times.'),
  critical_path: described(ListOf(TaskId, 0, tasks_max), 'Tasks that decide how long the plan takes.'),
  makespan: Type.Optional(Makespan),
  cost: Type.Optional(Type.Number({ minimum: 0, description: 'US dollars.' })),
  objective: Type.Optional(described(ObjectiveAnswer, 'How good the plan is; absent: there is none.')),
  decomposition: described(ListOf(TreeAnswer, 0, 10_000), 'How the goal was broken down, as a tree.'),
  alternatives: described(
    ListOf(Alternative, 0, 3),
    'Other plans that were found, the best first; none is better.',
  ),
  executable_manifest: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'For MOON submit_manifest as it is; absent where nothing is left to do, or more than it can hold.',
    }),
  ),
  unrefined: described(ListOf(TaskId, 0, tasks_max), 'Tasks that nobody knows how to do.'),
  at_risk_objectives: described(RiskAnswer, 'Objectives of the charter that will be late.'),
  search: described(SearchAnswer, 'How far the search went.'),
  methods_from: Type.Enum(['given', 'model', 'none'] satisfies string[], {
    description: 'A model only proposes: its methods were carried out symbolically before they counted.',
  }),
})
