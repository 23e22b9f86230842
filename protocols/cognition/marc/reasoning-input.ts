// Input and output of a reasoning task.
import { Closed, HexHash, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

export const deadline_ms_max = 600_000

const premises_max = 2000
const text_length_max = 8192

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Count = Type.Integer({ minimum: 0 })
const return_fields = ['derivation', 'citations', 'confidence', 'alternatives'] as const

export const ReasoningInput = Closed({
  intent: Text(text_length_max, {
    description:
      'A statement to judge, a yes-or-no question, or one that asks who or what; in English, or after "datalog:".',
  }),
  premises: Type.Optional(
    Type.Array(Text(text_length_max), {
      maxItems: premises_max,
      description: 'Controlled English, or clauses after "datalog:". Each is one leaf of proofs.',
    }),
  ),
  world_model_snapshot: Type.Optional(
    Type.String({
      pattern: '^mind://snapshot/[A-Za-z0-9:._-]{1,200}$',
      description: 'Additional known facts.',
    }),
  ),
  budget: Closed({
    tokens: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description:
        'For text read, text written, and one for each rule that fires and for every 16 candidates tried.',
    }),
    deadline_ms: Type.Integer({
      minimum: 100,
      maximum: 600_000,
      description: 'Limited by your tier; usage.deadline_ms shows the granted value.',
    }),
  }),
  return_fields: Type.Optional(Type.Array(OneOf(...return_fields), { maxItems: 4, uniqueItems: true })),
  assumption: Type.Optional(
    Type.Enum(['open', 'closed'], {
      default: 'open',
      description: 'Closed: what cannot be derived is false, and "not" in a condition means just that.',
    }),
  ),
  strict: Type.Optional(
    Type.Boolean({ default: false, description: 'Refuse if a premise or the intent cannot be parsed.' }),
  ),
  backend: Type.Optional(
    Type.Enum(['auto', 'builtin', 'model'], {
      default: 'auto',
      description:
        'What parses text that is not controlled English; the result is always proved by the engine.',
    }),
  ),
  premise_confidence: Type.Optional(
    Type.Array(Share, {
      maxItems: premises_max,
      description: 'One for each premise; default 1.',
    }),
  ),
})
export type ReasoningInput = Static<typeof ReasoningInput>

const Answer = OneOf('true', 'false', 'unknown', 'contradictory')
const Binding = Type.Record(Type.String(), Type.String(), { additionalProperties: false })

export const ReasoningOutput = Closed({
  task_ref: Ref,
  status: OneOf('complete', 'budget_exhausted', 'deadline'),
  answer: Answer,
  bindings: Type.Optional(
    Type.Array(Binding, {
      maxItems: 1000,
      description: "Values of the question's variables; only for who and what questions.",
    }),
  ),
  derivation: Type.Optional(
    Type.Array(
      Closed({
        step: Type.Integer({ minimum: 1 }),
        conclusion: Type.String({ description: 'In datalog; "not" before what is not derivable.' }),
        rule: Type.String({
          description: 'premise:<index>, the reference of a fact, fact:<index>, granted, naf or comparison.',
        }),
        from: ListOf(Type.Integer({ minimum: 1 }), 0, 64),
      }),
    ),
  ),
  citations: Type.Optional(
    Type.Array(
      Closed({
        premise_index: Type.Optional(Count),
        ref: Type.Optional(Ref),
        text_commitment: HexHash,
        status: OneOf('valid', 'redacted'),
      }),
    ),
  ),
  confidence: Type.Optional(Share),
  calibrated_confidence: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'The confidence after calibration (MANTIC).' }),
  ),
  confidence_upper: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Present if confidence is a lower bound.' }),
  ),
  alternatives: Type.Optional(
    ListOf(
      Closed({
        answer: Type.Optional(Answer),
        binding: Type.Optional(Binding),
        missing_facts: Type.Optional(
          Type.Array(Type.String(), { description: 'Additional facts with which the answer would be this.' }),
        ),
        confidence: Share,
      }),
      0,
      64,
    ),
  ),
  unparsed: Type.Array(
    Closed({
      index: Type.Integer({ minimum: -1, description: 'Of the premise; -1 for the intent.' }),
      reason: Type.String(),
    }),
  ),
  verified: Type.Boolean({ description: 'False if only a model says so.' }),
  method: OneOf('builtin', 'model_translation', 'model'),
  usage: Closed({
    tokens_in: Count,
    tokens_out: Count,
    work: Count,
    deadline_ms: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Present if your tier allows less than requested.' }),
    ),
  }),
  binding: Type.Literal(false),
})
export type ReasoningOutput = Static<typeof ReasoningOutput>
