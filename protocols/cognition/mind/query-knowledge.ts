import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Ref, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import {
  nameKey,
  predicateKey,
  readContents,
  type Triple,
  TripleValue,
  triple_fields,
} from '../content/api.ts'
import { describeEntity, factRef, followFacts, resolveEntity, type SlicedFact } from '../knowledge/api.ts'

const limit_default = 20
const Confidence = Type.Number({ minimum: 0, maximum: 1 })

export const KnowledgeInput = Closed({
  subject: triple_fields.subject,
  predicate: Type.Optional(triple_fields.predicate),
  object: Type.Optional(described(TripleValue, 'Only facts with this value.')),
  as_of: Type.Optional(described(Timestamp, 'Facts that are true at this time; default now.')),
  known_at: Type.Optional(described(Timestamp, 'What was known at this time; default: all that is known.')),
  depth: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3,
      description: 'How many relations to follow from the subject; default 1.',
    }),
  ),
  include_superseded: Type.Optional(Type.Boolean({ description: 'Include facts that newer ones replaced.' })),
  min_confidence: Type.Optional(described(Confidence, 'Only facts at least this sure.')),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: 'Facts per page at most; default 20.' }),
  ),
  cursor: Type.Optional(Text(512, { description: 'cursor of the previous page.' })),
})
export type KnowledgeInput = Static<typeof KnowledgeInput>

const Fact = Closed({
  fact_id: described(Uuid, 'Names the fact.'),
  ref: described(Ref, 'Reference to cite.'),
  subject: Type.String({ description: 'Entity it is about.' }),
  predicate: Type.String({ description: 'The relation.' }),
  object: Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
    description: 'Value of the relation.',
  }),
  valid_from: Type.Optional(described(Timestamp, 'True from then on; absent: always before valid_to.')),
  valid_to: Type.Optional(described(Timestamp, 'True until then; absent: still.')),
  recorded_at: described(Timestamp, 'When it was stored.'),
  superseded_at: Type.Optional(described(Timestamp, 'When a newer one replaced it; absent: it was not.')),
  confidence: described(Confidence, 'How sure it is, 0 to 1.'),
  source_ref: described(Ref, 'Memory or result it comes from.'),
  status: described(OneOf('current', 'superseded', 'contested'), 'contested: it contradicts a surer fact.'),
})

const Entity = Closed({
  id: described(Ref, 'Id to ask by.'),
  label: Type.String({ description: 'Its main name.' }),
  type: Type.Union([Type.String(), Type.Null()], { description: 'What it is; null: unknown.' }),
  aliases: Type.Array(Type.String(), { description: 'Its other names.' }),
})

/** A page position: all pages use the slice of the first, whatever is learned meanwhile. */
interface Place {
  readonly offset: number
  readonly as_of: string
  readonly known_at?: string | undefined
}

export const QueryKnowledgeOutput = Closed({
  entity: Type.Union([Entity, Type.Null()], {
    description: 'Entity that was meant; null: unknown, or several are possible.',
  }),
  candidates: described(
    ListOf(
      Closed({
        id: described(Ref, 'Id to ask by.'),
        label: Type.String({ description: 'Its main name.' }),
        similarity: described(Confidence, 'How close its name is, 0 to 1.'),
      }),
      0,
      50,
    ),
    'Entities that could be meant; ask again with the id of one.',
  ),
  facts: Type.Array(Fact, { description: 'What is known, nearest first.' }),
  truncated: Type.Boolean({ description: 'Whether there are more facts than were looked at.' }),
  cursor: Type.Optional(Type.String({ description: 'For the next page; absent: no more.' })),
})

export async function queryKnowledge(
  input: Static<typeof KnowledgeInput>,
  context: OperationContext<'vault'>,
) {
  context.takePath('protocol')
  const place = placeOf(input, context)
  const resolved = await resolveEntity(context, input.subject)
  const nothing = { entity: null, candidates: [], facts: [], truncated: false }
  if (!resolved) return nothing
  if ('candidates' in resolved) return { ...nothing, candidates: [...resolved.candidates] }
  const { blind } = context.vault
  const { depth = 1, min_confidence = 0, include_superseded = false, predicate, object } = input
  const predicate_key = predicate === undefined ? undefined : predicateKey(blind, predicate)
  const slice = { ...place, min_confidence, include_superseded, predicate: predicate_key }
  const followed = await followFacts(context, resolved.entity_key, depth, slice)
  const of_object = object === undefined ? undefined : nameKey(blind, object)
  const sliced_facts = followed.facts.filter((fact) => of_object === undefined || fact.object === of_object)
  const until = place.offset + (input.limit ?? limit_default)
  const facts = await openFacts(context, sliced_facts.slice(place.offset, until))
  const described = await describeEntity(context, resolved.entity_key)
  const entity = { ...described, aliases: [...described.aliases] }
  const answer = { entity, candidates: [], facts, truncated: followed.truncated }
  if (until >= sliced_facts.length) return answer
  return {
    ...answer,
    cursor: writeCursor(input, context, { ...pinned(place, followed.facts, context), offset: until }),
  }
}

async function openFacts(
  context: OperationContext<'vault'>,
  sliced_facts: readonly SlicedFact[],
): Promise<Static<typeof Fact>[]> {
  const contents = await readContents(
    context,
    sliced_facts.map(({ fact_ref }) => fact_ref),
  )
  return sliced_facts.flatMap((fact) => {
    const words = contents.get(fact.fact_ref)?.body as Triple | undefined
    if (!words) return []
    const { valid_from, valid_to, superseded_at } = fact
    return {
      fact_id: fact.fact_ref.slice(factRef('').length),
      ref: fact.fact_ref,
      subject: words.subject,
      predicate: words.predicate,
      object: words.object,
      ...(valid_from ? { valid_from: valid_from.toISOString() } : {}),
      ...(valid_to ? { valid_to: valid_to.toISOString() } : {}),
      recorded_at: fact.recorded_at.toISOString(),
      ...(superseded_at ? { superseded_at: superseded_at.toISOString() } : {}),
      confidence: fact.confidence,
      source_ref: fact.source_ref,
      status: fact.status,
    }
  })
}

function placeOf(input: KnowledgeInput, context: OperationContext<'vault'>): Place {
  for (const field of ['as_of', 'known_at'] as const) {
    const time = input[field]
    if (time !== undefined && !isMoment(time))
      throw refuse('invalid_payload', `${field} is not a valid date; give a time that exists.`, {
        reason: 'bad_time',
        path: `/${field}`,
      })
  }
  if (input.cursor !== undefined) return readCursor(input, input.cursor, context)
  return { offset: 0, as_of: input.as_of ?? context.now, known_at: input.known_at }
}

/** Pins the current moment, so that later pages query the same state. */
function pinned(place: Place, facts: readonly SlicedFact[], { now }: OperationContext): Place {
  if (place.known_at !== undefined) return place
  const newest = facts.reduce(
    (last, { recorded_at }) => Math.max(last, recorded_at.getTime()),
    Date.parse(now),
  )
  return { ...place, known_at: new Date(newest).toISOString() }
}

function writeCursor(input: KnowledgeInput, context: OperationContext<'vault'>, place: Place): string {
  const { offset, as_of, known_at } = place
  const text = [offset, as_of, known_at ?? '', questionOf(input, context)].join('|')
  return Buffer.from(text).toString('base64url')
}

const cursor_form = /^(\d{1,4})\|([0-9TZ:.-]{20,40})\|([0-9TZ:.-]{20,40})\|([0-9a-f]{32})$/

function readCursor(input: KnowledgeInput, cursor: string, context: OperationContext<'vault'>): Place {
  const parts = cursor_form.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  const [, offset, as_of = '', known_at = '', question] = parts ?? []
  if (question === questionOf(input, context) && isMoment(as_of) && isMoment(known_at))
    return { offset: Number(offset), as_of, known_at }
  throw refuse(
    'invalid_payload',
    'The cursor does not belong to this query; repeat the fields of the first page, or omit the cursor.',
    { reason: 'bad_cursor', path: '/cursor' },
  )
}

function questionOf(
  { cursor: _, limit: __, ...question }: KnowledgeInput,
  { vault }: OperationContext<'vault'>,
): string {
  return vault.blind(`kg question ${canonicalJson(question)}`)
}
