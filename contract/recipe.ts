// A typed graph of steps with governance in between. Steps, gates and results are the spec's; the optional fields are ours.
import { type Static, Type } from 'typebox'
import { each_fields, repeat_fields, run_fields, wait_fields } from './recipe-repetition.ts'
import { ErrorType, error_types_max, Retry } from './recipe-retry.ts'
import { signal_terms } from './recipe-signal.ts'
import { AnyObject, Closed, described, Hash, ListOf, OneOf, Text } from './schema.ts'

const steps_max = 500
const expression_chars_max = 2000
const timeout_ms_min = 100
const timeout_ms_max = 86_400_000
const message_chars_max = 500
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

/** Ten kinds. Gate branches, Parallel and loops contain their steps, so a branch not taken is skipped as a whole. */
const step_kinds = [
  Closed({
    kind: Type.Literal('Protocol', { description: 'A call of an operation.' }),
    ...on_every_kind,
    protocol: Text(64, { description: 'Protocol to call.' }),
    operation: Text(128, { description: 'Operation of the protocol.' }),
    payload: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The input. A value in it may be {"$ref":"steps.<name>.data.<field>"}, {"$ref":"input.<field>"}, {"$cel":"…"} or {"$literal":…}.',
    }),
    retry: Type.Optional(
      described(Retry, 'When and how often a failed attempt is repeated; default: that of the manifest.'),
    ),
    on_unknown: Type.Optional(
      Type.Enum(['fail', 'retry', 'escalate'], {
        description: 'What to do when a crash leaves it unknown whether an outside call was made.',
      }),
    ),
    success_when: Type.Optional(
      Expression(
        'CEL over data (the answer), input and steps; false: the step has failed, with the error unsuccessful. Default: what the operation says of its answers.',
      ),
    ),
    errors: Type.Optional(
      described(
        ListOf(
          Closed({
            type: described(ErrorType, 'What the error is called, in retries and in the status of the run.'),
            when: Expression(
              'CEL over data (the answer), input and steps; true: the step has failed with this error.',
            ),
          }),
          1,
          error_types_max,
        ),
        'Answers that are failures, by name; the first that holds counts, before success_when.',
      ),
    ),
  }),
  Closed({
    kind: Type.Literal('Gate', { description: 'A decision between two branches.' }),
    ...on_every_kind,
    condition: Expression('CEL over input, steps and signal; must answer true or false.'),
    await: Type.Optional(
      Closed(
        {
          signal: Type.Optional(described(SignalName, 'Signal it waits for; absent: only for the time.')),
          after_ms: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: after_ms_max,
              description: 'Maximum wait; alone it is a timer.',
            }),
          ),
          ...signal_terms,
          on_timeout: Type.Optional(
            Type.Enum(['condition', 'true', 'false', 'fail'], {
              default: 'condition',
              description:
                'What no signal in time means: the condition with signal null, a decision, or the failure timeout.',
            }),
          ),
          on_refusal: Type.Optional(
            Type.Enum(['false', 'fail'], {
              default: 'false',
              description:
                'What a signal means for which the condition is false: on_false, or the failure policy_denied.',
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
    kind: Type.Literal('Audit', { description: 'An entry in the audit log.' }),
    ...on_every_kind,
    event_type: Text(72, { description: 'What happened, as the audit log names it.' }),
    metadata: described(AnyObject, 'What the entry says.'),
  }),
  Closed({
    kind: Type.Literal('SubRecipe', { description: 'Another recipe, run as a step.' }),
    ...on_every_kind,
    recipe_id: described(Hash, 'The recipe to run.'),
    params: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The input of the inner recipe; values as in a payload.',
    }),
    retry: Type.Optional(
      described(Retry, 'When and how often a failed attempt is repeated; default: that of the manifest.'),
    ),
  }),
  Closed({
    kind: Type.Literal('Parallel', { description: 'Several steps at a time.' }),
    ...on_every_kind,
    steps: Nested('All may run at the same time.'),
  }),
  Closed({
    kind: Type.Literal('Fail', { description: 'Fails the run here, or what holds it if that is optional.' }),
    ...on_every_kind,
    error: described(ErrorType, 'What the failure is called.'),
    message: Text(message_chars_max, { description: 'What happened, for those who read the run.' }),
  }),
  Closed({
    kind: Type.Literal('ForEach', { description: 'The same steps for each element of a list.' }),
    ...on_every_kind,
    ...each_fields,
    steps: Nested('Steps of a round; they read item and index.'),
  }),
  Closed({
    kind: Type.Literal('Repeat', { description: 'The same steps again, until or while a condition holds.' }),
    ...on_every_kind,
    ...repeat_fields,
    steps: Nested('Steps of a round; they read index, and as item what the round before answered.'),
  }),
  Closed({
    kind: Type.Literal('Run', { description: 'A run of another manifest, which the step waits for.' }),
    ...on_every_kind,
    ...run_fields,
    retry: Type.Optional(
      described(Retry, 'When and how often a failed run is started anew; default: that of the manifest.'),
    ),
  }),
  Closed({
    kind: Type.Literal('Wait', { description: 'A timer.' }),
    ...on_every_kind,
    ...wait_fields,
  }),
] as const

/** For texts that list them. */
export const step_kind_names: readonly string[] = step_kinds.map(({ properties }) => properties.kind.const)

export const RecipeStep = Type.Cyclic({ RecipeStep: Type.Union([...step_kinds]) }, 'RecipeStep')
export type RecipeStep = Static<typeof RecipeStep>

const GateAction = described(
  OneOf('Abort', 'Continue', 'Escalate'),
  'Abort fails the run, Continue goes on, Escalate files a MOOT case and waits for its ruling.',
)

/** Judged before `at_step`. Escalate files the question with MOOT and waits for the ruling. */
export const GovernanceGate = Closed({
  at_step: described(StepName, 'It is judged before this step.'),
  kind: described(
    OneOf('MAXIM', 'MACE-quorum', 'MOAT-treaty'),
    'Who judges: the policies, the verdict of a council, or a treaty between two parties.',
  ),
  on_pass: described(
    GateAction,
    'What happens if it passes. Abort fails the run, Continue goes on, Escalate waits for a MOOT ruling.',
  ),
  on_fail: described(
    GateAction,
    'What happens if it does not. Abort fails the run, Continue goes on, Escalate waits for a MOOT ruling.',
  ),
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
  data: Type.Unknown({ description: 'What the step answered.' }),
  metadata: described(AnyObject, 'Facts about the call, such as its cost.'),
  confidence_score: Type.Number({ minimum: 0, maximum: 1, description: 'How sure the answer is, 0 to 1.' }),
  execution_time_ms: Type.Number({ minimum: 0, description: 'How long it took, in milliseconds.' }),
  error: Type.Optional(Type.String({ description: 'Error code, if it failed.' })),
})
export type StepResult = Static<typeof StepResult>

export const Recipe = Closed(
  {
    id: described(Hash, 'Hash of the rest.'),
    version: Type.String({ pattern: '^v?\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$', description: 'Semantic version.' }),
    steps: described(ListOf(RecipeStep, 1, steps_max), 'What is done, in order where depends_on says so.'),
    audit_checkpoints: described(
      ListOf(StepName, 0, steps_max),
      'Steps whose end is written to the audit log.',
    ),
    governance_gates: described(ListOf(GovernanceGate, 0, 64), 'Decisions that must allow a step.'),
  },
  { description: 'Steps with governance gates and audit checkpoints; the id is the hash of the rest.' },
)
export type Recipe = Static<typeof Recipe>
