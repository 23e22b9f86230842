// MERIT set_concern, list_concerns and remove_concern: an organization's own duties and harms, which every
// description of an action is read against.
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'

/** Together they bound how long an action is read. */
const concerns_max = 50
const words_max = 20

const Name = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
  description: 'Names the concern within your organization.',
})
const concern = {
  name: Name,
  kind: described(OneOf('duty', 'harm'), 'What must be done or left, or what must not happen to anybody.'),
  text: Text(500, {
    description: 'The duty or harm, in English: descriptions whose meaning is near are found.',
  }),
  words: Type.Optional(
    described(
      ListOf(
        Type.String({ pattern: '^[A-Za-z0-9]+\\*?( [A-Za-z0-9]+\\*?){0,5}$', maxLength: 100 }),
        0,
        words_max,
      ),
      'Words or short phrases that show it; a star matches any ending, as in refund*.',
    ),
  ),
}

export const SetConcernInput = Closed(concern)
export type SetConcernInput = Static<typeof SetConcernInput>
export const SetConcernOutput = Closed({
  name: Name,
  set_at: described(Timestamp, 'From when on it counts.'),
})

export const ListConcernsInput = Closed({})
export const ListConcernsOutput = Closed({
  items: described(
    ListOf(
      Closed({
        ...concern,
        set_by: described(Did, 'Whoever set it last.'),
        set_at: described(Timestamp, 'When it was set last.'),
      }),
      0,
      concerns_max,
    ),
    'All of them, by name.',
  ),
})

export const RemoveConcernInput = Closed({
  name: Name,
  reason: Type.Optional(Text(500, { description: 'Why, for the audit log.' })),
})
export const RemoveConcernOutput = Closed({
  name: Name,
  removed_at: described(Timestamp, 'From when on it no longer counts.'),
})

export interface Concern {
  readonly name: string
  readonly kind: 'duty' | 'harm'
  readonly text: string
  readonly words: readonly string[]
}

interface ConcernRow extends Concern {
  readonly set_by: string
  readonly set_at: Date
}

type Storing = Pick<OperationContext, 'db' | 'tenant_id'>

export async function findConcerns({ db, tenant_id }: Storing): Promise<ConcernRow[]> {
  return sql<ConcernRow>`
    SELECT name, kind, text, words, set_by, set_at FROM merit_concerns
    WHERE tenant_id = ${tenant_id} ORDER BY name LIMIT ${concerns_max}`.all(db)
}

export async function setConcern(
  { name, kind, text, words = [] }: SetConcernInput,
  context: OperationContext,
) {
  requireAtHome(context, 'concerns')
  const { db, tenant_id, caller, now } = context
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`merit concerns|${tenant_id}`}, 0))`.execute(db)
  const others = (await findConcerns(context)).filter((other) => other.name !== name)
  if (others.length >= concerns_max)
    throw refuse('policy_denied', `Your organization has ${concerns_max} concerns; remove one first.`, {
      reason: 'too many concerns',
    })
  await sql`
    INSERT INTO merit_concerns (tenant_id, name, kind, text, words, set_by, set_at)
    VALUES (${tenant_id}, ${name}, ${kind}, ${text}, ${words}, ${caller.did}, ${now})
    ON CONFLICT (tenant_id, name) DO UPDATE SET kind = excluded.kind, text = excluded.text, words = excluded.words,
      set_by = excluded.set_by, set_at = excluded.set_at`.execute(db)
  context.audit('ConcernSet', { name, kind }, { supplied: { text, words } })
  return { name, set_at: now }
}

export async function listConcerns(_: Static<typeof ListConcernsInput>, context: OperationContext) {
  requireAtHome(context, 'concerns')
  const rows = await findConcerns(context)
  return {
    items: rows.map(({ set_at, words, ...row }) => ({
      ...row,
      words: [...words],
      set_at: set_at.toISOString(),
    })),
  }
}

export async function removeConcern(
  { name, reason }: Static<typeof RemoveConcernInput>,
  context: OperationContext,
) {
  requireAtHome(context, 'concerns')
  const { db, tenant_id, now } = context
  const removed = await sql<{ name: string }>`
    DELETE FROM merit_concerns WHERE tenant_id = ${tenant_id} AND name = ${name} RETURNING name`.first(db)
  if (!removed) throw notFound('concern', name)
  context.audit('ConcernRemoved', { name }, { supplied: { reason } })
  return { name, removed_at: now }
}
