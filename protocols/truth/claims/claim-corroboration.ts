// Support of a claim: who agrees, who contradicts, and their pooled confidence.
import { roots_asked_max } from '@svc/contract/identity/roots'
import type { OperationContext } from '@svc/contract/operation-context'
import { normalise, poolLog } from '../opinions/api.ts'
import { weightOf } from './argumentation.ts'
import { weightsOn } from './claim-standing.ts'
import { type ClaimRow, findRebutting, findSaying } from './claim-store.ts'

export interface Corroboration {
  /** Independent roots, other than its issuer's, whose identities make the same claim. */
  readonly supports: number
  /** Independent roots, other than its issuer's, whose identities make claims that exclude it. */
  readonly refutes: number
  readonly posterior: number
}

type Held = Pick<ClaimRow, 'claim_id' | 'issuer_did' | 'topic' | 'said_key' | 'confidence'>

export async function corroborate(
  context: OperationContext<'lineages'>,
  claim: Held,
): Promise<Corroboration & { readonly against: readonly string[] }> {
  const saying = await findSaying(context, claim.said_key)
  const rebutting = await findRebutting(context, claim.claim_id)
  const { root_of } = await context.lineages.roots(issuersOf(claim, saying, rebutting))
  const voices = voicesOf(claim, saying, rebutting, root_of)
  const sources = [...voices.keys()]
  const judged = await weightsOn(context, [claim.topic], sources)
  const weights = normalise(sources.map((source) => weightOf(judged, claim.topic, source)))
  const [posterior] = poolLog(
    [...voices.values()].map(({ p }) => [p, 1 - p]),
    weights,
  )
  const others = sources.filter((source) => source !== claim.issuer_did)
  const isFor = (source: string) => voices.get(source)!.is_for
  return {
    supports: others.filter(isFor).length,
    refutes: others.filter((source) => !isFor(source)).length,
    posterior: posterior!,
    against: rebutting.map(({ claim_id }) => claim_id).sort(),
  }
}

interface Voice {
  readonly p: number
  readonly is_for: boolean
}

/** The claim's own first: of more issuers than are looked up at once, the rest are left out. */
function issuersOf(claim: Held, ...others: (readonly ClaimRow[])[]): string[] {
  const issuers = others.flat().sort(newestFirst)
  return [...new Set([claim.issuer_did, ...issuers.map(({ issuer_did }) => issuer_did)])].slice(
    0,
    roots_asked_max,
  )
}

function newestFirst(a: ClaimRow, b: ClaimRow): number {
  return b.attested_at.getTime() - a.attested_at.getTime()
}

/**
 * Each root counts once, by the newest claim of its identities; the issuer's by this claim. Issuers without a verified root do not count.
 * A rival answer counts as doubt.
 */
function voicesOf(
  claim: Held,
  saying: readonly ClaimRow[],
  rebutting: readonly ClaimRow[],
  root_of: ReadonlyMap<string, string>,
) {
  const counted = new Set([root_of.get(claim.issuer_did)])
  const voices = new Map<string, Voice>([[claim.issuer_did, { p: claim.confidence, is_for: true }]])
  const all = [
    ...saying.map((row) => ({ row, is_for: true })),
    ...rebutting.map((row) => ({ row, is_for: false })),
  ]
  all.sort((a, b) => newestFirst(a.row, b.row))
  for (const { row, is_for } of all) {
    const root = root_of.get(row.issuer_did)
    if (root === undefined || counted.has(root) || voices.has(row.issuer_did)) continue
    counted.add(root)
    voices.set(row.issuer_did, { p: is_for ? row.confidence : 1 - row.confidence, is_for })
  }
  return voices
}
