// A charter: objectives, deadlines and limits.
import { Usd } from '@svc/contract/money/money'
import { Closed, ListOf, OneOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { AgentOffer, CharterRef, Methods, Name } from './plan-input.ts'

const Metric = Closed({
  source: Text(256, { description: 'What is measured: the name of a metric, or a reference.' }),
  comparator: OneOf('<', '<=', '==', '>=', '>'),
  target: Type.Number(),
})

const Objective = Closed({
  id: Name,
  statement: Text(2000),
  metric: Type.Optional(Metric),
  deadline: Type.Optional(Timestamp),
  weight: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, default: 1, description: 'How much it counts.' }),
  ),
})
export type Objective = Static<typeof Objective>

const Constraint = Closed({
  id: Name,
  expr: Type.Optional(
    Text(2000, {
      description:
        'CEL over plan (cost, makespan_ms, p90_ms, tasks) and state (facts after the plan): a plan that does not keep it is none.',
    }),
  ),
  text: Type.Optional(Text(2000, { description: 'For people to judge.' })),
})

export const DeclareInput = Closed({
  name: Name,
  mission: Text(4096),
  objectives: ListOf(Objective, 1, 50),
  constraints: Type.Optional(ListOf(Constraint, 0, 50)),
  resources: Type.Optional(
    Closed({
      budget: Type.Optional(
        Closed({
          tokens: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
          usd: Type.Optional(Usd),
          seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
        }),
      ),
      agents: Type.Optional(ListOf(AgentOffer, 0, 100)),
    }),
  ),
  methods: Type.Optional(Methods),
  authority: Type.Optional(Ref),
  supersedes: Type.Optional(CharterRef),
})
export type DeclareInput = Static<typeof DeclareInput>

/** The content-addressed part: everything but its origin. */
export type Charter = Omit<DeclareInput, 'authority' | 'supersedes'>

export const DeclareOutput = Closed({
  charter_ref: CharterRef,
  version: Type.Integer({ minimum: 1, description: 'Of this name, counted from 1.' }),
  warnings: ListOf(
    Closed({
      kind: OneOf('unmeasurable_objective', 'deadline_conflict', 'target_conflict', 'unweighed'),
      objective_id: Type.Optional(Name),
      message: Type.String(),
    }),
    0,
    200,
  ),
})
export type Warning = Static<typeof DeclareOutput>['warnings'][number]
