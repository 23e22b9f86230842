// The sources of a draft and the citations of an artifact, in their current state.
import { replayRecord } from '@svc/audit/query/replay'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal } from '@svc/contract/refusal'
import { isContentAddressed, readContents, type StoredContent } from '../../cognition/content/api.ts'
import { requireModel } from '../../cognition/marc/api.ts'
import {
  claimIdIn,
  claimRef,
  findClaim,
  findRebutting,
  hashOf,
  hiddenFrom,
  recordNamed,
  releaseDue,
} from '../../truth/claims/api.ts'
import { isForeign, mayRead } from './artifact-access.ts'
import { digestIn, findArtifact, supersededAmong } from './artifact-store.ts'

const against_told_max = 20

// biome-ignore format: a list of words
export const source_states = [
  'valid', 'contested', 'superseded', 'rejected', 'retracted', 'redacted',
] as const
export type SourceState = (typeof source_states)[number]

export interface SeenSource {
  readonly ref: string
  readonly state: SourceState
  /** Absent if it has no versions. */
  readonly version?: number
  /** Its own hash if it is named by that, otherwise the salted hash made when it was stored. */
  readonly digest: { readonly sha256?: string; readonly saltedSha256?: string }
  /** Valid claims against it. */
  readonly against?: readonly string[]
}

/** The sources that exist and that this caller may see. */
export async function seeSources(
  context: OperationContext<'audit_log' | 'compute' | 'embedder' | 'vault'>,
  refs: readonly string[],
): Promise<Map<string, SeenSource>> {
  const distinct = [...new Set(refs)]
  if (distinct.some((ref) => ref.startsWith('max://'))) await context.audit_log.settled()
  if (distinct.some((ref) => claimIdIn(ref) !== undefined)) await releaseDue(context)
  const hidden = await hiddenFrom(context, distinct)
  const visible = distinct.filter((ref) => !hidden.has(ref))
  const contents = await readContents(context, visible)
  const superseded = await supersededAmong(context, visible)
  const sources = new Map<string, SeenSource>()
  for (const ref of visible) {
    const content = contents.get(ref)
    if (!(await isShown(context, ref, content))) continue
    const source = content ? await seeContent(context, content, superseded) : await seeOther(context, ref)
    if (source) sources.set(ref, source)
  }
  return sources
}

async function isShown(
  context: OperationContext,
  ref: string,
  content: StoredContent | undefined,
): Promise<boolean> {
  if (!isForeign(context) || (content && mayRead(context, content))) return true
  const digest = digestIn(ref)
  const artifact = digest === undefined ? undefined : await findArtifact(context, digest)
  return artifact !== undefined && artifact.visibility !== 'tenant'
}

async function seeContent(
  context: OperationContext,
  content: StoredContent,
  superseded: ReadonlySet<string>,
): Promise<SeenSource> {
  const { ref, version } = content
  const named = isContentAddressed(ref) ? 'sha256' : 'saltedSha256'
  const source = { ref, version, digest: { [named]: hashOf(content) } }
  if (content.status === 'redacted') return { ...source, state: 'redacted' }
  const claim_id = claimIdIn(ref)
  if (claim_id === undefined) return { ...source, state: superseded.has(ref) ? 'superseded' : 'valid' }
  const state = await stateOfClaim(context, claim_id)
  if (state !== 'rejected') return { ...source, state }
  const rivals = await findRebutting(context, claim_id)
  const standing = rivals.filter(({ status }) => status === 'accepted').slice(0, against_told_max)
  return { ...source, state, against: standing.map((rival) => claimRef(rival.claim_id)) }
}

async function stateOfClaim(context: OperationContext, claim_id: string): Promise<SourceState> {
  const claim = await findClaim(context, claim_id)
  if (!claim) return 'valid'
  if (claim.retracted) return 'retracted'
  if (claim.status === 'rejected' || claim.status === 'superseded') return claim.status
  return claim.status === 'accepted' ? 'valid' : 'contested'
}

/** Audit records and models, which are not stored as content. */
async function seeOther(context: OperationContext, ref: string): Promise<SeenSource | undefined> {
  const record = recordNamed(ref, context.tenant_id)
  if (record) {
    const replayed_record = await replayRecord(context.db, record.owner, record.hash)
    return replayed_record && { ref, state: 'valid', digest: { sha256: record.hash } }
  }
  const [, model_hash] = /^marc:\/\/model\/([0-9a-f]{64})$/.exec(ref) ?? []
  if (model_hash === undefined) return undefined
  try {
    await requireModel(context, ref)
    return { ref, state: 'valid', digest: { sha256: model_hash } }
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
