// The filters of a recall, as callers write them.
import { isMoment } from '@svc/contract/moment'
import { refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, described, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { CellRef, MemoryKind, Namespace } from '../cells/api.ts'

const Semantic = Closed(
  {
    text: Text(2_048, {
      description: 'A question or topic; "quoted words" are one phrase, -word excludes.',
    }),
    min_similarity: Type.Optional(
      Type.Number({
        minimum: -1,
        maximum: 1,
        default: 0.15,
        description: 'Closeness of meaning needed, -1 to 1.',
      }),
    ),
  },
  { description: 'By words, meaning and names. Only this ranks; the others filter.' },
)

const Structural = Closed(
  {
    match: Type.Optional({ ...AnyObject, description: 'The payload contains this.' } as typeof AnyObject),
    jsonpath: Type.Optional(
      Text(512, { description: 'An SQL/JSON path that matches something in the payload.' }),
    ),
    entity: Type.Optional(Text(512, { description: 'Memories whose triples mention this entity.' })),
    linked_to: Type.Optional(described(CellRef, 'Memories linked to this one.')),
    relation: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9_]{0,63}$',
        description: 'Only links of this relation; needs linked_to.',
      }),
    ),
    hops: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3,
        default: 1,
        description: 'How many links away; needs linked_to.',
      }),
    ),
  },
  { minProperties: 1, description: 'Content, entities and links; all given conditions must hold.' },
)

const Temporal = Closed(
  {
    from: Type.Optional(described(Timestamp, 'Happened at this time or later.')),
    to: Type.Optional(described(Timestamp, 'Happened before this time.')),
    as_of: Type.Optional({ ...Timestamp, description: 'As it was valid at that time.' } as typeof Timestamp),
    known_at: Type.Optional({
      ...Timestamp,
      description: 'As it was known at that time.',
    } as typeof Timestamp),
    order: Type.Optional(
      described(OneOf('newest', 'oldest'), 'Order where nothing ranks them; default newest.'),
    ),
  },
  { minProperties: 1, description: 'When it happened: from <= t < to.' },
)

export const RecallInput = Closed({
  predicate: Closed(
    {
      semantic: Type.Optional(Semantic),
      structural: Type.Optional(Structural),
      temporal: Type.Optional(Temporal),
    },
    { minProperties: 1, description: 'All given conditions must hold.' },
  ),
  kinds: Type.Optional(described(ListOf(MemoryKind, 1, 4), 'Only memories of these kinds; default all.')),
  namespace: Type.Optional({ ...Namespace, description: 'Default: all namespaces.' } as typeof Namespace),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Memories at most.' }),
  ),
  min_relevance: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0,
      description:
        'Only memories at least this likely to be about the question; 0 also keeps those found by links and neighbours.',
    }),
  ),
  include_inactive: Type.Optional(
    Type.Boolean({ default: false, description: 'Includes evicted and expired memories.' }),
  ),
  explain: Type.Optional(Type.Boolean({ default: false, description: 'Say why each memory was found.' })),
  rerank: Type.Optional(
    Type.Enum(['auto', 'never', 'always'], {
      default: 'auto',
      description: 'Whether a model reorders the best matches.',
    }),
  ),
})
export type RecallInput = Static<typeof RecallInput>
export type StructuralPredicate = Static<typeof Structural>
export type TemporalPredicate = Static<typeof Temporal>

export function refuseOddRecall({ predicate: { structural, temporal } }: RecallInput): void {
  if (structural && structural.linked_to === undefined) {
    const odd = (['relation', 'hops'] as const).find((field) => structural[field] !== undefined)
    if (odd)
      throw refuse('invalid_payload', `${odd} needs linked_to; name the linked memory there.`, {
        reason: 'missing linked_to',
        path: `/predicate/structural/${odd}`,
      })
  }
  for (const field of ['from', 'to', 'as_of', 'known_at'] as const) {
    const time = temporal?.[field]
    if (time === undefined || isMoment(time)) continue
    const path = `/predicate/temporal/${field}`
    throw refuse('invalid_payload', `${path} is not a valid date; give a time that exists.`, {
      reason: 'bad_time',
      path,
    })
  }
}
