// MOAT list, an operation of our own: the treaties and amendments of an organization, or one in full.

import { TreatyBody, TreatyParty, treaty_states } from '@svc/contract/authority/treaty'
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, Hash, ListOf, OneOf, Ref, TenantId, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { diffOf, widens } from './amendment.ts'
import { Diff } from './amendment-proposal.ts'
import { advance, otherParty, type StoredTreaty, tenantsOf } from './treaty.ts'
import { requireHome } from './treaty-progress.ts'
import { SignOutput } from './treaty-signing.ts'
import { findTreaty, findWords, type LineHead, lineOf, listTreaties, type Words } from './treaty-store.ts'

const line_max = 256
const kinds = ['treaty', 'amendment'] as const
const State = OneOf(...treaty_states)

export const ListInput = Closed({
  treaty_id: Type.Optional(Hash),
  state: Type.Optional(State),
  kind: Type.Optional(OneOf(...kinds)),
  partner: Type.Optional(TenantId),
  include_detail: Type.Optional(Type.Boolean({ default: false, description: 'Only with treaty_id.' })),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const Signed = Closed({ ...SignOutput.properties.signatures.items.properties, authority: Type.Optional(Ref) })

const Version = Closed({
  treaty_id: Hash,
  parent: Type.Optional(Hash),
  state: State,
  proposed_at: Timestamp,
})

const Detail = Closed({
  body: TreatyBody,
  signatures: ListOf(Signed, 0, 2),
  reason: Type.Optional(Type.String({ description: 'Why an amendment was proposed.' })),
  amendment: Type.Optional(
    Closed(
      { before: TreatyBody, diff: Diff, widening: Type.Boolean() },
      { description: 'Changes of an amendment, from `before` to `body`.' },
    ),
  ),
  open_cases: ListOf(Ref, 0, 4096),
  ended_by: Type.Optional(Type.String()),
  end_reason: Type.Optional(Type.String({ description: 'Visible only to the party that gave it.' })),
  line: Type.Array(Version, { maxItems: line_max, description: 'All versions, newest first.' }),
})
type Detail = Static<typeof Detail>

const TreatyItem = Closed({
  treaty_id: Hash,
  root_id: Hash,
  parent: Type.Optional(Hash),
  kind: OneOf(...kinds),
  state: State,
  partner: TenantId,
  parties: ListOf(TreatyParty, 2, 2),
  proposed_by: Did,
  proposed_at: Timestamp,
  sign_by: Timestamp,
  signed: ListOf(TenantId, 0, 2),
  missing: ListOf(TenantId, 0, 2),
  effective_from: Timestamp,
  expires_at: Timestamp,
  grants_to_partner: Type.Integer({ minimum: 0 }),
  grants_to_own: Type.Integer({ minimum: 0 }),
  activated_at: Type.Optional(Timestamp),
  in_force_at: Type.Optional(Timestamp),
  suspended: Type.Optional(Closed({ from: Timestamp, until: Timestamp, by: TenantId })),
  ended_at: Type.Optional(Timestamp),
  detail: Type.Optional(Detail),
})
type TreatyItem = Static<typeof TreatyItem>

export const ListOutput = Closed({ items: ListOf(TreatyItem, 0, page_max), next_cursor })

export function listOwn(input: ListInput, context: OperationContext) {
  requireHome(context, 'list treaties')
  const { db, tenant_id, now } = context
  const { treaty_id, state, kind, partner } = input
  const filters = { now, treaty_id, state, partner, is_amendment: kind && kind === 'amendment' }
  const at = new Date(now)
  return listing(input, context, {
    id_form: /^sha256:[0-9a-f]{64}$/,
    read: (bounds) => listTreaties(db, tenant_id, { ...bounds, ...filters }),
    placeOf: ({ id, proposed_at }) => ({ at: proposed_at.toISOString(), id }),
    isWanted: (treaty) => state === undefined || asOf(treaty, at).state === state,
    view: (treaties) => treaties.map((treaty) => treatyItem(asOf(treaty, at), tenant_id)),
    detail: { by: 'treaty_id', of: (treaty) => wholeOf(asOf(treaty, at), context) },
  })
}

/** The state at this time, even if it is not stored yet. */
export function asOf(treaty: StoredTreaty, at: Date): StoredTreaty {
  return advance(treaty, at).at(-1)?.treaty ?? treaty
}

export function treatyItem(treaty: StoredTreaty, tenant_id: string): TreatyItem {
  const { id: treaty_id, root_id, body, state, proposed_by, signatures, suspended } = treaty
  const { parties, effective_from, expires_at, grants, parent } = body
  const to_own = grants.filter(({ to }) => to === tenant_id).length
  const signed = signatures.map(({ tenant }) => tenant)
  return {
    treaty_id,
    root_id,
    ...(parent !== null && { parent }),
    kind: parent === null ? 'treaty' : 'amendment',
    state,
    partner: otherParty(treaty, tenant_id).tenant,
    parties,
    proposed_by,
    proposed_at: treaty.proposed_at.toISOString(),
    sign_by: treaty.sign_by.toISOString(),
    signed,
    missing: tenantsOf(treaty).filter((tenant) => !signed.includes(tenant)),
    effective_from,
    expires_at,
    grants_to_partner: grants.length - to_own,
    grants_to_own: to_own,
    ...moments(treaty),
    ...(suspended && {
      suspended: {
        from: suspended.from.toISOString(),
        until: suspended.until.toISOString(),
        by: suspended.by,
      },
    }),
  }
}

function moments({ activated_at, in_force_at, ended_at }: StoredTreaty) {
  return {
    ...(activated_at && { activated_at: activated_at.toISOString() }),
    ...(in_force_at && { in_force_at: in_force_at.toISOString() }),
    ...(ended_at && { ended_at: ended_at.toISOString() }),
  }
}

async function wholeOf(treaty: StoredTreaty, { db, tenant_id }: OperationContext): Promise<Detail> {
  const { parent } = treaty.body
  const before = parent === null ? undefined : (await findTreaty(db, parent))?.body
  const line = await lineOf(db, treaty.root_id, line_max)
  return treatyDetail(treaty, { tenant_id, before, line, words: await findWords(db, treaty.id) })
}

interface Around {
  readonly tenant_id: string
  /** The terms before the amendment. */
  readonly before: TreatyBody | undefined
  readonly line: readonly LineHead[]
  readonly words: Words
}

export function treatyDetail(treaty: StoredTreaty, { tenant_id, before, line, words }: Around): Detail {
  const { body, signatures, open_cases } = treaty
  const { reason, ended_by, end_reason } = words
  return {
    body,
    signatures: signatures.map(({ authority, ...signature }) => ({
      ...signature,
      ...(authority !== null && { authority }),
    })),
    ...(reason !== null && { reason }),
    ...(before && {
      amendment: {
        before,
        diff: diffOf(before, body).map((change) => ({ ...change })),
        widening: widens(before, body),
      },
    }),
    open_cases: [...open_cases],
    ...(ended_by !== null && { ended_by }),
    // The reason is visible only to the organization that gave it.
    ...(end_reason !== null && ended_by?.split(':')[2] === tenant_id && { end_reason }),
    line: line.map(({ id, parent, state, proposed_at }) => ({
      treaty_id: id,
      ...(parent !== null && { parent }),
      // The current state, consistent with the treaty itself.
      state: id === treaty.id ? treaty.state : state,
      proposed_at: proposed_at.toISOString(),
    })),
  }
}
