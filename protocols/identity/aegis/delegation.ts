// Whether a delegation is allowed, before it is signed: never more, longer or further than its source.
import { attenuate } from '@svc/contract/authority/attenuation'
import type { AgentCapability } from '@svc/contract/authority/capability'
import { type DelegationLink, type DelegationPolicy, rulesOf } from '@svc/contract/authority/delegation-chain'
import {
  allowsDepth,
  allowsKindOf,
  type DelegationRules,
  endOf,
  forbids,
  needsChallenge,
} from '@svc/contract/authority/delegation-policy'
import type { UnsignedToken } from '@svc/contract/authority/delegation-token'
import { parseDid } from '@svc/contract/identity/did'
import { unresolved } from '@svc/contract/identity/identity'

const caveats_max = 16

export interface DelegationSource {
  /** RFC 3339 UTC. */
  readonly now: string
  /** What the delegator may delegate: its own capabilities, or what the parent token still allows. */
  readonly sources: readonly AgentCapability[]
  /** The links above, in a redelegation. */
  readonly above: readonly DelegationLink[]
  readonly policies: readonly DelegationPolicy[]
  /** The delegator has proved possession of its key for this. */
  readonly challenged: boolean
}

export interface Verdict {
  /** Each rule that refuses; empty if it may be delegated. */
  readonly reasons: readonly string[]
  /** The token to sign, with the bounds of its source. */
  readonly token: UnsignedToken
  readonly attenuated: boolean
}

/** Used by delegate and by evaluate. */
export function judge(unsigned_token: UnsignedToken, delegation: DelegationSource): Verdict {
  const live = delegation.sources.filter((source) => isLive(source, delegation.now))
  const drawn = unsigned_token.capabilities.map((capability) =>
    draw(capability, unsigned_token.expires_at, live),
  )
  const delegated = drawn.map(
    (draw_result, index) => draw_result.delegated ?? unsigned_token.capabilities[index]!,
  )
  const reasons = [
    ...reachFaults(unsigned_token, delegation.above),
    ...drawn.flatMap(({ fault }) => fault ?? []),
    ...delegated
      .filter(({ caveats }) => caveats.length > caveats_max)
      .map(({ name }) => `too many caveats: ${name}`),
    ...ruleFaults(unsigned_token, delegation),
  ]
  return {
    reasons: [...new Set(reasons)],
    token: { ...unsigned_token, capabilities: delegated },
    attenuated: drawn.some(({ attenuated }) => attenuated),
  }
}

interface Drawn {
  readonly delegated?: AgentCapability
  readonly attenuated: boolean
  readonly fault?: string
}

/** Derives one capability from those held. It expires with the token unless it names an end. */
function draw(
  requested: AgentCapability,
  token_ends: string,
  held_capabilities: readonly AgentCapability[],
): Drawn {
  const drawn = attenuate({ ...requested, expires_at: requested.expires_at ?? token_ends }, held_capabilities)
  if (drawn) {
    const { expires_at, ...delegated } = drawn.capability
    const bounded = requested.expires_at === undefined ? delegated : { ...delegated, expires_at }
    return { delegated: bounded as AgentCapability, attenuated: drawn.attenuated }
  }
  const { expires_at: _, ...endless } = requested
  const fault = attenuate(endless as AgentCapability, held_capabilities)
    ? 'delegation outlives its source'
    : `capability amplification: ${requested.name}`
  return { attenuated: false, fault }
}

function reachFaults(
  { from_did, to_did, max_redelegation_depth }: UnsignedToken,
  above: readonly DelegationLink[],
) {
  const faults: string[] = []
  if (from_did === to_did) faults.push('delegation to oneself')
  else if (above.some(({ token }) => token.from_did === to_did || token.to_did === to_did))
    faults.push('delegation cycle')
  if (parseDid(from_did)?.namespace !== parseDid(to_did)?.namespace) faults.push('delegation crosses tenants')
  const parent = above.at(-1)
  if (parent && max_redelegation_depth >= parent.token.max_redelegation_depth)
    faults.push('redelegation depth exhausted')
  return faults
}

/** The delegator's own rules, and the rules of ancestors that apply at this depth. */
function ruleFaults(
  unsigned_token: UnsignedToken,
  { above, policies, challenged, now }: DelegationSource,
): string[] {
  const { from_did, to_did, capabilities, max_redelegation_depth, expires_at } = unsigned_token
  const own = rulesOf(policies, from_did)
  const faults = capabilities
    .filter(({ name }) => forbids(own, name))
    .map(({ name }) => `delegation policy forbids ${name}`)
  const ends = endOf(own, now)
  if (ends !== undefined && Date.parse(expires_at) > Date.parse(ends))
    faults.push(`delegation policy forbids more than ${own.max_ttl_seconds} seconds`)
  const reaching: [DelegationRules, number][] = above.map(({ token }, index) => [
    rulesOf(policies, token.from_did),
    above.length - index,
  ])
  for (const [rules, links_between] of [...reaching, [own, 0] as const]) {
    if (!allowsKindOf(rules, to_did))
      faults.push(`delegation policy forbids ${unresolved(to_did).entity_kind}`)
    if (!allowsDepth(rules, links_between + max_redelegation_depth))
      faults.push('redelegation depth exhausted')
  }
  if (!challenged && capabilities.some(({ name }) => needsChallenge(own, name)))
    faults.push('step-up challenge required')
  return faults
}

function isLive({ expires_at }: AgentCapability, now: string): boolean {
  return expires_at === undefined || Date.parse(expires_at) > Date.parse(now)
}
