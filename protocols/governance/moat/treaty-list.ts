// MOAT list, an operation of our own: the treaties and amendments of an organization, or one in full.

import { TreatyBody, TreatyParty, TreatyState } from '@svc/contract/authority/treaty'
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, described, Hash, ListOf, OneOf, Ref, TenantId, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { diffOf, widens } from './amendment.ts'
import { Diff } from './amendment-proposal.ts'
import { advance, otherParty, type StoredTreaty, tenantsOf } from './treaty.ts'
import { requireHome } from './treaty-progress.ts'
import { SignOutput } from './treaty-signing.ts'
import { findTreaty, findWords, type LineHead, lineOf, listTreaties, type Words } from './treaty-store.ts'

const line_max = 256
const kinds = ['treaty', 'amendment'] as const

export const ListInput = Closed({
  treaty_id: Type.Optional(described(Hash, 'Only this one.')),
  state: Type.Optional(described(TreatyState, 'Only those in this state now.')),
  kind: Type.Optional(described(OneOf(...kinds), 'Only first treaties, or only amendments.')),
  partner: Type.Optional(described(TenantId, 'Only those with this organization.')),
  include_detail: Type.Optional(Type.Boolean({ default: false, description: 'Only with treaty_id.' })),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const Signed = Closed({
  ...SignOutput.properties.signatures.items.properties,
  authority: Type.Optional(described(Ref, 'Verdict that authorized the signature.')),
})

const Version = Closed({
  treaty_id: described(Hash, "Hash of this version's terms."),
  parent: Type.Optional(described(Hash, 'The version it replaces; absent for the first.')),
  state: TreatyState,
  proposed_at: described(Timestamp, 'When this version was proposed.'),
})

const Detail = Closed({
  body: described(TreatyBody, 'The terms that are hashed and signed.'),
  signatures: described(ListOf(Signed, 0, 2), 'Those given so far.'),
  reason: Type.Optional(Type.String({ description: 'Why an amendment was proposed.' })),
  amendment: Type.Optional(
    Closed(
      {
        before: described(TreatyBody, 'The terms it replaces.'),
        diff: described(Diff, 'What it changes, as JSON Patch.'),
        widening: Type.Boolean({
          description: 'Whether it grants more than before, so that signing needs a charter verdict.',
        }),
      },
      { description: 'Changes of an amendment, from `before` to `body`.' },
    ),
  ),
  open_cases: described(ListOf(Ref, 0, 4096), 'MOOT cases about it that are open.'),
  ended_by: Type.Optional(
    Type.String({ description: 'Who ended it: a DID, or the reference of a ruling or dissolution.' }),
  ),
  end_reason: Type.Optional(Type.String({ description: 'Visible only to the party that gave it.' })),
  line: Type.Array(Version, { maxItems: line_max, description: 'All versions, newest first.' }),
})
type Detail = Static<typeof Detail>

const TreatyItem = Closed({
  treaty_id: described(Hash, 'Hash of its terms.'),
  root_id: described(Hash, 'First treaty of the line; usage counts against it across amendments.'),
  parent: Type.Optional(described(Hash, 'The version it replaces; absent for a first treaty.')),
  kind: described(OneOf(...kinds), 'A first treaty, or an amendment of one.'),
  state: TreatyState,
  partner: described(TenantId, 'The other organization.'),
  parties: described(ListOf(TreatyParty, 2, 2), 'The two organizations, ordered by tenant.'),
  proposed_by: described(Did, 'DID that proposed it.'),
  proposed_at: described(Timestamp, 'When it was proposed.'),
  sign_by: described(Timestamp, 'It lapses if both have not signed by then.'),
  signed: described(ListOf(TenantId, 0, 2), 'Organizations that have signed.'),
  missing: described(ListOf(TenantId, 0, 2), 'Organizations that have yet to sign.'),
  effective_from: described(Timestamp, 'Start of the term.'),
  expires_at: described(Timestamp, 'End of the term.'),
  grants_to_partner: Type.Integer({ minimum: 0, description: 'Number of grants to the partner.' }),
  grants_to_own: Type.Integer({ minimum: 0, description: 'Number of grants to your organization.' }),
  activated_at: Type.Optional(described(Timestamp, 'When the second signature was made.')),
  in_force_at: Type.Optional(described(Timestamp, 'When it became ACTIVE.')),
  suspended: Type.Optional(
    Closed(
      {
        from: described(Timestamp, 'When calls stopped.'),
        until: described(Timestamp, 'When it ends by itself, unless a case is open.'),
        by: described(TenantId, 'Organization that suspended it.'),
      },
      { description: 'Last suspension; absent if there was none.' },
    ),
  ),
  ended_at: Type.Optional(
    described(Timestamp, 'When it was terminated, superseded or withdrawn, or lapsed.'),
  ),
  detail: Type.Optional(described(Detail, 'Terms, signatures and history; with include_detail.')),
})
type TreatyItem = Static<typeof TreatyItem>

export const ListOutput = Closed({
  items: described(
    ListOf(TreatyItem, 0, page_max),
    'Treaties and amendments of your organization, newest first.',
  ),
  next_cursor,
})

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
