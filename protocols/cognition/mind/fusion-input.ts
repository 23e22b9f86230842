// Input and output of a fusion.
import { did_pattern } from '@svc/contract/identity/did'
import { Closed, Did, ListOf, OneOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Triple } from '../content/api.ts'

export const tokens_default = 20_000
export const deadline_ms_default = 30_000

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean()])
const Origins = Type.Array(Type.String({ description: 'A reference, or the DID of an inline source.' }))

export const FusionRequest = Closed({
  sources: ListOf(
    Type.Union([
      Type.String({
        pattern: '^[a-z]+://[a-z_]+/[A-Za-z0-9:._-]{1,200}$',
        description: 'A memory, claim, snapshot or fact.',
      }),
      Closed({ source_did: Did, facts: ListOf(Triple, 1, 1_000) }),
    ]),
    2,
    200,
  ),
  subject: Type.Optional(Text(512, { description: 'Only facts about this subject.' })),
  strategy: Type.Optional(OneOf('reliability', 'latest', 'majority')),
  functional_predicates: Type.Optional(ListOf(Triple.properties.predicate, 0, 100)),
  min_confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0.5 })),
  write_back: Type.Optional(
    Type.Boolean({ default: false, description: 'Store the result as current knowledge.' }),
  ),
  budget: Type.Optional(
    Closed({
      tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: tokens_default })),
      deadline_ms: Type.Optional(
        Type.Integer({ minimum: 100, maximum: 600_000, default: deadline_ms_default }),
      ),
    }),
  ),
})
export type FusionRequest = Static<typeof FusionRequest>

const about = {
  subject: Type.String(),
  predicate: Type.String(),
  valid_from: Type.Optional(Timestamp),
  valid_to: Type.Optional(Timestamp),
}
export const FusionAnswer = Closed({
  snapshot_ref: Ref,
  facts: Type.Array(
    Closed({
      ...about,
      object: Value,
      confidence: Share,
      functional: Type.Boolean(),
      support: Origins,
      against: Origins,
    }),
  ),
  conflicts: Type.Array(
    Closed({
      ...about,
      values: Type.Array(Closed({ value: Value, posterior: Share, sources: Origins })),
      chosen: Type.Union([Value, Type.Null()]),
      rule: OneOf('reliability', 'weighted_median', 'latest', 'majority'),
    }),
  ),
  entity_merges: Type.Array(
    Closed({ label: Type.String(), merged: Type.Array(Type.String()), rules: Type.Array(Type.String()) }),
  ),
  source_reliability: Type.Record(Type.String({ pattern: did_pattern }), Share, {
    additionalProperties: false,
  }),
  independent_sources: Type.Integer({
    minimum: 0,
    description: 'Different roots behind the sources; an unknown identity counts as none.',
  }),
  dissent: Type.Array(
    Closed({
      ...about,
      object: Value,
      confidence: Share,
      sources: Origins,
      reason: OneOf('outvoted', 'outlier', 'min_confidence'),
    }),
  ),
  written: Type.Optional(Closed({ added: Type.Integer(), superseded: Type.Array(Ref) })),
  usage: Closed({ tokens_in: Type.Integer(), tokens_out: Type.Integer() }),
})

export type FusionAnswer = Static<typeof FusionAnswer>

export function refsIn({ sources }: FusionRequest): string[] {
  return [...new Set(sources.filter((source) => typeof source === 'string'))]
}
