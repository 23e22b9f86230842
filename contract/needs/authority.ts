import type { HeldCapability } from '../authority/capability.ts'
import type { ResolvedAgentIdentity } from '../identity/identity.ts'
import type { AccessExplanation, AccessQuestion } from './access.ts'

export interface AuthorityReader {
  /** What the caller may do now with its current credential. */
  ofCaller(): Promise<Holdings>
  /** What another identity of this tenant may do now. */
  of(did: string): Promise<Authority>
  /** Why an identity of this tenant may do something, or not; of the caller, with its current credential. */
  explain(question: AccessQuestion): Promise<AccessExplanation>
  /** Micro-USD spent this ISO week against each `weekly_budget` of an identity's grant, by its caveat. */
  spentInWeek(did: string, grant: HeldCapability): Promise<ReadonlyMap<string, bigint>>
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
