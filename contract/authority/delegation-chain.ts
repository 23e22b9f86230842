// The current worth of a token: what every link above it still grants, starting from what the first delegator holds.
import { type Static, Type } from 'typebox'
import { parseDid } from '../identity/did.ts'
import { isEverKeyOf, KeyEvent, key_events_max } from '../identity/key-events.ts'
import { Closed, Did, described, Hash, ListOf, OneOf, PublicKey, Timestamp } from '../schema.ts'
import { isSignedBy } from '../signing/signature.ts'
import { confine, earlier, isWithin } from './attenuation.ts'
import { type AgentCapability, type ChainLink, global_wildcard } from './capability.ts'
import { chain_links_max } from './delegation-depth.ts'
import {
  allowsDepth,
  allowsKindOf,
  DelegationRules,
  endOf,
  forbids,
  needsChallenge,
} from './delegation-policy.ts'
import { DelegationToken, delegatedBy, tokenId, tokenInput } from './delegation-token.ts'

export const DelegationState = described(
  OneOf('ACTIVE', 'EXPIRED', 'REVOKED', 'PARENT_REVOKED'),
  'PARENT_REVOKED: a delegation it depends on was revoked.',
)
export type DelegationState = Static<typeof DelegationState>

/** A stored token. Fields outside the signature can only reduce its worth. */
export const DelegationLink = Closed({
  token_id: described(Hash, 'Hash of the token.'),
  token: described(DelegationToken, 'The delegation as signed.'),
  public_key: described(PublicKey, 'Key that signed it.'),
  /** How the delegator came to this key, unless it is its first. */
  key_events: Type.Optional(
    described(
      ListOf(KeyEvent, 1, key_events_max),
      'How the delegator came to that key; absent: it is its first.',
    ),
  ),
  parent_token: Type.Optional(
    described(Hash, "Delegation it passes on; absent: the delegator's own capabilities."),
  ),
  state: DelegationState,
  issued_at: described(Timestamp, 'When it was made.'),
  /** The delegator proved possession of its key when delegating. */
  challenged: Type.Boolean({ description: 'Whether the delegator answered a challenge for it.' }),
})
export type DelegationLink = Static<typeof DelegationLink>

/** A delegator's rules in force. Version 0: none were ever set. */
export const DelegationPolicy = Closed({
  did: described(Did, 'Whose policy it is.'),
  rules: described(
    DelegationRules,
    'What this identity never delegates, and under which conditions it does.',
  ),
  version: Type.Integer({ minimum: 0, description: 'Grows with each change; 0: none was set.' }),
  in_force_from: Type.Optional(described(Timestamp, 'When it was set; absent: never.')),
})
export type DelegationPolicy = Static<typeof DelegationPolicy>

/** Links from the first delegator down, with the rules of all delegators. */
export const StoredChain = Closed({
  links: described(
    ListOf(DelegationLink, 1, chain_links_max),
    'From the newest token to the first delegator.',
  ),
  policies: described(ListOf(DelegationPolicy, 0, chain_links_max), 'Policies of the delegators.'),
})
export type StoredChain = Static<typeof StoredChain>

/** Why the delegator did not sign this link; undefined where it did. This is the costly part, and its result never changes. */
export function forgeryIn({ token_id, token, public_key, key_events }: DelegationLink): string | undefined {
  if (!hasId(token, token_id)) return 'the id is of another token'
  if (!isEverKeyOf(token.from_did, public_key, key_events)) return 'public key does not match DID'
  return isSignedBy(public_key, tokenInput(token), token.signature) ? undefined : 'signature invalid'
}

/** False also for a token without a canonical form, such as with half a character in a caveat: nobody signed that. */
export function hasId(token: DelegationToken, token_id: string): boolean {
  try {
    return tokenId(token) === token_id
  } catch {
    return false
  }
}

/** Why these links do not form a chain; undefined where they do. */
export function faultIn(links: readonly DelegationLink[]): string | undefined {
  const [first] = links
  if (!first) return 'it is empty'
  if (links.length > chain_links_max) return `it has more than ${chain_links_max} links`
  if (first.parent_token !== undefined) return 'its first link has a parent'
  const met = new Set([first.token.from_did])
  for (const [index, { token, parent_token }] of links.entries()) {
    if (parseDid(token.to_did)?.namespace !== parseDid(token.from_did)?.namespace) return 'it crosses tenants'
    if (met.has(token.to_did)) return 'it leads back'
    met.add(token.to_did)
    const parent = links[index - 1]
    if (!parent) continue
    if (parent_token !== parent.token_id || token.from_did !== parent.token.to_did) return 'a link is missing'
    if (token.max_redelegation_depth >= parent.token.max_redelegation_depth) return 'its depth does not fall'
  }
  return undefined
}

export interface Standing {
  /** RFC 3339 UTC. */
  readonly now: string
  /** What the first delegator holds itself now: declared, or carried by its keys. */
  readonly own: readonly AgentCapability[]
  readonly policies: readonly DelegationPolicy[]
  isRevoked(did: string): boolean
}

/** A capability and everyone it comes through, the nearest first. */
export type ChainedCapability = AgentCapability & { readonly chain: readonly ChainLink[] }

export interface Worth {
  readonly held: readonly ChainedCapability[]
  readonly excluded: readonly { readonly name: string; readonly why: Exclusion }[]
}

type Exclusion = 'revoked' | 'expired' | 'over_depth'

const no_rules: DelegationRules = {}

export function rulesOf(policies: readonly DelegationPolicy[], did: string): DelegationRules {
  return policies.find((policy) => policy.did === did)?.rules ?? no_rules
}

/** The capabilities of the last link as far as the whole chain supports them. Signatures and structure are checked before. */
export function worthOf(links: readonly DelegationLink[], standing: Standing): Worth {
  const last = links.at(-1)
  if (!last) return { held: [], excluded: [] }
  const why = exclusionOf(links, standing)
  if (why) return { held: [], excluded: last.token.capabilities.map(({ name }) => ({ name, why })) }
  const { from_did } = links[0]!.token
  let carried: readonly ChainedCapability[] = standing.own.map((capability) => ({
    ...capability,
    chain: [{ holder: from_did, capability }],
  }))
  let above: readonly AgentCapability[] | undefined
  for (const link of links) {
    carried = carry(link, carried, above, rulesOf(standing.policies, link.token.from_did), standing.now)
    above = delegatedBy(link.token)
  }
  const names = new Set(carried.map(({ name }) => name))
  const lost = last.token.capabilities.filter(({ name }) => !names.has(name))
  return { held: carried, excluded: lost.map(({ name }) => ({ name, why: 'revoked' as const })) }
}

/** Why nothing in this chain counts. */
function exclusionOf(links: readonly DelegationLink[], standing: Standing): Exclusion | undefined {
  const { now, policies, isRevoked } = standing
  if (links.some(({ state }) => state === 'REVOKED' || state === 'PARENT_REVOKED')) return 'revoked'
  if (links.some(({ token }) => isRevoked(token.from_did))) return 'revoked'
  for (const [index, { token, state, issued_at }] of links.entries()) {
    const rules = rulesOf(policies, token.from_did)
    const depth = links.length - 1 - index
    if (depth > token.max_redelegation_depth || !allowsDepth(rules, depth)) return 'over_depth'
    // A delegator's rules apply to everyone its authority reaches, not only the first delegate.
    if (!links.slice(index).every((below) => allowsKindOf(rules, below.token.to_did))) return 'revoked'
    const ends = earlier(endOf(rules, issued_at), token.expires_at)
    if (state === 'EXPIRED' || !(Date.parse(ends) > Date.parse(now))) return 'expired'
  }
  return undefined
}

/** What one link passes on of what reaches it. */
function carry(
  { token, token_id, issued_at, challenged }: DelegationLink,
  reaching: readonly ChainedCapability[],
  above: readonly AgentCapability[] | undefined,
  rules: DelegationRules,
  now: string,
): ChainedCapability[] {
  const passed: ChainedCapability[] = []
  for (const delegated of delegatedBy(token)) {
    // The global wildcard cannot be delegated, even by its holder.
    if (delegated.name === global_wildcard) continue
    // A sub-delegation must lie within its parent as both were signed; signing more is void.
    if (above && !isWithin(delegated, above)) continue
    if (forbids(rules, delegated.name) || (!challenged && needsChallenge(rules, delegated.name))) continue
    const bounded = { ...delegated, expires_at: earlier(endOf(rules, issued_at), delegated.expires_at!) }
    const confined = widest(bounded, reaching, now)
    if (!confined) continue
    const link: ChainLink = { holder: token_id, delegator: token.from_did, capability: delegated }
    passed.push({ ...confined, chain: [link, ...confined.chain] })
  }
  return passed
}

/** Of several sources, the one that restricts least: one result each, or chains would multiply. With the chain of its source. */
function widest(
  delegated: AgentCapability,
  sources: readonly ChainedCapability[],
  now: string,
): ChainedCapability | undefined {
  const whole = sources.find((source) => isLive(source, now) && isWithin(delegated, [source]))
  if (whole) return isLive(delegated, now) ? { ...delegated, chain: whole.chain } : undefined
  const left = sources.flatMap((source) => {
    const confined = confine(delegated, source)
    return confined && isLive(confined, now) ? { ...confined, chain: source.chain } : []
  })
  return left.toSorted((one, other) => one.caveats.length - other.caveats.length)[0]
}

function isLive({ expires_at }: AgentCapability, now: string): boolean {
  return expires_at === undefined || Date.parse(expires_at) > Date.parse(now)
}

export const tokens_held_max = 256
const ended_tokens_max = 32
const links_answered_max = (tokens_held_max + ended_tokens_max) * chain_links_max

/** Everything delegated to one identity, with the links above and the rules of all delegators. */
export const StoredHoldings = Closed({
  tokens: described(ListOf(Hash, 0, tokens_held_max + ended_tokens_max), 'Tokens held.'),
  links: described(ListOf(DelegationLink, 0, links_answered_max), 'Each token, with those it depends on.'),
  policies: described(ListOf(DelegationPolicy, 0, links_answered_max), 'Policies of the delegators.'),
})
export type StoredHoldings = Static<typeof StoredHoldings>

/** The links from the first delegator down to this token; undefined where one is missing. */
export function chainTo(
  token_id: string,
  links: ReadonlyMap<string, DelegationLink>,
): DelegationLink[] | undefined {
  const chain: DelegationLink[] = []
  for (let next: string | undefined = token_id; next !== undefined; next = chain[0]?.parent_token) {
    const link = links.get(next)
    if (!link || chain.length === chain_links_max) return undefined
    chain.unshift(link)
  }
  return chain
}
