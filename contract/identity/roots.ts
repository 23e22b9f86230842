// How many independent roots stand behind identities: whoever derives fifty children still has one voice.
import { effectiveRootDid, hasVerifiedLineage, type ResolvedAgentIdentity } from './identity.ts'
import type { LineageVerdict } from './lineage.ts'

/** Bounds the lookups that one question may cause. */
export const roots_asked_max = 1024

/** The person or organization that a verified identity descends from, or itself; undefined where that is not proven. */
export function verifiedRoot(identity: ResolvedAgentIdentity, lineage?: LineageVerdict): string | undefined {
  if (!hasVerifiedLineage(identity)) return undefined
  return lineage?.root_did ?? effectiveRootDid(identity)
}

export interface Roots {
  /** By DID. Identities that are unknown, unproven or revoked are not in it: they count as none. */
  readonly root_of: ReadonlyMap<string, string>
  /** Number of different roots. */
  readonly independent: number
}

export function rootsBehind(roots: Iterable<readonly [did: string, root: string | undefined]>): Roots {
  const root_of = new Map<string, string>()
  for (const [did, root] of roots) if (root !== undefined) root_of.set(did, root)
  return { root_of, independent: new Set(root_of.values()).size }
}

/** What each of these counts: those of one root share one voice equally, and without a root there is none. */
export function voiceShares(roots: readonly (string | undefined)[]): number[] {
  const members = new Map<string, number>()
  for (const root of roots) if (root !== undefined) members.set(root, (members.get(root) ?? 0) + 1)
  return roots.map((root) => (root === undefined ? 0 : 1 / members.get(root)!))
}
