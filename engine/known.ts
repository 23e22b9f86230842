// What is known of a caller, and what could not be asked: an answer that is missing is told apart from one that says no.
import type { HeldCapability } from '@svc/contract/authority/capability'
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { Dependency } from '@svc/contract/refusal'

export type Resolution =
  | { readonly outcome: 'Resolved'; readonly identity: ResolvedAgentIdentity }
  | {
      readonly outcome: 'Partial'
      readonly identity: ResolvedAgentIdentity
      readonly warnings: readonly string[]
    }
  | { readonly outcome: 'Failed'; readonly reason: string }
  | {
      /** Nobody said that there is none: it could not be asked for. */
      readonly outcome: 'Unavailable'
      readonly reason: string
      /** What remains unknown: its document alone, or also whether it was revoked. */
      readonly unknown: 'document' | 'revocation'
    }

/** What is held as far as it is known. */
export interface Effective {
  readonly held: readonly HeldCapability[]
  /** What could not be asked, and could have granted more: who needs more is told so, and not denied. */
  readonly unknown?: Dependency
}
