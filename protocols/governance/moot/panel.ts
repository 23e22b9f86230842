// Draws the panel of a case. Anyone can repeat it from what was fixed on filing and a later checkpoint of the venue.

import { parseDid } from '@svc/contract/identity/did'
import { effectiveRootDid, meetsLevel, type ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import { contentHash, sha256Hex } from '@svc/contract/signing/canonical-json'

const large_claim_micro_usd = 10_000_000_000n

export function panelSize(requested_micro_usd: bigint | null, is_appeal: boolean): 1 | 3 | 5 {
  if (is_appeal) return 5
  return (requested_micro_usd ?? 0n) >= large_claim_micro_usd ? 3 : 1
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

/** An arbiter, and the root that stands behind it. */
export interface Arbiter {
  readonly did: string
  readonly root_did: string
}

/** Without a verified root, nobody can sit. */
export interface Candidate {
  readonly identity: ResolvedAgentIdentity
  readonly root_did: string | undefined
}

export interface Eligibility {
  readonly candidates: readonly Candidate[]
  /** Roots of the arbiters who sat in this dispute before. */
  readonly sat_roots: ReadonlySet<string | undefined>
  readonly parties: readonly [ResolvedAgentIdentity, ResolvedAgentIdentity]
  readonly party_roots: ReadonlySet<string | undefined>
}

/** Who may sit, by DID: the list does not depend on the order in which they registered. */
export function eligibleArbiters({ candidates, sat_roots, parties, party_roots }: Eligibility): Arbiter[] {
  return candidates
    .flatMap(({ identity, root_did }) => {
      if (root_did === undefined || sat_roots.has(root_did) || party_roots.has(root_did)) return []
      if (!mayArbitrate(identity) || !isImpartial(identity, parties)) return []
      return [{ did: identity.did, root_did }]
    })
    .sort((a, b) => (a.did < b.did ? -1 : 1))
}

export function rootsAmong(arbiters: readonly Arbiter[]): number {
  return new Set(arbiters.map(({ root_did }) => root_did)).size
}

export interface DrawBasis {
  readonly case_id: string
  readonly seats: number
  readonly eligible: readonly Arbiter[]
  readonly follows: string | null
}

/** In the record of the filing, so that nothing can be changed once the checkpoint is known. */
export function eligibleHash({ case_id, seats, eligible, follows }: DrawBasis): string {
  return contentHash({ case_id, seats, eligible, follows })
}

/** The first three lines of a signed checkpoint: what its signature covers. */
export function signedText(note: string): string {
  return note.slice(0, note.indexOf('\n\n') + 1)
}

/**
 * Everybody who may sit, one of each root. First those of the earlier draw who still may, in its order; then by lot.
 * Lots are of roots: who registers more agents of one root has no better chance.
 */
export function drawOrder(
  { eligible_hash, eligible }: { readonly eligible_hash: string; readonly eligible: readonly Arbiter[] },
  checkpoint: string,
  earlier_order: readonly string[] = [],
): string[] {
  const seed = sha256Hex(`${eligible_hash}\n${checkpoint}`)
  const root_of = new Map(eligible.map(({ did, root_did }) => [did, root_did]))
  const lot = (name: string) => sha256Hex(seed + name)
  const byLot = (a: string, b: string) => (lot(a) < lot(b) ? -1 : 1)
  const drawn = [...root_of.keys()].sort(
    (a, b) =>
      byLot(root_of.get(a)!, root_of.get(b)!) * Number(root_of.get(a) !== root_of.get(b)) || byLot(a, b),
  )
  const order = new Map<string, string>()
  for (const did of [...earlier_order, ...drawn]) {
    const root_did = root_of.get(did)
    if (root_did !== undefined && !order.has(root_did)) order.set(root_did, did)
  }
  return [...order.values()]
}

function tenantOf(did: string): string | undefined {
  return parseDid(did)?.namespace
}
