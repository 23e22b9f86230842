// Whom content may be shared with: one agent by its DID, or a group: everybody whose verified lineage leads to a DID.
import type { ResolvedAgentIdentity } from './identity.ts'

const group_start = 'lineage:'

/** The name of a group: the identity itself, those it created and those that have it as their root. */
export function lineageGroup(did: string): string {
  return `${group_start}${did}`
}

/** The names under which the caller may read what is shared. Without a verified lineage it belongs to no group. */
export function principalsOf(
  caller: Pick<
    ResolvedAgentIdentity,
    'did' | 'human_root_did' | 'creator_did' | 'lineage_verified' | 'revoked'
  >,
): string[] {
  const { did, human_root_did, creator_did, lineage_verified, revoked } = caller
  if (revoked) return []
  const above = lineage_verified ? [creator_did, human_root_did] : []
  const dids = new Set([did, ...above.filter((one) => one !== undefined)])
  return [did, ...Array.from(dids, lineageGroup)]
}
