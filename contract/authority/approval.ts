// Consent of others to one call: who must give it, as policies, caveats and tools write it, and whether it is given.
import type { ResolvedAgentIdentity } from '../identity/identity.ts'
import { effectiveRootDid } from '../identity/identity.ts'
import type { HeldCapability } from './capability.ts'
import { isCaveatSatisfied } from './caveat.ts'
import { roleCapability } from './role.ts'

export const approval_states = ['PENDING', 'APPROVED', 'USED', 'REFUSED', 'EXPIRED'] as const
export type ApprovalState = (typeof approval_states)[number]

/** One rule that wants consent to a call. */
export interface Demand {
  /** The organization whose rule it is: its people decide. */
  readonly tenant_id: string
  /** As written: `2 of role:finance,anna`. */
  readonly who: string
  readonly by: 'policy' | 'caveat' | 'tool'
  /** `maxim://<id>@<version>`, the name of the grant, or the tool's id. */
  readonly ref: string
}

/** A demand with its names looked up. */
export interface AskedConsent extends Omit<Demand, 'tenant_id'> {
  readonly count: number
  readonly roles: readonly string[]
  readonly dids: readonly string[]
  /** For people to read. */
  readonly names: readonly string[]
}

/** What a call is, for those who decide on it, and for finding it again. */
export interface ApprovalRequest {
  /** The organization that decides. */
  readonly tenant_id: string
  readonly caller: ResolvedAgentIdentity
  readonly caller_tenant: string
  readonly protocol: string
  readonly operation: string
  readonly version: string
  readonly target_tenant: string
  /** Of caller, operation, major version, target, input and demands: an approval counts for exactly this. */
  readonly call_hash: string
  readonly input_hash: string
  readonly input_bytes: number
  /** Absent where it is not retained, or too long. */
  readonly input_text?: string | undefined
  /** Names and types of the input's fields. */
  readonly input_shape: Readonly<Record<string, string>>
  readonly cost_micro_usd: bigint
  readonly effects: ApprovalEffects
  readonly demands: readonly Demand[]
  readonly record_id: string
  readonly correlation_id: string
  readonly idempotency_key?: string | undefined
  readonly at: Date
}

/** What the call would do, by its dry run. */
export interface ApprovalEffects {
  readonly summary: string
  readonly effect: 'read' | 'write'
  /** It has effects that cannot be rolled back. */
  readonly acts_outside: boolean
  readonly dry_run: {
    readonly verdict: 'allowed' | 'refused'
    readonly stages: readonly { readonly stage: number; readonly name: string; readonly verdict: string }[]
  }
}

export interface MissingConsent {
  readonly state: 'pending' | 'refused'
  /** Null where a dry run looked and nobody was asked yet. */
  readonly approval_id: string | null
  /** Who can give it, for people to read. */
  readonly who: readonly string[]
  readonly expires_at: string
}

export type ApprovalAnswer =
  /** This call has used it, or an earlier one with the same idempotency key, whose answer may be replayed. */
  { readonly state: 'used' | 'replay'; readonly approval_id: string } | MissingConsent

/** Identities that count as the same: consent of one to a call of another is the caller's own. */
export function kinOf(identity: ResolvedAgentIdentity): readonly string[] {
  const kin = [identity.did, effectiveRootDid(identity), identity.creator_did]
  return [...new Set(kin.filter((did) => did !== undefined))]
}

export function isKin(some: readonly string[], others: readonly string[]): boolean {
  return some.some((did) => others.includes(did))
}

/**
 * The one place that says what a role is: a capability of this exact name, so that no wildcard over protocols makes its holder one who
 * approves.
 */
export function holdsRole(
  capabilities: readonly Pick<HeldCapability, 'name' | 'caveats' | 'expires_at'>[],
  role: string,
  now: Date,
): boolean {
  return capabilities.some(
    ({ name, caveats, expires_at }) =>
      name === roleCapability(role) &&
      (expires_at === undefined || Date.parse(expires_at) > now.getTime()) &&
      caveats.every((caveat) => isCaveatSatisfied(caveat, { now })),
  )
}

export interface Consenting {
  readonly did: string
  readonly kin: readonly string[]
  /** The demands it counts for, by their place. */
  readonly counts_for: readonly number[]
}

/** Whether every demand has the consent of as many people as it names: identities of one root are one. */
export function isConsented(demands: readonly { readonly count: number }[], given_by: readonly Consenting[]) {
  return demands.every(({ count }, place) => {
    const people: Consenting[] = []
    for (const one of given_by) {
      if (!one.counts_for.includes(place)) continue
      if (!people.some((other) => isKin(one.kin, other.kin))) people.push(one)
    }
    return people.length >= count
  })
}
