// Draws the panel of a case: reproducible by hash, from arbiters unrelated to either side.

import { parseDid } from '@svc/contract/identity/did'
import { effectiveRootDid, meetsLevel, type ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import { sha256Hex } from '@svc/contract/signing/canonical-json'

const large_claim_micro_usd = 10_000_000_000n

export function panelSize(requested_micro_usd: bigint | null, is_appeal: boolean): 1 | 3 | 5 {
  if (is_appeal) return 5
  return (requested_micro_usd ?? 0n) >= large_claim_micro_usd ? 3 : 1
}

/** Ordered by sha256 of the case id followed by the arbiter's DID. */
export function inDrawOrder(case_id: string, dids: readonly string[]): string[] {
  const drawn = [...new Set(dids)].map((did) => ({ did, lot: sha256Hex(case_id + did) }))
  return drawn.sort((a, b) => (a.lot < b.lot ? -1 : 1)).map(({ did }) => did)
}

/** A tenant shared by both sides excludes nobody; a shared root always does. */
export function isImpartial(
  arbiter: ResolvedAgentIdentity,
  parties: readonly [ResolvedAgentIdentity, ResolvedAgentIdentity],
): boolean {
  const tenants = parties.map(({ did }) => tenantOf(did))
  const is_inside = tenants[0] === tenants[1]
  if (!is_inside && tenants.includes(tenantOf(arbiter.did))) return false
  const near = new Set(parties.flatMap((party) => [party.did, effectiveRootDid(party)]))
  const root = effectiveRootDid(arbiter)
  return !near.has(arbiter.did) && (root === undefined || !near.has(root))
}

export function mayArbitrate(arbiter: ResolvedAgentIdentity): boolean {
  return !arbiter.revoked && arbiter.auth_method !== 'unresolved' && meetsLevel(arbiter, 'L1')
}

export interface Draw {
  readonly case_id: string
  /** All arbiters registered in the venue. */
  readonly registered: readonly string[]
  /** Arbiters of earlier panels in this dispute. */
  readonly sat_before: readonly string[]
  readonly parties: readonly [ResolvedAgentIdentity, ResolvedAgentIdentity]
  readonly size: number
}

/** An arbiter, and the root that stands behind it; without a verified one it cannot sit. */
export interface Candidate {
  readonly identity: ResolvedAgentIdentity
  readonly root_did: string | undefined
}

/** The first eligible arbiters in draw order, of each root one and none of a root that sat before; fewer if there are not enough. */
export async function drawPanel(
  { case_id, registered, sat_before, parties, size }: Draw,
  candidateOf: (did: string) => Promise<Candidate>,
): Promise<string[]> {
  const panel: string[] = []
  const roots = new Set<string>()
  for (const did of sat_before) {
    const { root_did } = await candidateOf(did)
    if (root_did !== undefined) roots.add(root_did)
  }
  for (const did of inDrawOrder(case_id, registered)) {
    if (panel.length === size) break
    if (sat_before.includes(did)) continue
    const { identity, root_did } = await candidateOf(did)
    if (root_did === undefined || roots.has(root_did)) continue
    if (!mayArbitrate(identity) || !isImpartial(identity, parties)) continue
    roots.add(root_did)
    panel.push(did)
  }
  return panel
}

function tenantOf(did: string): string | undefined {
  return parseDid(did)?.namespace
}
