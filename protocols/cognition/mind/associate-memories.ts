import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { CellRef, Share } from '../cells/api.ts'
import type { Readers } from '../content/api.ts'
import { endsOf, keepEdge, lockRelation, pathBetween, type Span } from './association-store.ts'

/** These relations cannot hold in both directions. */
const acyclic: ReadonlySet<string> = new Set(['part_of', 'derived_from', 'supersedes', 'causes'])
const weight_default = 0.5

export const AssociateInput = Closed({
  source: described(CellRef, 'Memory the link starts from.'),
  target: described(CellRef, 'Memory the link leads to.'),
  relation: Type.String({
    pattern: '^[a-z][a-z0-9_]{0,63}$',
    description: 'part_of, derived_from, supersedes and causes must not form cycles.',
  }),
  weight: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: weight_default,
      description: 'Strength of the link; repeating it makes it stronger.',
    }),
  ),
  valid_from: Type.Optional(
    described(Timestamp, 'The link holds from then on; absent: always before valid_to.'),
  ),
  valid_to: Type.Optional(described(Timestamp, 'The link holds until then; absent: still.')),
  bidirectional: Type.Optional(Type.Boolean({ default: false, description: 'Also link back.' })),
})
export type AssociateInput = Static<typeof AssociateInput>

export const AssociateMemoriesOutput = Closed({
  association_id: described(Uuid, 'Names the link.'),
  weight: described(Share, 'Strength of the link now.'),
  reinforced: Type.Boolean({ description: 'The link existed already and is stronger now.' }),
  created: Type.Boolean({ description: 'Whether the link is new.' }),
})

export async function associate(input: AssociateInput, context: OperationContext) {
  const { source, target, relation, weight = weight_default, bidirectional = false } = input
  const valid = spanOf(input)
  if (source === target) throw cycle([source, source], relation)
  const readers = await requireMemories(context, [source, target])
  await lockRelation(
    context,
    acyclic.has(relation) ? relation : [relation, ...[source, target].sort()].join(' '),
  )
  if (acyclic.has(relation)) {
    if (bidirectional) throw cycle([source, target, source], relation)
    const back = await pathBetween(context, target, source, relation)
    if (back) throw cycle([source, ...back], relation)
  }
  const edge = await keepEdge(context, { source, target, relation, weight, valid, readers })
  if (bidirectional)
    await keepEdge(context, { source: target, target: source, relation, weight, valid, readers })
  context.audit('MemoryAssociated', { ...edge, source, target, relation, bidirectional })
  return { ...edge, created: !edge.reinforced }
}

function spanOf({ valid_from, valid_to }: AssociateInput): Span {
  for (const [field, time] of Object.entries({ valid_from, valid_to })) {
    if (time === undefined || isMoment(time)) continue
    throw refuse('invalid_payload', `/${field} is not a valid date; give a time that exists.`, {
      reason: 'bad_time',
      path: `/${field}`,
    })
  }
  if (valid_from === undefined || valid_to === undefined || Date.parse(valid_from) < Date.parse(valid_to))
    return { from: valid_from ?? null, until: valid_to ?? null }
  throw refuse(
    'invalid_payload',
    '/valid_to is not after valid_from, so the link never holds; give it a later end.',
    {
      reason: 'empty_validity',
      path: '/valid_to',
    },
  )
}

/** Who may see a link between these: those who may read all of them. */
async function requireMemories(context: OperationContext, refs: readonly string[]): Promise<Readers> {
  const ends = await endsOf(context, refs)
  let readers: Readers = null
  for (const ref of refs) {
    const end = ends.get(ref)
    if (end === undefined) throw notFound('memory', ref)
    if (end.status === 'redacted')
      throw refuse('policy_denied', `${ref} was redacted, so it cannot be linked; use another memory.`, {
        reason: 'content is redacted; a link needs current content',
      })
    readers = commonReaders(readers, end.readers)
  }
  // One who reads both only as members of different groups alone sees the link.
  return readers?.length === 0 ? [context.caller.did] : readers
}

function commonReaders(one: Readers, other: Readers): Readers {
  if (one === null || other === null) return one ?? other
  return one.filter((reader) => other.includes(reader))
}

function cycle(path: readonly string[], relation: string) {
  return refuse(
    'invalid_payload',
    `This link would close a cycle of ${relation}: ${path.join(' > ')}; this relation must not have cycles.`,
    { reason: 'cycle', path: '/target', cycle: path },
  )
}
