// Support of a claim: who agrees, who contradicts, and their pooled confidence.
import { roots_asked_max } from '@svc/contract/identity/roots'
import type { OperationContext } from '@svc/contract/operation-context'
import { readContents } from '../../cognition/content/api.ts'
import { normalise, poolLog } from '../opinions/api.ts'
import { weightOf } from './argumentation.ts'
import { type ClaimDocument, claimRef } from './claim-document.ts'
import { weightsOn } from './claim-standing.ts'
import { type ClaimRow, findRebutting, findSaying } from './claim-store.ts'

export interface Corroboration {
  /** Independent roots, other than its issuer's, whose identities make the same claim. */
  readonly supports: number
  /** Independent roots, other than its issuer's, whose identities make claims that exclude it. */
  readonly refutes: number
  /** Roots that are in neither: they only repeat evidence, or rest on claims, that count already. */
  readonly copies: number
  readonly posterior: number
}

type Held = Pick<ClaimRow, 'claim_id' | 'issuer_did' | 'topic' | 'said_key' | 'confidence'>

export async function corroborate(
  context: OperationContext<'lineages' | 'vault'>,
  claim: Held,
): Promise<Corroboration & { readonly against: readonly string[] }> {
  const saying = await findSaying(context, claim.said_key)
  const rebutting = await findRebutting(context, claim.claim_id)
  const { root_of } = await context.lineages.roots(issuersOf(claim, saying, rebutting))
  const { voices, copies } = await original(context, claim, voicesOf(claim, saying, rebutting, root_of))
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
    copies,
    posterior: posterior!,
    against: rebutting.map(({ claim_id }) => claim_id).sort(),
  }
}

interface Voice {
  readonly p: number
  readonly is_for: boolean
  readonly row: Pick<ClaimRow, 'claim_id'>
  /** The claim itself comes first, whenever it was made. */
  readonly at: number
}

/**
 * Of claims on one side that rest on the same evidence, or on each other, the oldest counts: whoever repeats it adds nothing. Each needs
 * one piece of evidence that those before it do not have; a claim without any for it is its issuer's word.
 */
async function original(
  context: OperationContext<'vault'>,
  claim: Held,
  all: ReadonlyMap<string, Voice>,
): Promise<{ voices: Map<string, Voice>; copies: number }> {
  const refs = [...all.values()].map(({ row }) => claimRef(row.claim_id))
  const contents = all.size > 1 ? await readContents(context, refs) : new Map()
  const hashes_of = { for: new Set<string>(), against: new Set<string>() }
  const voices = new Map<string, Voice>()
  const oldest = [...all].sort(([, a], [, b]) => a.at - b.at || (a.row.claim_id < b.row.claim_id ? -1 : 1))
  for (const [issuer, voice] of oldest) {
    const document = contents.get(claimRef(voice.row.claim_id))?.body as ClaimDocument | undefined
    const hashes = (document?.evidence ?? [])
      .filter(({ stance }) => stance === 'supports')
      .map(({ hash }) => hash)
    const counted = voice.is_for ? hashes_of.for : hashes_of.against
    const is_copy = hashes.length > 0 && hashes.every((hash) => counted.has(hash))
    // A claim can be evidence itself.
    for (const hash of [...hashes, voice.row.claim_id]) counted.add(hash)
    if (issuer === claim.issuer_did || !is_copy) voices.set(issuer, voice)
  }
  return { voices, copies: all.size - voices.size }
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
  const own = { p: claim.confidence, is_for: true, row: claim, at: -Infinity }
  const voices = new Map<string, Voice>([[claim.issuer_did, own]])
  const all = [
    ...saying.map((row) => ({ row, is_for: true })),
    ...rebutting.map((row) => ({ row, is_for: false })),
  ]
  all.sort((a, b) => newestFirst(a.row, b.row))
  for (const { row, is_for } of all) {
    const root = root_of.get(row.issuer_did)
    if (root === undefined || counted.has(root) || voices.has(row.issuer_did)) continue
    counted.add(root)
    const p = is_for ? row.confidence : 1 - row.confidence
    voices.set(row.issuer_did, { p, is_for, row, at: row.attested_at.getTime() })
  }
  return voices
}
