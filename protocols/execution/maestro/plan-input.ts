// Input of the planner: how work is done, by whom, and within which limits.
import { AnyObject, Closed, Did, described, ListOf, Text } from '@svc/contract/schema'
import { Type } from 'typebox'

const expression_chars_max = 2000
const methods_max = 200
const duration_ms_max = 31_536_000_000

export const CharterRef = Type.String({
  pattern: '^maestro://charter/[0-9a-f]{64}$',
  description: 'A declared charter: the hash of what it says and of the version before it.',
})
export const GraphRef = Type.String({
  pattern: '^maestro://graph/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  description: 'A plan; it keeps its name through all its versions.',
})
/** Of tasks, operators, charters and objectives. */
export const name_form = /^[A-Za-z][A-Za-z0-9_.-]{0,255}$/
export const Name = Type.String({
  pattern: name_form.source,
  description: 'At most 256 letters, digits, dots, underscores and hyphens.',
})
const ArgumentName = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_]{0,255}$',
  description: 'At most 256 letters, digits and underscores.',
})
const Expression = (description: string) => Text(expression_chars_max, { description })

const Preconditions = Type.Optional(
  Type.Union(
    [Expression('CEL over state and args.'), ListOf(Expression('CEL over state and args.'), 0, 32)],
    {
      description: 'All must be true; a fact that is not there makes one false.',
    },
  ),
)

const FactPath = Text(2048, {
  description: 'Names with dots between them; {name} stands for that argument: at.{truck}.',
})
export const Effects = Type.Array(
  Type.Union([
    Closed({
      set: described(FactPath, 'Fact that gets a value, such as at.{truck}.'),
      to: Type.Unknown({ description: 'A value, or {"$cel": "…"}.' }),
    }),
    Closed({ unset: described(FactPath, 'Fact that is removed, such as at.{truck}.') }),
    Closed({
      increment: described(FactPath, 'Number that is counted up, such as loads.{truck}.'),
      by: Type.Optional(Type.Unknown({ description: 'A number, or {"$cel": "…"}; 1 where absent.' })),
    }),
  ]),
  { maxItems: 64, description: 'Facts set, removed or counted up, all by what was true before.' },
)

const Subtask = Closed({
  id: Type.Optional(described(Name, 'Names the subtask within the method, for order.')),
  task: described(Name, 'Task or operator to do.'),
  args: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'By name; any value in it may be {"$cel": "…"} over state and args.',
    }),
  ),
})

const Method = Closed({
  name: Type.Optional(Text(256, { description: 'For people: said in the decomposition.' })),
  task: described(Name, 'Task that it does.'),
  choose: Type.Optional(
    Type.Array(
      Closed({
        name: described(ArgumentName, 'Name of the further argument.'),
        from: Expression('CEL that gives a list.'),
      }),
      {
        maxItems: 8,
        description: 'What is left open: each value of the list is tried in turn, as a further argument.',
      },
    ),
  ),
  preconditions: Preconditions,
  subtasks: described(ListOf(Subtask, 0, 100), 'What it is broken down into.'),
  order: Type.Optional(
    Type.Union([ListOf(Name, 0, 100), ListOf(ListOf(Name, 2, 2), 0, 1000)], {
      description:
        'Ids in the order they must be done in, or pairs of which the first comes before the second; an empty list leaves all ' +
        'open. Absent: as they stand.',
    }),
  ),
})
export const Methods = Type.Array(Method, {
  maxItems: methods_max,
  description: 'Ways to do a task, in the order in which they are preferred.',
})

const Milliseconds = Type.Number({ minimum: 0, maximum: duration_ms_max })
const Operator = Closed({
  name: described(Name, 'Name that methods use.'),
  preconditions: Preconditions,
  effects: Type.Optional(described(Effects, 'What is true after it.')),
  protocol: Type.Optional(Text(64, { description: 'With operation: what is called to do it.' })),
  operation: Type.Optional(Text(128, { description: 'With protocol: what is called to do it.' })),
  payload: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'What the operation is called with; any value may be {"$cel": "…"}. The arguments where absent.',
    }),
  ),
  skill: Type.Optional(Text(64, { description: 'What an agent must be able to do for it.' })),
  load: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'How much of an agent it takes; all of its capacity where absent.',
    }),
  ),
  duration: Type.Optional(
    Closed(
      {
        opt: described(Milliseconds, 'At best, in milliseconds.'),
        likely: described(Milliseconds, 'Most likely, in milliseconds.'),
        pess: described(Milliseconds, 'At worst, in milliseconds.'),
      },
      { description: 'At best, most likely and at worst, in milliseconds.' },
    ),
  ),
  cost: Type.Optional(Type.Number({ minimum: 0, maximum: 1e12, description: 'US dollars.' })),
})
export const Operators = ListOf(Operator, 0, methods_max)

export const AgentOffer = Closed({
  did: described(Did, 'The agent.'),
  skills: Type.Optional(described(ListOf(Text(64), 0, 64), 'What it can do, as operators name it.')),
  capacity: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 1,
      description:
        'The share of its time that may be planned with; tasks whose loads fit it run side by side.',
    }),
  ),
})

/** For callers that set no budget: enough for plans of some dozen tasks, and over within seconds. */
export const expansions_default = 20_000

export const PlanningBudget = Closed({
  expansions: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description:
        'Steps of the search: ways tried, those that were rejected included. Absent: only deadline_ms ends it, or ' +
        `${expansions_default} of them without one.`,
    }),
  ),
  deadline_ms: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 60_000,
      default: 30_000,
      description:
        'Time of the search, in milliseconds; it goes on looking for a better plan until then, or until the best is proven.',
    }),
  ),
})

const Weight = (description: string) =>
  Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e9, description }))
export const Minimize = Type.Union(
  [
    Type.Enum(['makespan', 'cost', 'steps'], { description: 'The time, the cost or the number of tasks.' }),
    Type.Object(
      {
        makespan: Weight('Weight of a millisecond of the expected time.'),
        cost: Weight('Weight of a US dollar.'),
        steps: Weight('Weight of a task.'),
      },
      {
        additionalProperties: false,
        minProperties: 1,
        description: 'Weights: what they make of a plan is added up.',
      },
    ),
  ],
  {
    description:
      'What is as small as possible: of the plans found that are equal in it, the shorter, then the cheaper, then the one with ' +
      'fewer tasks.',
  },
)

export const Facts = AnyObject
