// A typed graph of steps with governance in between. Steps, gates and results are the spec's; the optional fields are ours.
import { type Static, Type } from 'typebox'
import { AnyObject, Closed, Hash, ListOf, OneOf, Text } from './schema.ts'

const steps_max = 500
const expression_chars_max = 2000
const timeout_ms_min = 100
const timeout_ms_max = 86_400_000
const retries_max = 20
const backoff_ms_max = 3_600_000
const weight_max = 1000
/** A year: a recipe may wait for a season, but not for ever. */
const after_ms_max = 31_536_000_000

export const StepName = Type.String({
  pattern: '^[a-z][a-z0-9_-]{0,62}$',
  description: 'Unique within its recipe, steps inside of gates and parallels included.',
})
export const SignalName = Type.String({
  pattern: '^[a-z][a-z0-9_.-]{0,62}$',
  description: 'The name under which a signal is sent and awaited.',
})
const Expression = (description: string) => Text(expression_chars_max, { description })
const Nested = (description: string) =>
  Type.Array(Type.Ref('RecipeStep'), { minItems: 0, maxItems: steps_max, description })

export const TimeoutMs = Type.Integer({
  minimum: timeout_ms_min,
  maximum: timeout_ms_max,
  description: 'How long one attempt may take.',
})

/** How often a failed step is retried, and the confidence each retry costs. */
export const Retry = Closed(
  {
    max: Type.Integer({ minimum: 0, maximum: retries_max, description: 'Retries after the first attempt.' }),
    retry_penalty: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0.05,
        description: 'Each retry multiplies the confidence by one minus this.',
      }),
    ),
    backoff_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: backoff_ms_max,
        default: 1000,
        description: 'The wait before the first retry.',
      }),
    ),
    factor: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 10,
        default: 2,
        description: 'Each further wait is this many times the previous one, at most an hour.',
      }),
    ),
    jitter: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0,
        description: 'The random share of a wait.',
      }),
    ),
  },
  { description: 'Retries after a failure; a refusal by policy is never retried.' },
)
export type Retry = Static<typeof Retry>

/** Fields of every kind of step. */
const on_every_kind = {
  name: Type.Optional(StepName),
  depends_on: Type.Optional(
    Type.Array(StepName, {
      minItems: 0,
      maxItems: steps_max,
      description:
        'Steps of the same list that must have ended before. Absent: the previous step; inside Parallel, none.',
    }),
  ),
  optional: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Its failure skips it and lowers confidence; the run goes on.',
    }),
  ),
  weight: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: weight_max,
      default: 1,
      description: 'Its weight where scores of parallel steps are combined.',
    }),
  ),
  timeout_ms: Type.Optional(TimeoutMs),
  when: Type.Optional(Expression('CEL over input and steps; false skips the step.')),
}

/** Five kinds. Gate branches and Parallel contain their steps, so a branch not taken is skipped as a whole. */
const step_kinds = [
  Closed({
    kind: Type.Literal('Protocol'),
    ...on_every_kind,
    protocol: Text(64),
    operation: Text(128),
    payload: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The input. A value in it may be {"$ref":"steps.<name>.data.<field>"}, {"$ref":"input.<field>"}, {"$cel":"…"} or {"$literal":…}.',
    }),
    retry: Type.Optional(Retry),
    on_unknown: Type.Optional(
      Type.Enum(['fail', 'retry', 'escalate'], {
        description: 'What to do when a crash leaves it unknown whether an outside call was made.',
      }),
    ),
  }),
  Closed({
    kind: Type.Literal('Gate'),
    ...on_every_kind,
    condition: Expression('CEL over input, steps and signal; must answer true or false.'),
    await: Type.Optional(
      Closed(
        {
          signal: Type.Optional(SignalName),
          after_ms: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: after_ms_max,
              description: 'Maximum wait; alone it is a timer.',
            }),
          ),
        },
        {
          minProperties: 1,
          description: 'What the gate waits for first; signal is null on timeout.',
        },
      ),
    ),
    on_true: Nested('Steps to run when the condition is true.'),
    on_false: Nested('Steps to run when it is false.'),
  }),
  Closed({
    kind: Type.Literal('Audit'),
    ...on_every_kind,
    event_type: Text(72),
    metadata: AnyObject,
  }),
  Closed({
    kind: Type.Literal('SubRecipe'),
    ...on_every_kind,
    recipe_id: Hash,
    params: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The input of the inner recipe; values as in a payload.',
    }),
    retry: Type.Optional(Retry),
  }),
  Closed({
    kind: Type.Literal('Parallel'),
    ...on_every_kind,
    steps: Nested('All may run at the same time.'),
  }),
] as const

export const RecipeStep = Type.Cyclic({ RecipeStep: Type.Union([...step_kinds]) }, 'RecipeStep')
export type RecipeStep = Static<typeof RecipeStep>

const GateAction = OneOf('Abort', 'Continue', 'Escalate')

/** Judged before `at_step`. Escalate files the question with MOOT and waits for the ruling. */
export const GovernanceGate = Closed({
  at_step: StepName,
  kind: OneOf('MAXIM', 'MACE-quorum', 'MOAT-treaty'),
  on_pass: GateAction,
  on_fail: GateAction,
  question: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The request to the judging protocol, such as the motion or the parties.',
    }),
  ),
  escalation: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'With Escalate: the input of MOOT.file; at least respondent_did.',
    }),
  ),
})
export type GovernanceGate = Static<typeof GovernanceGate>

export const StepResult = Closed({
  data: Type.Unknown(),
  metadata: AnyObject,
  confidence_score: Type.Number({ minimum: 0, maximum: 1 }),
  execution_time_ms: Type.Number({ minimum: 0 }),
  error: Type.Optional(Type.String()),
})
export type StepResult = Static<typeof StepResult>

export const Recipe = Closed(
  {
    id: Hash,
    version: Type.String({ pattern: '^v?\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$' }),
    steps: ListOf(RecipeStep, 1, steps_max),
    audit_checkpoints: ListOf(StepName, 0, steps_max),
    governance_gates: ListOf(GovernanceGate, 0, 64),
  },
  { description: 'Steps with governance gates and audit checkpoints; the id is the hash of the rest.' },
)
export type Recipe = Static<typeof Recipe>
