// What is known of a caller and what could not be looked up: a missing answer differs from a denial.
import type { HeldCapability } from '@svc/contract/authority/capability'
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { LineageVerdict } from '@svc/contract/identity/lineage'
import type { Dependency } from '@svc/contract/refusal'

export type Resolution =
  | {
      readonly outcome: 'Resolved'
      readonly identity: ResolvedAgentIdentity
      /** The descent that the identity's depth, creator and root come from; absent without a document. */
      readonly lineage?: LineageVerdict
    }
  | {
      readonly outcome: 'Partial'
      readonly identity: ResolvedAgentIdentity
      readonly lineage?: LineageVerdict
      readonly warnings: readonly string[]
    }
  | { readonly outcome: 'Failed'; readonly reason: string }
  | {
      /** Not a denial: it could not be looked up. */
      readonly outcome: 'Unavailable'
      readonly reason: string
      /** What is unknown: only the document, or also whether it was revoked. */
      readonly unknown: 'document' | 'revocation'
    }

/** Held capabilities, as far as known. */
export interface Effective {
  readonly held: readonly HeldCapability[]
  /** What could not be looked up and might grant more: a caller that needs more gets `unavailable`, not a denial. */
  readonly unknown?: Dependency
}
