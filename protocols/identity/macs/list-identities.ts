// MACS.list: the identities of an organization with their parents, to draw the family tree.

import { did_form } from '@svc/contract/identity/did'
import { AgentEntityKind, derived_kinds, root_kinds } from '@svc/contract/identity/identity'
import { next_cursor, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { Authority } from '@svc/contract/needs/authority'
import type { KnownIdentity } from '@svc/contract/needs/membership'
import type { OperationContext } from '@svc/contract/operation-context'
import { name_page_fields, placeOfName, requireAtHome } from '@svc/contract/own-list'
import { Closed, ConformanceLevel, Did, described, ListOf, OneOf, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type DerivedName, listDerived } from './derivation-store.ts'

/** Limits parallel queries to the identity node. */
const resolved_at_once = 8
const states = ['active', 'unresolved', 'suspended', 'revoked'] as const
const Count = Type.Integer({ minimum: 0 })

const Identity = Closed({
  did: described(Did, 'The identity.'),
  entity_kind: AgentEntityKind,
  name: Type.Optional(Type.String({ description: 'As its document says.' })),
  state: Type.Enum([...states], { description: 'unresolved: its document is not available now.' }),
  conformance_level: ConformanceLevel,
  lineage_verified: Type.Boolean({ description: 'Whether its descent from a root is proven.' }),
  lineage_depth: described(Count, 'Steps from its root; 0 for a root.'),
  parent_did: Type.Optional(described(Did, 'Who derived it; absent for a root.')),
  human_root_did: Type.Optional(
    described(Did, 'Human or organization at the root of its lineage; absent: not verified.'),
  ),
  derived_at: Type.Optional(described(Timestamp, 'When it was derived here.')),
  in_charter: Type.Boolean({ description: 'Whether it is a charter member of the organization.' }),
  capabilities: Type.Integer({
    minimum: 0,
    description: 'Number of capabilities it holds now; authorization_request lists them.',
  }),
  revoked: Type.Optional(
    Closed(
      {
        at: described(Timestamp, 'When it was revoked.'),
        reason: Type.String({ description: 'Why, as stated.' }),
        by: Type.String({ description: 'Who revoked it.' }),
      },
      { description: 'How it was revoked; absent: it was not.' },
    ),
  ),
  credentials: Type.Optional(
    Closed(
      {
        keys_live: described(Count, 'Number of API keys that are accepted.'),
        keys_ended: described(Count, 'Number of API keys that expired or were revoked.'),
        sessions_live: described(Count, 'Number of sessions that are accepted.'),
        last_used_at: Type.Optional(described(Timestamp, 'When one was last used; absent: never.')),
        in_custody: Type.Boolean({ description: 'The engine holds its private key.' }),
      },
      { description: 'Visible to the identity itself and to charter members.' },
    ),
  ),
})

export const ListInput = Closed({
  did: Type.Optional(described(Did, 'Only this identity.')),
  entity_kind: Type.Optional(
    described(OneOf(...root_kinds, ...derived_kinds), 'Only identities of this kind.'),
  ),
  ...name_page_fields,
})

export const ListOutput = Closed({
  items: described(ListOf(Identity, 0, page_max), 'Identities of your organization.'),
  next_cursor,
})

export async function listIdentities(
  { did, entity_kind, ...page }: Static<typeof ListInput>,
  context: OperationContext<'authority' | 'charter' | 'membership'>,
) {
  requireAtHome(context, 'identities')
  const { tenant_id } = context
  const of_kind = `did:oas:${tenant_id}:${entity_kind ? `${segmentOf(entity_kind)}:` : ''}`
  if (did !== undefined && !did.startsWith(of_kind)) return { items: [] }
  const prefix = did ?? of_kind
  const derived = new Map<string, DerivedName>()
  return listing(page, context, {
    id_form: did_form,
    async read({ before, limit }) {
      const after = before?.id ?? ''
      const children = await listDerived(context.db, tenant_id, { after, prefix, limit })
      for (const child of children) derived.set(child.did, child)
      const also = children.map((child) => child.did)
      return context.membership.identities(context.db, tenant_id, { before, limit, prefix, also })
    },
    placeOf: (identity) => placeOfName(identity.did),
    async view(identities) {
      const is_member = await context.charter.has(context.caller.did)
      return inTurns(identities, async (identity) => {
        const { did } = identity
        const is_told = is_member || did === context.caller.did
        return identityView(identity, await context.authority.of(did), derived.get(did), is_told)
      })
    },
  })
}

/** The segment in a DID: AgentInstance becomes agent-instance. */
function segmentOf(entity_kind: string): string {
  return entity_kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
}

function stateOf({ revoked, suspended, auth_method }: Authority['identity'], is_revoked: boolean) {
  if (is_revoked || (revoked && !suspended)) return 'revoked'
  if (suspended) return 'suspended'
  return auth_method === 'unresolved' ? 'unresolved' : 'active'
}

async function inTurns<One, Result>(all: readonly One[], work: (one: One) => Promise<Result>) {
  const done: Result[] = []
  for (let from = 0; from < all.length; from += resolved_at_once)
    done.push(...(await Promise.all(all.slice(from, from + resolved_at_once).map(work))))
  return done
}

function identityView(
  known_identity: KnownIdentity,
  { identity, held }: Authority,
  derived: DerivedName | undefined,
  is_told: boolean,
): Static<typeof Identity> {
  const { name, human_root_did, creator_did } = identity
  const { revoked, keys_live, keys_ended, sessions_live, last_used_at, in_custody } = known_identity
  const parent_did = creator_did ?? derived?.parent_did
  return {
    did: known_identity.did,
    entity_kind: identity.entity_kind,
    ...(name !== undefined && { name }),
    state: stateOf(identity, revoked !== null),
    conformance_level: identity.conformance_level,
    lineage_verified: identity.lineage_verified,
    lineage_depth: identity.lineage_depth,
    ...(parent_did !== undefined && { parent_did }),
    ...(human_root_did !== undefined && { human_root_did }),
    ...(derived && { derived_at: derived.created_at.toISOString() }),
    in_charter: known_identity.in_charter,
    capabilities: held.length,
    ...(revoked && is_told && { revoked: { ...revoked, at: new Date(revoked.at).toISOString() } }),
    ...(is_told && {
      credentials: {
        keys_live,
        keys_ended,
        sessions_live,
        ...(last_used_at && { last_used_at: last_used_at.toISOString() }),
        in_custody,
      },
    }),
  }
}
