// Delegation: judged here, signed by the delegator, stored by the node, and announced to every replica.
import { type AgentCapability, type CapabilityLimits, covers } from '@svc/contract/authority/capability'
import { requireKnownCaveats } from '@svc/contract/authority/caveat'
import type { DelegationToken, UnsignedToken } from '@svc/contract/authority/delegation-token'
import { delegation_days_max, tokenId } from '@svc/contract/authority/delegation-token'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, type RefusalDetails, refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { askChain, askNode, ownOf, worthNow } from './aegis-answers.ts'
import { type DelegationSource, judge, type Verdict } from './delegation.ts'
import { eventsFor, readProof, signToken } from './delegator-proof.ts'

export type WantedCapability =
  | string
  | { name: string; expires_at?: string; limits?: CapabilityLimits; caveats?: string[] }

export interface DelegationRequest {
  readonly to_did: string
  readonly capabilities: readonly WantedCapability[]
  readonly max_redelegation_depth?: number
  readonly expires_at: string
  readonly revocation_url?: string
  readonly parent_token?: string
}

export interface Proofs {
  readonly signature?: string
  readonly public_key?: string
  readonly challenge_id?: string
  readonly challenge_signature?: string
}

/** A delegation outlives the call, so a plugin would keep the rights it got. */
export function refuseForPlugins({ invoke }: Pick<OperationContext, 'invoke'>): void {
  if (!invoke.metadata.ceilings) return
  throw refuse(
    'policy_denied',
    'A plugin cannot delegate what its caller holds; the caller must delegate it.',
    {
      reason: 'called by a plugin',
    },
  )
}

export async function makeDelegation(
  request: DelegationRequest & Proofs,
  context: OperationContext<'authority' | 'custody' | 'remote'>,
) {
  refuseForPlugins(context)
  const unsigned_token = tokenOf(request, context.caller.did)
  requireMoments(unsigned_token, context.now)
  const names = unsigned_token.capabilities.map(({ name }) => name)
  const proof = await readProof(context, request, [
    { subject_did: unsigned_token.from_did, purpose: 'delegate', capabilities: names },
    { subject_did: unsigned_token.to_did, purpose: 'accept', capabilities: names },
  ])
  const source = await delegationSourceOf(context, unsigned_token.from_did, request.parent_token)
  const verdict = judge(unsigned_token, { ...source, challenged: proof?.purpose === 'delegate' })
  if (verdict.reasons.length > 0) throw forbidden(verdict, request)
  const { token, public_key, method } = await signToken(context, verdict.token, request)
  const token_id = tokenId(token)
  const stored = await askNode(context, 'delegate', {
    token,
    public_key,
    ...(await eventsFor(context, token.from_did)),
    ...(request.parent_token ? { parent_token: request.parent_token } : {}),
    ...(proof ? { challenge: proof.answer } : {}),
  })
  if (stored.token_id !== token_id) throw new Error('the Aegis node stored a different token')
  recordGrant(context, token, {
    token_id,
    method,
    created: stored.created,
    parent_token: request.parent_token,
  })
  await tellReplicas(context, token_id)
  return { token, token_id, remaining_depth: token.max_redelegation_depth, attenuated: verdict.attenuated }
}

/** What this delegator may delegate: its own capabilities, or those of one token. */
export async function delegationSourceOf(
  context: OperationContext<'authority' | 'remote'>,
  from_did: string,
  parent_token: string | undefined,
): Promise<Omit<DelegationSource, 'challenged'>> {
  const { now } = context
  const own_policy = await askNode(context, 'policy', { did: from_did })
  if (parent_token === undefined) {
    const is_caller = from_did === context.caller.did
    const authority = is_caller ? await context.authority.ofCaller() : await context.authority.of(from_did)
    return { now, sources: ownOf(authority), above: [], policies: [own_policy] }
  }
  const chain = await askChain(context, parent_token)
  // Same refusal as for an unknown token: hides others' tokens.
  if (chain.links.at(-1)!.token.to_did !== from_did) throw notFound('delegation', parent_token)
  const usable = await usableOf(context, from_did, parent_token)
  const sources = (await worthNow(context, chain)).filter(({ name }) => usable(name))
  return { now, sources, above: chain.links, policies: [own_policy, ...chain.policies] }
}

/** With a bounded key or under another delegation, the caller may not use all that the token gives. */
async function usableOf(context: OperationContext<'authority'>, from_did: string, parent_token: string) {
  if (from_did !== context.caller.did) return () => true
  const { held } = await context.authority.ofCaller()
  const names = held.filter(({ source_ref }) => source_ref === parent_token).map(({ name }) => name)
  return (name: string) => names.some((usable) => covers(usable, name))
}

export function tokenOf(request: DelegationRequest, from_did: string): UnsignedToken {
  for (const [place, capability] of request.capabilities.entries())
    if (typeof capability !== 'string')
      requireKnownCaveats(capability.caveats, `/capabilities/${place}/caveats`)
  return {
    from_did,
    to_did: request.to_did,
    capabilities: request.capabilities.map(asCapability),
    max_redelegation_depth: request.max_redelegation_depth ?? 0,
    expires_at: request.expires_at,
    ...(request.revocation_url === undefined ? {} : { revocation_url: request.revocation_url }),
  }
}

function asCapability(capability: WantedCapability): AgentCapability {
  if (typeof capability === 'string') return { name: capability, caveats: [] }
  return { ...capability, caveats: [...new Set(capability.caveats)] }
}

export function requireMoments({ expires_at, capabilities }: UnsignedToken, now: string): void {
  const life_ms = Date.parse(expires_at) - Date.parse(now)
  if (!(life_ms > 0 && life_ms <= delegation_days_max * 86_400_000)) {
    throw misdated('/expires_at', `must be within ${delegation_days_max} days from now`)
  }
  for (const [index, { expires_at: own }] of capabilities.entries()) {
    if (own !== undefined && !(Date.parse(own) <= Date.parse(expires_at)))
      throw misdated(
        `/capabilities/${index}/expires_at`,
        'must not be later than the expires_at of the token',
      )
  }
}

function misdated(pointer: string, message: string): Refusal {
  return refuse('invalid_payload', `The end of the delegation is invalid: ${pointer} ${message}.`, {
    reason: 'expires_at',
    faults: [{ pointer, message }],
  })
}

function forbidden({ reasons }: Verdict, { parent_token }: DelegationRequest): Refusal {
  const [reason] = reasons
  const hint = reason!.startsWith('capability amplification')
    ? parent_token
      ? 'request no more than the parent token allows now'
      : 'delegate only what you hold yourself and not by a role, or name your own delegation token as parent_token'
    : reason === 'step-up challenge required'
      ? 'request one with Aegis challenge, sign it, and send challenge_id and challenge_signature'
      : 'call Aegis policy with action evaluate to see what is allowed'
  const details: RefusalDetails = { reason, reasons }
  if (reason!.startsWith('delegation policy')) details.denying_policy = 'delegation policy'
  return refuse('policy_denied', `This may not be delegated: ${reasons.join('; ')}; ${hint}.`, details)
}

function recordGrant(
  context: OperationContext,
  token: DelegationToken,
  more: { token_id: string; method: string; created: boolean; parent_token: string | undefined },
): void {
  const { from_did, to_did, capabilities, expires_at, max_redelegation_depth } = token
  const { parent_token, ...facts } = more
  context.audit('CapabilityGrant', {
    ...facts,
    ...(parent_token ? { parent_token } : {}),
    from: from_did,
    to: to_did,
    capabilities: capabilities.map(({ name }) => name),
    expires_at,
    max_redelegation_depth,
  })
}

/** Sent in this operation's transaction, so replicas are notified on commit and not before. */
export async function tellReplicas(context: OperationContext, id: string): Promise<void> {
  await sql`SELECT pg_notify('svc_changed', ${`delegation:${id}`}::text)`.execute(context.db)
}
