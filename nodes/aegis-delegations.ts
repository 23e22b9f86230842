// Tokens of the Aegis node: which are accepted, and how revoking a delegation ends everything delegated below it.
import { isWithin } from '@svc/contract/authority/attenuation'
import { global_wildcard, isCapabilityName } from '@svc/contract/authority/capability'
import {
  type DelegationLink,
  faultIn,
  forgeryIn,
  tokens_held_max,
} from '@svc/contract/authority/delegation-chain'
import { ChallengeAnswer, type ChallengeUse } from '@svc/contract/authority/delegation-challenge'
import {
  DelegationToken,
  delegatedBy,
  delegation_days_max,
  tokenId,
} from '@svc/contract/authority/delegation-token'
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import { KeyEvent, key_events_max } from '@svc/contract/identity/key-events'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, Hash, ListOf, PublicKey, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { meetChallenge } from './aegis-challenges.ts'
import {
  countLive,
  findLinks,
  insertLink,
  lockSubject,
  lockTree,
  markChallenged,
  revokedWith,
  revokeTree,
} from './aegis-store.ts'

/** One delegator cannot use up what another may delegate to the same identity. */
const tokens_between_max = 16
/** A revocation ends a whole tree in one transaction, so a tree has a maximum size. */
const tree_tokens_max = 1_024

export const NewDelegation = Closed({
  token: DelegationToken,
  public_key: PublicKey,
  key_events: Type.Optional(ListOf(KeyEvent, 1, key_events_max)),
  parent_token: Type.Optional(Hash),
  challenge: Type.Optional(ChallengeAnswer),
})
export const Withdrawal = Closed({
  token_id: Hash,
  reason: Text(500),
  /** The engine's statement that the caller is a member of the tenant's charter. */
  charter_member: Type.Boolean(),
  challenge: Type.Optional(ChallengeAnswer),
})

export async function keepToken(
  db: Database,
  { token, public_key, key_events, parent_token, challenge }: Static<typeof NewDelegation>,
  { tenant_id, timestamp }: InvokeContext,
): Promise<{ token_id: string; created: boolean }> {
  const token_id = tokenId(token)
  await lockSubject(db, token.to_did)
  if (parent_token) requireFound(await lockTree(db, tenant_id, parent_token), 'delegation', parent_token)
  const above = parent_token ? await findLinks(db, tenant_id, [parent_token], timestamp) : []
  const link: DelegationLink = {
    token_id,
    token,
    public_key,
    ...(key_events && { key_events }),
    ...(parent_token ? { parent_token } : {}),
    state: 'ACTIVE',
    issued_at: timestamp,
    challenged: false,
  }
  requireSound(link, above, tenant_id, timestamp)
  const stored_link = (await findLinks(db, tenant_id, [token_id], timestamp)).at(-1)
  if (stored_link) requireSame(stored_link, link)
  // The delegator's proof is a step-up; the recipient's only shows that it is present.
  const uses = [useOf(token, 'delegate', timestamp), useOf(token, 'accept', timestamp)]
  const met = challenge && !stored_link?.challenged && (await meetChallenge(db, tenant_id, challenge, uses))
  const stepped_up = Boolean(met && met.purpose === 'delegate')
  if (stored_link) {
    if (stepped_up) await markChallenged(db, token_id)
    return { token_id, created: false }
  }
  await requireRoom(db, tenant_id, token, above[0]?.token_id ?? token_id, timestamp)
  await insertLink(db, tenant_id, { ...link, challenged: stepped_up }, above)
  return { token_id, created: true }
}

function useOf(token: DelegationToken, purpose: 'delegate' | 'accept', now: string): ChallengeUse {
  const subject_did = purpose === 'delegate' ? token.from_did : token.to_did
  return { now, subject_did, purpose, capabilities: token.capabilities.map(({ name }) => name) }
}

/** All checks of a token and the links above it that need no further input. */
function requireSound(
  link: DelegationLink,
  above: readonly DelegationLink[],
  tenant_id: string,
  now: string,
): void {
  const { token } = link
  const life_ms = Date.parse(token.expires_at) - Date.parse(now)
  if (!(life_ms > 0 && life_ms <= delegation_days_max * 86_400_000))
    throw unfit(
      'lifetime',
      `A delegation ends within ${delegation_days_max} days; choose another expires_at.`,
    )
  if (parseDid(token.from_did)?.namespace !== tenant_id)
    throw unfit('tenant', 'A delegation belongs to the tenant of its delegator; ask in that tenant.')
  if (!token.capabilities.every(({ name }) => isCapabilityName(name) && name !== global_wildcard))
    throw unfit(
      'capability name',
      'A delegation names operations or protocols; the global wildcard is never delegated.',
    )
  const ended = above.find(({ state }) => state !== 'ACTIVE')
  if (ended) throw wrongState(ended, 'delegate')
  const forged = forgeryIn(link)
  if (forged) throw denied(forged, `The token is not signed by its delegator: ${forged}; sign it again.`)
  const fault = faultIn([...above, link])
  if (fault === 'its depth does not fall')
    throw denied(
      'redelegation depth exhausted',
      'The parent token does not allow this redelegation depth; choose a smaller one.',
    )
  if (fault) throw denied(fault, `The token cannot be kept: ${fault}; correct it and sign it again.`)
  const parent = above.at(-1)
  const more =
    parent && delegatedBy(token).find((delegated) => !isWithin(delegated, delegatedBy(parent.token)))
  if (more)
    throw denied(
      `capability amplification: ${more.name}`,
      `The parent token does not delegate ${more.name} as requested; ask for less.`,
    )
}

/** The same token again is the same delegation; it is not reactivated, and does not change its source. */
function requireSame(stored_link: DelegationLink, new_link: DelegationLink): void {
  if (stored_link.state !== 'ACTIVE') throw wrongState(stored_link, 'delegate')
  if (stored_link.parent_token !== new_link.parent_token)
    throw denied('token exists', 'The same token was delegated from another source; change its expires_at.')
}

async function requireRoom(
  db: Database,
  tenant_id: string,
  token: DelegationToken,
  root_id: string,
  now: string,
): Promise<void> {
  const { held, between, in_tree } = await countLive(db, tenant_id, token, root_id, now)
  if (held < tokens_held_max && between < tokens_between_max && in_tree < tree_tokens_max) return
  throw denied(
    'too many delegations',
    'So many delegations are live here already; revoke one or let it expire.',
  )
}

export async function revoke(
  db: Database,
  { token_id, reason, charter_member, challenge }: Static<typeof Withdrawal>,
  { tenant_id, timestamp, agent_did }: InvokeContext,
): Promise<{ revoked: string[]; at: string }> {
  requireFound(await lockTree(db, tenant_id, token_id), 'delegation', token_id)
  const chain = await findLinks(db, tenant_id, [token_id], timestamp)
  const link = chain.at(-1)!
  if (!charter_member && !chain.some(({ token }) => token.from_did === agent_did)) {
    throw denied(
      'not yours to revoke',
      'A delegation is revoked by its delegator, by a delegator above, or by a charter member; ask one of them.',
    )
  }
  // Revoking twice gives the same answer.
  if (link.state === 'REVOKED') return revokedWith(db, token_id)
  if (link.state !== 'ACTIVE') throw wrongState(link, 'revoke')
  if (challenge) {
    const capabilities = link.token.capabilities.map(({ name }) => name)
    const use = { now: timestamp, subject_did: agent_did, purpose: 'revoke', capabilities } as const
    await meetChallenge(db, tenant_id, challenge, [use])
  }
  await revokeTree(db, { token_id, reason, by: agent_did, at: timestamp })
  return revokedWith(db, token_id)
}

function requireFound<T>(value: T | undefined, what: string, id: string): T {
  if (value === undefined) throw notFound(what, id)
  return value
}

function wrongState({ token_id, state }: DelegationLink, operation: string): Refusal {
  const reason = `delegation is ${state}; ${operation} needs ACTIVE`
  const next =
    operation === 'delegate' ? 'delegate again with another expires_at' : 'there is nothing left to end'
  return denied(reason, `The delegation ${token_id} is ${state}; ${next}.`)
}

function denied(reason: string, sentence: string): Refusal {
  return refuse('policy_denied', sentence, { reason })
}

function unfit(reason: string, sentence: string): Refusal {
  return refuse('invalid_payload', sentence, { reason })
}
