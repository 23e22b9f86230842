// Input and output of MERIT evaluate_ethics.
import { Closed, Did, described, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Credential } from './credential.ts'
import { condition_kinds, verdicts } from './ethics.ts'
import { Action, alternatives_max, duties_max, PrincipleId, principle_ids } from './ethics-action.ts'

export const EvaluateInput = Closed({
  action: described(Action, 'What is to be judged.'),
  alternatives: Type.Optional(described(ListOf(Action, 0, alternatives_max), 'What could be done instead.')),
  principles: Type.Optional(
    described(
      ListOf(
        Closed({
          id: PrincipleId,
          weight: Type.Optional(
            Type.Number({ minimum: 0, maximum: 10, default: 1, description: 'How much it counts.' }),
          ),
        }),
        1,
        principle_ids.length,
      ),
      'Principles that count; default all six, each with weight 1.',
    ),
  ),
  policy_refs: Type.Optional(
    Type.Array(Ref, {
      maxItems: duties_max,
      description: 'maxim://<policy_id>, or one version with @1.2.0.',
    }),
  ),
  issue_credential: Type.Optional(
    Type.Boolean({ default: false, description: 'Only permitted actions are certified.' }),
  ),
  subject_did: Type.Optional(described(Did, 'Who is certified; with issue_credential.')),
})
export type EvaluateInput = Static<typeof EvaluateInput>

const Score = Type.Number({
  minimum: -1,
  maximum: 1,
  description: 'From -1, strongly against, to 1, strongly for.',
})
const Verdict = described(OneOf(...verdicts), 'prohibit: a rule forbids it. review: people must decide.')

export const EvaluateOutput = Closed({
  evaluation_ref: described(Ref, 'The stored evaluation.'),
  verdict: Verdict,
  principles: described(
    ListOf(
      Closed({
        id: PrincipleId,
        score: Score,
        reasons: described(ListOf(Type.String(), 0, 16), 'What the score rests on.'),
      }),
      1,
      principle_ids.length,
    ),
    'How the action fares by each principle.',
  ),
  violated: described(
    ListOf(
      Closed({
        rule_ref: described(Ref, 'The policy or built-in rule.'),
        text: Type.String({ description: 'What it forbids, in words.' }),
      }),
      0,
      512,
    ),
    'Rules that forbid it.',
  ),
  conditions: described(
    ListOf(
      Closed({
        kind: described(
          OneOf(...condition_kinds),
          'Get consent, estimate effects, take precautions, or take the better alternative.',
        ),
        text: Type.String({ description: 'What to do, in words.' }),
      }),
      0,
      64,
    ),
    'What the permission depends on.',
  ),
  missing: described(
    ListOf(
      Closed({
        field: described(
          OneOf('affected', 'magnitude', 'consent'),
          'The field of the action that is missing.',
        ),
        text: Type.String({ description: 'What to say, in words.' }),
      }),
      0,
      64,
    ),
    'What must be known first. While something is missing nothing is permitted.',
  ),
  read: described(
    ListOf(
      Closed({
        ref: Type.String({ description: 'The harm, concern or model.' }),
        text: Type.String({ description: 'What was read, and what to do.' }),
        words: described(ListOf(Type.String(), 0, 5), 'Words it was read from; none: by its meaning.'),
      }),
      0,
      512,
    ),
    'What the description tells of that people must decide, or that no stated effect answers for.',
  ),
  best_alternative: Type.Optional(
    Closed(
      {
        index: Type.Integer({
          minimum: 0,
          maximum: alternatives_max - 1,
          description: 'Its place in alternatives, from 0.',
        }),
        verdict: Verdict,
        welfare: Type.Number({ description: 'Welfare of all it affects; losses count more than gains.' }),
        dominates: Type.Boolean({ description: 'Nobody is worse off than with the action.' }),
      },
      { description: 'The best of the alternatives; absent: none is better.' },
    ),
  ),
  dissent: described(
    ListOf(
      Closed({
        principle: described(PrincipleId, 'The principle.'),
        score: Score,
        reason: Type.String({ description: 'What it objects to.' }),
      }),
      0,
      principle_ids.length,
    ),
    'Principles against the verdict.',
  ),
  welfare: Type.Number({ description: 'Welfare of all affected parties; losses count more than gains.' }),
  spread: Type.Number({ minimum: 0, description: 'Standard deviation of welfare.' }),
  ambiguous: Type.Boolean({ description: 'Two principles are equally strong in opposite directions.' }),
  rationale: Type.Optional(
    Closed(
      {
        text: Text(4096, { description: 'The explanation.' }),
        model: Type.String({ description: 'Name of the model.' }),
        verified: Type.Literal(false, { description: 'Always false: nobody checked it.' }),
      },
      { description: 'Explanation of an ambiguous case by a model; absent: none.' },
    ),
  ),
  binding: Type.Literal(false, { description: 'Always false: it authorizes nothing.' }),
  credential: Type.Optional(Credential),
  credential_withheld: Type.Optional(
    Type.String({ description: 'Why no credential was issued although requested.' }),
  ),
})
export type EvaluateOutput = Static<typeof EvaluateOutput>
