// Input and output of a reasoning task.
import { Closed, described, HexHash, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

export const deadline_ms_max = 600_000

const premises_max = 2000
const text_length_max = 8192

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Count = Type.Integer({ minimum: 0 })
const Probability = described(Share, "Of the sentence, by this engine's scale (docs/reasoning.md).")
const parts = ['alternatives', 'bindings', 'citations', 'derivation', 'readings'] as const
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
  budget: Closed(
    {
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
    },
    { description: 'What the task may use; at its end you get what was derived until then.' },
  ),
  return_fields: Type.Optional(
    Type.Array(OneOf(...return_fields), {
      maxItems: 4,
      uniqueItems: true,
      description: 'Parts of the result to include beside the answer. Default none.',
    }),
  ),
  assumption: Type.Optional(
    Type.Enum(['open', 'closed'], {
      default: 'open',
      description: 'Closed: what cannot be derived is false, and "not" in a condition means just that.',
    }),
  ),
  rules: Type.Optional(
    Type.Enum(['auto', 'implications', 'one_way'], {
      default: 'auto',
      description:
        'Whether a denied conclusion denies a condition (contraposition) in the open world: for every rule (implications), for none (one_way), or (auto) for all but rules over descriptions alone, such as "kind people are nice". Never for hedged rules or datalog.',
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
  task_ref: described(Ref, 'Names this task, for citations.'),
  status: described(
    OneOf('complete', 'budget_exhausted', 'deadline'),
    'Whether reasoning was completed, or ended at the token budget or the deadline.',
  ),
  answer: described(Answer, 'contradictory: both it and its negation can be derived.'),
  bindings: Type.Optional(
    Type.Array(Binding, {
      maxItems: 1000,
      description: "Values of the question's variables; only for who and what questions.",
    }),
  ),
  derivation: Type.Optional(
    Type.Array(
      Closed({
        step: Type.Integer({ minimum: 1, description: 'Number of the step, from 1.' }),
        conclusion: Type.String({ description: 'In datalog; "not" before what is not derivable.' }),
        rule: Type.String({
          description: 'premise:<index>, the reference of a fact, fact:<index>, granted, naf or comparison.',
        }),
        from: described(ListOf(Type.Integer({ minimum: 1 }), 0, 64), 'Steps it follows from.'),
      }),
      { description: 'The proof, step by step.' },
    ),
  ),
  citations: Type.Optional(
    Type.Array(
      Closed({
        premise_index: Type.Optional(described(Count, 'Which of the premises, from 0.')),
        ref: Type.Optional(described(Ref, 'Fact of the snapshot, or the snapshot itself.')),
        text_commitment: described(HexHash, 'Hash that commits to the text without showing it.'),
        status: described(OneOf('valid', 'redacted'), 'redacted: its content has since been destroyed.'),
      }),
      { description: 'Premises and facts the proof rests on.' },
    ),
  ),
  confidence: Type.Optional(
    described(Share, 'Probability that the answer holds, from the confidence of its premises.'),
  ),
  calibrated_confidence: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'The confidence after calibration (MANTIC).' }),
  ),
  confidence_upper: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Present if confidence is a lower bound.' }),
  ),
  alternatives: Type.Optional(
    described(
      ListOf(
        Closed({
          answer: Type.Optional(described(Answer, 'The answer that would result.')),
          binding: Type.Optional(described(Binding, "Other values of the question's variables.")),
          missing_facts: Type.Optional(
            Type.Array(Type.String(), {
              description: 'Additional facts with which the answer would be this.',
            }),
          ),
          confidence: described(Share, 'How likely this alternative is.'),
        }),
        0,
        64,
      ),
      'Other answers, and what would have to hold for them.',
    ),
  ),
  unparsed: Type.Array(
    Closed({
      index: Type.Integer({ minimum: -1, description: 'Of the premise; -1 for the intent.' }),
      reason: Type.String({ description: 'Why it was not understood.' }),
    }),
    { description: 'Texts that were not understood and not used.' },
  ),
  readings: Type.Array(
    Closed({
      index: Type.Integer({ minimum: -1, description: 'Of the premise; -1 for the intent.' }),
      clauses: Type.Array(Type.String(), {
        description: 'What it says, in datalog: past and future are predicates of their own.',
      }),
      hedges: Type.Array(
        Closed({ word: Type.String({ description: 'The hedge.' }), probability: Probability }),
        {
          description: 'Words that make it less than certain.',
        },
      ),
    }),
    { description: 'How each text was read, in one normal form.' },
  ),
  hedges: Type.Optional(
    Type.Array(
      Closed({
        index: described(Count, 'Of the premise.'),
        word: Type.String({ description: 'The hedge, such as probably.' }),
        probability: Probability,
      }),
      {
        minItems: 1,
        description: 'Present if the answer rests on hedged premises; confidence is then shown as well.',
      },
    ),
  ),
  cut: Type.Optional(
    Type.Array(OneOf(...parts), {
      minItems: 1,
      uniqueItems: true,
      description:
        'Parts of this result that were left out or shortened to stay within a limit; absent if none was.',
    }),
  ),
  verified: Type.Boolean({
    description: 'False if only a model says so, or if what was asked was not understood.',
  }),
  method: described(
    OneOf('builtin', 'model_translation', 'model'),
    'Who read the texts: the engine or a model; with model, nothing was proved.',
  ),
  usage: Closed(
    {
      tokens_in: described(Count, 'Tokens of the texts read.'),
      tokens_out: described(Count, 'Tokens of the text written.'),
      work: described(Count, 'Steps of reasoning; they count against the budget and are not charged.'),
      deadline_ms: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Present if your tier allows less than requested.' }),
      ),
      tokens: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Present if fewer tokens were granted than requested.' }),
      ),
    },
    { description: 'What the task used.' },
  ),
  binding: Type.Literal(false, { description: 'Always false: the result informs and decides nothing.' }),
})
export type ReasoningOutput = Static<typeof ReasoningOutput>
