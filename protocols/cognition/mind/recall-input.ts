// The filters of a recall, as callers write them.
import { isMoment } from '@svc/contract/moment'
import { refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { CellRef, MemoryKind, Namespace } from '../cells/api.ts'

const Semantic = Closed(
  {
    text: Text(2_048, {
      description: 'A question or topic; "quoted words" are one phrase, -word excludes.',
    }),
    min_similarity: Type.Optional(Type.Number({ minimum: -1, maximum: 1, default: 0.15 })),
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
    linked_to: Type.Optional(CellRef),
    relation: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' })),
    hops: Type.Optional(Type.Integer({ minimum: 1, maximum: 3, default: 1 })),
  },
  { minProperties: 1 },
)

const Temporal = Closed(
  {
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
    as_of: Type.Optional({ ...Timestamp, description: 'As it was valid at that time.' } as typeof Timestamp),
    known_at: Type.Optional({
      ...Timestamp,
      description: 'As it was known at that time.',
    } as typeof Timestamp),
    order: Type.Optional(OneOf('newest', 'oldest')),
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
  kinds: Type.Optional(ListOf(MemoryKind, 1, 4)),
  namespace: Type.Optional({ ...Namespace, description: 'Default: all namespaces.' } as typeof Namespace),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  include_inactive: Type.Optional(
    Type.Boolean({ default: false, description: 'Includes evicted and expired memories.' }),
  ),
  explain: Type.Optional(Type.Boolean({ default: false })),
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
