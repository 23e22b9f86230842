// Capability names and what covers what. Exact name, the protocol's wildcard, the global wildcard; nothing in between.
import { type Static, Type } from 'typebox'
import { Closed, described, ListOf, Text, Timestamp } from '../schema.ts'

export const CapabilityLimits = Closed({
  max_per_call_bps: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10000, description: 'Basis points of the tenant budget per call.' }),
  ),
  max_per_hour: Type.Optional(Type.Integer({ minimum: 0, description: 'Calls per hour.' })),
  max_tokens: Type.Optional(Type.Integer({ minimum: 0, description: 'Hard token ceiling per call.' })),
})
export type CapabilityLimits = Static<typeof CapabilityLimits>

export const AgentCapability = Closed({
  name: Type.String({
    maxLength: 128,
    description: 'Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol.',
  }),
  expires_at: Type.Optional(described(Timestamp, 'When it ends; absent: it does not end by itself.')),
  limits: Type.Optional(described(CapabilityLimits, 'Bounds on use; absent: none.')),
  caveats: described(
    ListOf(Text(200), 0, 16),
    'Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold.',
  ),
})
export type AgentCapability = Static<typeof AgentCapability>

/** A capability with its source: the identity document, the key, a delegation, a grant or a person's role. */
export interface HeldCapability extends AgentCapability {
  readonly source: 'declared' | 'key' | 'delegation' | 'treaty' | 'envelope' | 'role'
  /** The delegation token, treaty, envelope, or name of the role. */
  readonly source_ref?: string
  /** Set for a treaty grant: usage counts for the whole organization against the treaty's line. */
  readonly treaty?: {
    readonly root_id: string
    readonly rate_limits: { readonly per_hour?: number; readonly per_day?: number }
  }
  /** Set for a delegated capability: its own token first, the first delegator last. The limits of each count all use below it. */
  readonly chain?: readonly ChainLink[]
}

/** One holder in the chain of a delegation. */
export interface ChainLink {
  /** The id of a token, or the DID of the first delegator. */
  readonly holder: string
  /** Who signed the token; absent for the first delegator itself. */
  readonly delegator?: string
  /** As signed in the token, or as the first delegator holds it. */
  readonly capability: AgentCapability
}

/** Whose limits a call under this grant counts against. */
export function linksOf(grant: Omit<HeldCapability, 'source'>, did: string): readonly ChainLink[] {
  return grant.chain ?? [{ holder: did, capability: grant }]
}

/** Declared or carried by a key, so held independently of others: it may be passed on permanently. */
export function isOwn({ source }: Pick<HeldCapability, 'source'>): boolean {
  return source === 'declared' || source === 'key'
}

export function unexpired<Capability extends AgentCapability>(
  capabilities: readonly Capability[],
  now: string,
): Capability[] {
  const now_ms = Date.parse(now)
  return capabilities.filter(({ expires_at }) => expires_at === undefined || Date.parse(expires_at) > now_ms)
}

/** The capability that admitted a call; none where the operation needs no capability. */
export type Grant = Omit<HeldCapability, 'source'> & { readonly source: HeldCapability['source'] | 'open' }

export const global_wildcard = 'svc.*.*'

/** The one name outside the scheme (spec): compiling a recipe with a model. It is not an operation, so no wildcard covers it. */
export const recipe_llm_compile = 'recipe-llm-compile'

// `pre-release` is the only name with a hyphen: not an operation, but the right to use unstable versions (spec).
const name_form = /^svc\.([a-z]+)\.([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*|pre-release|\*)$/

const role_form = /^svc\.role\.[a-z][a-z0-9_]*$/

/** The capability a call requires. An operation name may contain dots (`charter.declare`). */
export function capabilityFor(protocol_id: string, operation: string): string {
  return `svc.${protocol_id.toLowerCase()}.${operation}`
}

export function protocolWildcard(protocol_id: string): string {
  return `svc.${protocol_id.toLowerCase()}.*`
}

/** The names that grant `capability`, in the order stage 4 tries them. */
export function namesThatGrant(capability: string): readonly string[] {
  // No wildcard makes its holder one who approves: a role is held by its own name.
  if (capability === recipe_llm_compile || role_form.test(capability)) return [capability]
  const parts = name_form.exec(capability)
  if (!parts) return []
  return [capability, `svc.${parts[1]}.*`, global_wildcard]
}

/** Whether one held name covers another. `svc.*` and `svc.*.read` are not names, so they cover nothing. */
export function covers(held_name: string, name: string): boolean {
  if (name === global_wildcard) return held_name === global_wildcard
  return namesThatGrant(name).includes(held_name)
}

/** For what belongs to whoever runs the engine: no role of an organization reaches it. */
export function coversForOperator(grant: Pick<HeldCapability, 'name' | 'source'>, name: string): boolean {
  return grant.source !== 'role' && covers(grant.name, name)
}

export function isCapabilityName(name: string): boolean {
  return name === global_wildcard || name === recipe_llm_compile || name_form.test(name)
}
