// Input and output of goal.refine.
import { Closed, ListOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  FailingAnswer,
  Makespan,
  PlanTaskAnswer,
  RiskAnswer,
  SearchAnswer,
  TaskId,
  TreeAnswer,
} from './plan-answer.ts'
import { CharterRef, Facts, GraphRef, Methods, Name, Operators, PlanningBudget } from './plan-input.ts'

const tasks_max = 2_000
const hddl_chars_max = 1_048_576

export const RefineInput = Closed({
  charter_ref: Type.Optional(CharterRef),
  goal: Type.Union([
    Text(4096, { description: 'The name of a task, or a wish in words.' }),
    Closed({ task: Name, args: Type.Optional(Facts) }),
  ]),
  state: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Facts, as expressions see them.' }),
  ),
  methods: Type.Optional(Methods),
  operators: Type.Optional(Operators),
  hddl: Type.Optional(
    Text(hddl_chars_max, {
      description:
        'A domain, and a problem if there is one, in HDDL; methods, operators and state beside it add to it. ' +
        'The initial network of the problem is the task htn, predicates are facts keyed by their arguments.',
    }),
  ),
  prefer: Type.Optional(
    Type.Enum(['first', 'fastest', 'cheapest'], {
      default: 'first',
      description:
        'Which of the plans found: the first by the order of the methods, the shortest, or the cheapest.',
    }),
  ),
  budget: Type.Optional(PlanningBudget),
})
export type RefineInput = Static<typeof RefineInput>

const Alternative = Closed({
  tasks: ListOf(Closed({ operator: Name, args: Type.Record(Type.String(), Type.Unknown()) }), 0, tasks_max),
  makespan_ms: Type.Number({ minimum: 0 }),
  cost: Type.Number({ minimum: 0 }),
})

export const RefineOutput = Closed({
  feasible: Type.Boolean(),
  failing: Type.Optional(FailingAnswer),
  graph_ref: Type.Optional(GraphRef),
  version: Type.Optional(Type.Integer({ minimum: 1 })),
  starts_at: Type.Optional(Timestamp),
  tasks: ListOf(PlanTaskAnswer, 0, tasks_max),
  critical_path: ListOf(TaskId, 0, tasks_max),
  makespan: Type.Optional(Makespan),
  cost: Type.Optional(Type.Number({ minimum: 0, description: 'US dollars.' })),
  decomposition: ListOf(TreeAnswer, 0, 10_000),
  alternatives: ListOf(Alternative, 0, 3),
  executable_manifest: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'For MOON submit_manifest as it is; absent where nothing is left to do, or more than it can hold.',
    }),
  ),
  unrefined: ListOf(TaskId, 0, tasks_max),
  at_risk_objectives: RiskAnswer,
  search: SearchAnswer,
  methods_from: Type.Enum(['given', 'model', 'none'] satisfies string[], {
    description: 'A model only proposes: its methods were carried out symbolically before they counted.',
  }),
})
