// Input and output of a fusion.
import { did_pattern } from '@svc/contract/identity/did'
import { Closed, Did, described, ListOf, OneOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Triple } from '../content/api.ts'

export const tokens_default = 20_000
export const deadline_ms_default = 30_000

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean()])
const Origins = Type.Array(Type.String({ description: 'A reference, or the DID of an inline source.' }))

export const FusionRequest = Closed({
  sources: described(
    ListOf(
      Type.Union([
        Type.String({
          pattern: '^[a-z]+://[a-z_]+/[A-Za-z0-9:._-]{1,200}$',
          description: 'A memory, claim, snapshot or fact.',
        }),
        Closed({
          source_did: described(Did, 'Who says so.'),
          facts: described(ListOf(Triple, 1, 1_000), 'What this source says.'),
        }),
      ]),
      2,
      200,
    ),
    'What to bring together: references, or facts with the DID they come from.',
  ),
  subject: Type.Optional(Text(512, { description: 'Only facts about this subject.' })),
  strategy: Type.Optional(
    described(
      OneOf('reliability', 'latest', 'majority'),
      'How conflicts are decided; default reliability: by how often a source agrees with the truth found.',
    ),
  ),
  functional_predicates: Type.Optional(
    described(
      ListOf(Triple.properties.predicate, 0, 100),
      'Relations of which a subject has one value at a time.',
    ),
  ),
  min_confidence: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description: 'Facts below this confidence go to dissent.',
    }),
  ),
  write_back: Type.Optional(
    Type.Boolean({ default: false, description: 'Store the result as current knowledge.' }),
  ),
  budget: Type.Optional(
    Closed(
      {
        tokens: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 1_000_000,
            default: tokens_default,
            description: 'Tokens at most.',
          }),
        ),
        deadline_ms: Type.Optional(
          Type.Integer({
            minimum: 100,
            maximum: 600_000,
            default: deadline_ms_default,
            description: 'Time at most, in milliseconds.',
          }),
        ),
      },
      { description: 'What the work may take.' },
    ),
  ),
})
export type FusionRequest = Static<typeof FusionRequest>

const about = {
  subject: Type.String({ description: 'Entity it is about.' }),
  predicate: Type.String({ description: 'The relation.' }),
  valid_from: Type.Optional(described(Timestamp, 'True from then on; absent: always before valid_to.')),
  valid_to: Type.Optional(described(Timestamp, 'True until then; absent: still.')),
}
export const FusionAnswer = Closed({
  snapshot_ref: described(Ref, 'The stored result; MARC reasons from it.'),
  facts: Type.Array(
    Closed({
      ...about,
      object: described(Value, 'Value of the relation.'),
      confidence: described(Share, 'How sure it is, 0 to 1.'),
      functional: Type.Boolean({
        description: 'Whether the subject has one value of this relation at a time.',
      }),
      support: described(Origins, 'Sources that say so.'),
      against: described(Origins, 'Sources that say otherwise.'),
    }),
    { description: 'The consistent picture.' },
  ),
  conflicts: Type.Array(
    Closed({
      ...about,
      values: Type.Array(
        Closed({
          value: described(Value, 'A value that was said.'),
          posterior: described(Share, 'Probability that it is right, by the sources behind it.'),
          sources: described(Origins, 'Sources that say so.'),
        }),
        { description: 'What was said, each with its weight.' },
      ),
      chosen: Type.Union([Value, Type.Null()], {
        description: 'The value in the picture; null: none reached min_confidence.',
      }),
      rule: described(
        OneOf('reliability', 'weighted_median', 'latest', 'majority'),
        'What decided; weighted_median: between numbers.',
      ),
    }),
    { description: 'Where sources contradict each other, and how it was decided.' },
  ),
  entity_merges: Type.Array(
    Closed({
      label: Type.String({ description: 'Name used in the picture.' }),
      merged: Type.Array(Type.String(), { description: 'Names that mean the same.' }),
      rules: Type.Array(Type.String(), { description: 'Why they were taken for the same.' }),
    }),
    { description: 'Names that were taken for the same entity.' },
  ),
  source_reliability: Type.Record(Type.String({ pattern: did_pattern }), Share, {
    additionalProperties: false,
    description: 'For each source, how reliable it is, 0 to 1.',
  }),
  independent_sources: Type.Integer({
    minimum: 0,
    description: 'Different roots behind the sources; an unknown identity counts as none.',
  }),
  copied: Type.Array(
    Closed({
      roots: Type.Array(Type.String({ description: 'Root of sources.' }), {
        minItems: 2,
        maxItems: 2,
        description: 'The two of them.',
      }),
      probability: described(Share, 'That one repeats the other, by the answers and mistakes they share.'),
    }),
    { description: 'Roots that probably repeat each other: what they both say counts about once.' },
  ),
  dissent: Type.Array(
    Closed({
      ...about,
      object: described(Value, 'Value that was said.'),
      confidence: described(Share, 'How sure it is, 0 to 1.'),
      sources: described(Origins, 'Sources that say so.'),
      reason: described(OneOf('outvoted', 'outlier', 'min_confidence'), 'Why it was left out.'),
    }),
    { description: 'What sources said and the picture leaves out.' },
  ),
  written: Type.Optional(
    Closed(
      {
        added: Type.Integer({ description: 'Number of facts stored.' }),
        superseded: Type.Array(Ref, { description: 'Facts that these replaced.' }),
      },
      { description: 'What write_back stored; absent without it.' },
    ),
  ),
  usage: Closed(
    {
      tokens_in: Type.Integer({ description: 'Tokens read.' }),
      tokens_out: Type.Integer({ description: 'Tokens written.' }),
    },
    { description: 'Tokens it took.' },
  ),
})

export type FusionAnswer = Static<typeof FusionAnswer>

export function refsIn({ sources }: FusionRequest): string[] {
  return [...new Set(sources.filter((source) => typeof source === 'string'))]
}
