// Support of a claim: who agrees, who contradicts, and their pooled confidence.
import type { OperationContext } from '@svc/contract/operation-context'
import { normalise, poolLog } from '../opinions/api.ts'
import { weightOf } from './argumentation.ts'
import { weightsOn } from './claim-standing.ts'
import { type ClaimRow, findRebutting, findSaying } from './claim-store.ts'

export interface Corroboration {
  /** Other issuers of the same claim. */
  readonly supports: number
  /** Issuers of claims that exclude it. */
  readonly refutes: number
  readonly posterior: number
}

type Held = Pick<ClaimRow, 'claim_id' | 'issuer_did' | 'topic' | 'said_key' | 'confidence'>

export async function corroborate(
  context: OperationContext,
  claim: Held,
): Promise<Corroboration & { readonly against: readonly string[] }> {
  const saying = await findSaying(context, claim.said_key)
  const rebutting = await findRebutting(context, claim.claim_id)
  const voices = voicesOf(claim, saying, rebutting)
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

/** Each issuer counts once, by its newest claim; this one by this claim. A rival answer counts as doubt. */
function voicesOf(claim: Held, saying: readonly ClaimRow[], rebutting: readonly ClaimRow[]) {
  const voices = new Map<string, Voice>([[claim.issuer_did, { p: claim.confidence, is_for: true }]])
  const all = [
    ...saying.map((row) => ({ row, is_for: true })),
    ...rebutting.map((row) => ({ row, is_for: false })),
  ]
  all.sort((a, b) => b.row.attested_at.getTime() - a.row.attested_at.getTime())
  for (const { row, is_for } of all) {
    if (voices.has(row.issuer_did)) continue
    voices.set(row.issuer_did, { p: is_for ? row.confidence : 1 - row.confidence, is_for })
  }
  return voices
}
