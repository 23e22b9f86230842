// A charter: objectives, deadlines and limits.
import { Usd } from '@svc/contract/money/money'
import { Closed, described, ListOf, OneOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { AgentOffer, CharterRef, Methods, Name } from './plan-input.ts'

const Metric = Closed({
  source: Text(256, { description: 'What is measured: the name of a metric, or a reference.' }),
  comparator: described(OneOf('<', '<=', '==', '>=', '>'), 'How the measured value compares to the target.'),
  target: Type.Number({ description: 'Value to reach or keep.' }),
})

const Objective = Closed({
  id: described(Name, 'Names the objective within the charter.'),
  statement: Text(2000, { description: 'What is to be reached, in words.' }),
  metric: Type.Optional(described(Metric, 'How it is measured; absent: it cannot be.')),
  deadline: Type.Optional(described(Timestamp, 'When it must be reached; absent: no deadline.')),
  weight: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, default: 1, description: 'How much it counts.' }),
  ),
})
export type Objective = Static<typeof Objective>

const Constraint = Closed({
  id: described(Name, 'Names the constraint within the charter.'),
  expr: Type.Optional(
    Text(2000, {
      description:
        'CEL over plan (cost, makespan_ms, p90_ms, tasks) and state (facts after the plan): a plan that does not keep it is none.',
    }),
  ),
  text: Type.Optional(Text(2000, { description: 'For people to judge.' })),
})

export const DeclareInput = Closed({
  name: described(Name, 'Name of the charter through all its versions.'),
  mission: Text(4096, { description: 'What the organization is for, in words.' }),
  objectives: described(ListOf(Objective, 1, 50), 'What is to be reached.'),
  constraints: Type.Optional(described(ListOf(Constraint, 0, 50), 'What every plan must keep.')),
  resources: Type.Optional(
    Closed(
      {
        budget: Type.Optional(
          Closed(
            {
              tokens: Type.Optional(
                Type.Integer({
                  minimum: 0,
                  maximum: Number.MAX_SAFE_INTEGER,
                  description: 'Tokens at most.',
                }),
              ),
              usd: Type.Optional(described(Usd, 'US dollars at most.')),
              seconds: Type.Optional(
                Type.Integer({
                  minimum: 0,
                  maximum: Number.MAX_SAFE_INTEGER,
                  description: 'Seconds of work at most.',
                }),
              ),
            },
            { description: 'What plans may spend; must fit into what is left for you.' },
          ),
        ),
        agents: Type.Optional(described(ListOf(AgentOffer, 0, 100), 'Who can work on it.')),
      },
      { description: 'What plans may use.' },
    ),
  ),
  methods: Type.Optional(
    described(Methods, 'Ways to do tasks, in the order in which they are preferred; for all its plans.'),
  ),
  authority: Type.Optional(described(Ref, 'Verdict that authorized it; absent: declared without one.')),
  supersedes: Type.Optional(
    described(CharterRef, 'The version it replaces; refused if a newer one exists. Absent: the newest.'),
  ),
})
export type DeclareInput = Static<typeof DeclareInput>

/** The content-addressed part: everything but its origin. */
export type Charter = Omit<DeclareInput, 'authority' | 'supersedes'>

export const DeclareOutput = Closed({
  charter_ref: described(CharterRef, 'Hash of the charter and of the version before it.'),
  version: Type.Integer({ minimum: 1, description: 'Of this name, counted from 1.' }),
  warnings: described(
    ListOf(
      Closed({
        kind: described(
          OneOf('unmeasurable_objective', 'deadline_conflict', 'target_conflict', 'unweighed'),
          'unmeasurable_objective: no metric. Conflicts: no value or time can meet it. unweighed: all weights are 0.',
        ),
        objective_id: Type.Optional(described(Name, 'Objective it is about.')),
        message: Type.String({ description: 'What is wrong, in words.' }),
      }),
      0,
      200,
    ),
    'What may be wrong with it; it is declared all the same.',
  ),
})
export type Warning = Static<typeof DeclareOutput>['warnings'][number]
