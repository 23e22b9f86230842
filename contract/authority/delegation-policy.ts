// A delegator's rules for everything delegated in its name: they bind new and existing delegations.
import { type Static, Type } from 'typebox'
import { AgentEntityKind, unresolved } from '../identity/identity.ts'
import { CapabilityName, Closed, described, ListOf } from '../schema.ts'
import { covers } from './capability.ts'
import { redelegation_depth_max } from './delegation-depth.ts'
import { delegation_days_max } from './delegation-token.ts'

const rule_names_max = 64

export const DelegationRules = Closed(
  {
    max_depth: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: redelegation_depth_max,
        description: 'How many times a delegated capability may be delegated further.',
      }),
    ),
    max_ttl_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: delegation_days_max * 86_400,
        description: 'How long a delegation may last.',
      }),
    ),
    never: Type.Optional(
      described(ListOf(CapabilityName, 0, rule_names_max), 'Capabilities that are never delegated.'),
    ),
    require_challenge: Type.Optional(
      described(
        ListOf(CapabilityName, 0, rule_names_max),
        'Capabilities that are delegated only with an answered challenge.',
      ),
    ),
    allow_kinds: Type.Optional(
      described(
        ListOf(AgentEntityKind, 0, rule_names_max),
        'Kinds of identity that may receive; absent: all.',
      ),
    ),
  },
  { description: 'Rules for delegations in my name; an absent field restricts nothing.' },
)
export type DelegationRules = Static<typeof DelegationRules>

/** Delegating `svc.mind.*` delegates everything under it, so a rule about either name applies to both. */
function touches(names: readonly string[] | undefined, capability: string): boolean {
  return names?.some((name) => covers(name, capability) || covers(capability, name)) ?? false
}

export function forbids(rules: DelegationRules, capability: string): boolean {
  return touches(rules.never, capability)
}

export function needsChallenge(rules: DelegationRules, capability: string): boolean {
  return touches(rules.require_challenge, capability)
}

/** The kind is part of the DID, and a document with another kind is rejected, so no lookup is needed. */
export function allowsKindOf(rules: DelegationRules, did: string): boolean {
  return rules.allow_kinds?.includes(unresolved(did).entity_kind) ?? true
}

export function allowsDepth(rules: DelegationRules, depth: number): boolean {
  return depth <= (rules.max_depth ?? redelegation_depth_max)
}

/** When a delegation made now expires under these rules; undefined where they set no end. */
export function endOf(rules: DelegationRules, issued_at: string): string | undefined {
  if (rules.max_ttl_seconds === undefined) return undefined
  return new Date(Date.parse(issued_at) + rules.max_ttl_seconds * 1000).toISOString()
}

/** Whether new rules allow anything the old ones did not. */
export function isLooser(next: DelegationRules, before: DelegationRules): boolean {
  const infinite = Number.POSITIVE_INFINITY
  const dropped = (of: 'never' | 'require_challenge') =>
    (before[of] ?? []).some((name) => !(next[of] ?? []).some((next_name) => covers(next_name, name)))
  return (
    (next.max_depth ?? infinite) > (before.max_depth ?? infinite) ||
    (next.max_ttl_seconds ?? infinite) > (before.max_ttl_seconds ?? infinite) ||
    dropped('never') ||
    dropped('require_challenge') ||
    (before.allow_kinds !== undefined &&
      !(next.allow_kinds?.every((kind) => before.allow_kinds?.includes(kind)) ?? false))
  )
}
