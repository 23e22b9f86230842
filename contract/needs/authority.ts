import type { HeldCapability } from '../authority/capability.ts'
import type { ResolvedAgentIdentity } from '../identity/identity.ts'

export interface AuthorityReader {
  /** What the caller may do now with its current credential. */
  ofCaller(): Promise<Holdings>
  /** What another identity of this tenant may do now. */
  of(did: string): Promise<Authority>
  /** Micro-USD an identity has spent this ISO week under a grant of this name. */
  spentInWeek(did: string, capability: string): Promise<bigint>
}

export interface Holdings {
  readonly identity: ResolvedAgentIdentity
  readonly held: readonly HeldCapability[]
}

/** Including capabilities that no longer count, and why. */
export interface Authority extends Holdings {
  readonly excluded: readonly {
    readonly name: string
    readonly why: 'revoked' | 'expired' | 'over_depth'
  }[]
}
