import type { LineageVerdict } from '../identity/lineage.ts'
import type { Roots } from '../identity/roots.ts'

export interface Lineages {
  /** The descent of an identity as stage 0 sees it, with revocations; undefined where it has no document. */
  of(did: string): Promise<LineageVerdict | undefined>
  /** How many independent roots stand behind these. Refuses more than `roots_asked_max`, and while identities cannot be read. */
  roots(dids: readonly string[]): Promise<Roots>
}
