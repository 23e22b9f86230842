// Why somebody may do something: every path of authority, and the one a call would use.

import type { Grant } from '../authority/capability.ts'
import type { DelegationState } from '../authority/delegation-chain.ts'
import type { ResolvedAgentIdentity } from '../identity/identity.ts'

export interface AccessQuestion {
  readonly did: string
  readonly protocol: string
  readonly operation: string
  /** Where it would be called. */
  readonly target_tenant: string
  /** By which expiry, caveats and treaties are judged; grants are those of now. */
  readonly at_ms: number
}

/** One delegation of a chain, from the first delegator down. */
export interface DelegationStep {
  readonly token_id: string
  readonly from_did: string
  readonly to_did: string
  readonly state: DelegationState
  readonly expires_at: string
}

export const blocked_by = [
  'expired',
  'revoked',
  'over_depth',
  'source_lost',
  'caveat',
  'input',
  'treaty',
  'level',
  'policy',
] as const

/** Why a path cannot be used. */
export interface Blocked {
  readonly by: (typeof blocked_by)[number]
  readonly sentence: string
  readonly caveat?: string
}

export interface AccessPath {
  readonly grant: Pick<Grant, 'name' | 'expires_at' | 'limits' | 'caveats' | 'source' | 'source_ref'>
  /** Of a delegation: whole, from the first delegator. */
  readonly chain?: readonly DelegationStep[]
  /** Absent where the path is usable. */
  readonly blocked?: Blocked
  /** Stage 4 would use this one. */
  readonly used: boolean
}

export interface AccessExplanation {
  readonly identity: ResolvedAgentIdentity
  readonly capability: string
  readonly allowed: boolean
  /** Refused as it is asked here, without a call; some calls would be allowed. */
  readonly depends_on_call: boolean
  /** What the call would be refused with. */
  readonly refusal?: {
    readonly code: string
    readonly reason?: string | undefined
    readonly sentence: string
  }
  /** Of the key that asks about its own identity: what it may spend in a week, and has spent. */
  readonly budget?: { readonly limit_micro_usd: bigint; readonly spent_micro_usd: bigint }
  /** In the order in which stage 4 tries them; those that no longer count are last. */
  readonly paths: readonly AccessPath[]
  /** Of everybody in a chain, as far as documents say. */
  readonly names: ReadonlyMap<string, string>
  /** Departments by their envelope. */
  readonly departments: ReadonlyMap<string, string>
}

/** A delegation that reaches an identity, and what of it does not count any more. */
export interface DelegationPath {
  readonly chain: readonly DelegationStep[]
  readonly excluded: readonly {
    readonly name: string
    readonly why: 'revoked' | 'expired' | 'over_depth' | 'source_lost'
  }[]
}
