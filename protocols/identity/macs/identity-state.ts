// MACS set_state: suspends, resumes or revokes an identity and all that descend from it.
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'
import { requireOwn } from './key-life.ts'

const descendants_max = 5_000

export const StateInput = Closed({
  agent_did: described(Did, 'Identity to change, with all that descend from it.'),
  state: described(
    OneOf('active', 'suspended', 'revoked'),
    'suspended can be undone by active; revoked is for good.',
  ),
  reason: Text(500, { description: 'Why, for the audit log.' }),
})

export const StateOutput = Closed({
  agent_did: described(Did, 'The identity.'),
  state: described(
    OneOf('active', 'suspended', 'revoked'),
    'Its state now; it may still be suspended with one that it descends from.',
  ),
  changed: Type.Boolean({ description: 'False where it was so before.' }),
  identities: Type.Integer({ minimum: 0, description: 'How many changed: it, and its descendants.' }),
  keys_revoked: Type.Integer({ minimum: 0, description: 'Number of API keys that ended with it.' }),
  at: described(Timestamp, 'When it was done.'),
})

type StateContext = OperationContext<'charter' | 'identity_states'>

export async function setState(input: Static<typeof StateInput>, context: StateContext) {
  const { agent_did, state, reason } = input
  requireAtHome(context, 'states of identities')
  if (parseDid(agent_did)?.namespace !== context.tenant_id) throw notFound('identity', agent_did)
  const is_member = await context.charter.has(context.caller.did)
  if (!is_member) await requireAbove(input, context)
  if (state !== 'revoked' && (await context.identity_states.of(agent_did)) === 'revoked')
    throw refuse('policy_denied', 'This identity was revoked for good; derive a new one.', {
      reason: 'identity revoked',
    })
  const { identities, keys_revoked } = await change(input, context)
  const changed = identities > 0
  const event = {
    active: 'IdentityResumed',
    suspended: 'IdentitySuspended',
    revoked: 'IdentityRevoked',
  } as const
  if (changed) context.audit(event[state], { agent_did, reason, identities, keys_revoked })
  // It may still be suspended with one that it descends from.
  const state_now = await context.identity_states.of(agent_did)
  return { agent_did, state: state_now, changed, identities, keys_revoked, at: context.now }
}

/** Itself or an ancestor suspends; an ancestor revokes; whoever suspended, or an ancestor of theirs, resumes. */
async function requireAbove({ agent_did, state }: Static<typeof StateInput>, context: StateContext) {
  await requireOwn(agent_did, context, () => notFound('identity', agent_did))
  if (agent_did === context.caller.did && state !== 'suspended')
    throw refuse(
      'policy_denied',
      `An identity cannot make itself ${state}; ask its parent or a charter member.`,
      {
        reason: 'not by itself',
      },
    )
  if (state !== 'active') return
  for (const by of await context.identity_states.suspendedBy(agent_did))
    await requireOwn(by, context, () =>
      refuse('policy_denied', 'It was suspended by one above you; ask them to resume it.', {
        reason: 'suspended from above',
      }),
    )
}

async function change({ agent_did, state, reason }: Static<typeof StateInput>, context: StateContext) {
  const { identity_states } = context
  if (state === 'active') return { identities: await identity_states.resume(agent_did), keys_revoked: 0 }
  const descendants = await descendantsOf(agent_did, context)
  if (state === 'suspended') {
    const changed = await identity_states.suspend(agent_did, descendants, reason)
    return { identities: changed ? descendants.length + 1 : 0, keys_revoked: 0 }
  }
  const { revoked, keys } = await identity_states.revoke([agent_did, ...descendants], reason)
  return { identities: revoked.length, keys_revoked: keys }
}

/** Derived here and agreed to it by signing its document, or with a descent that was proven here. Others lose their verified descent with their ancestor. */
async function descendantsOf(did: string, { db, tenant_id }: OperationContext): Promise<string[]> {
  const rows = await sql<{ did: string }>`
    WITH RECURSIVE family AS (
      SELECT ${did}::text AS did
      UNION SELECT child.did FROM derived_identities child JOIN family ON child.parent_did = family.did
      WHERE child.tenant_id = ${tenant_id} AND jsonb_exists(child.document, 'proof')
    )
    SELECT did FROM family WHERE did <> ${did}
    UNION SELECT did FROM lineage_statements
    WHERE tenant_id = ${tenant_id} AND starts_with(did, ${`did:oas:${tenant_id}:`})
      AND statements @> ${JSON.stringify([{ parent_did: did }])}::jsonb
    LIMIT ${descendants_max + 1}`.all(db)
  if (rows.length <= descendants_max) return rows.map((row) => row.did)
  throw refuse(
    'policy_denied',
    `More than ${descendants_max} identities descend from it; end its children first.`,
    {
      reason: 'too many descendants',
    },
  )
}
