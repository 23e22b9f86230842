// Claim status. Every change re-decides the affected dispute, and every flip is reported.
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { indexContent, readContent } from '../../cognition/content/api.ts'
import { any_topic, judgeTopic } from '../opinions/api.ts'
import type { Argument, Label, Weights } from './argumentation.ts'
import { type Dispute, compute as decideDispute } from './argumentation-job.ts'
import { type ClaimDocument, claimRef, textOf } from './claim-document.ts'
import {
  type ClaimRow,
  type ClaimStatus,
  type Component,
  findClaim,
  findClashes,
  findComponent,
  findReleased,
  insertAttacks,
  lockClaims,
  setStatuses,
  setSuperseded,
} from './claim-store.ts'

/** Beyond this, topics use the sources' overall weight. */
const topics_max = 32
/** Up to this many are decided inline; more in a worker thread. */
const attacks_here_max = 1_000
const deciding_ms_max = 8_000
const deciding = computation<Dispute, Map<string, Label>>(new URL('./argumentation-job.ts', import.meta.url))

export interface Flip {
  readonly claim_id: string
  readonly from: ClaimStatus
  readonly to: ClaimStatus
}

export interface Settled {
  readonly statuses: ReadonlyMap<string, Label>
  readonly changed: readonly Flip[]
}

/** Requires the lock. A new claim has no previous status to flip. */
export async function admitClaim(
  context: OperationContext<'compute'>,
  { claim_id, supersedes, question_key }: Pick<ClaimRow, 'claim_id' | 'supersedes' | 'question_key'>,
): Promise<Settled> {
  const replaced = supersedes === null ? undefined : await findClaim(context, supersedes)
  const flips: Flip[] = []
  if (replaced && replaced.status !== 'superseded') {
    await setSuperseded(context, replaced.claim_id, claim_id)
    flips.push(tellFlip(context, { claim_id: replaced.claim_id, from: replaced.status, to: 'superseded' }))
  }
  const clashes = question_key === null ? [] : await findClashes(context, claim_id)
  await insertAttacks(
    context,
    clashes.map((to) => ({ from: claim_id, to, kind: 'rebut', raised_by: null })),
  )
  const seeds = replaced ? [claim_id, replaced.claim_id] : [claim_id]
  const settled = await settleClaims(context, seeds, claim_id)
  return { ...settled, changed: [...flips, ...settled.changed] }
}

/** Admits claims whose embargo has ended, before anything is read. */
export async function releaseDue(context: OperationContext<'compute' | 'embedder' | 'vault'>): Promise<void> {
  if ((await findReleased(context)).length === 0) return
  await lockClaims(context)
  await releaseClaims(context)
}

/** Requires the lock. Admits claims whose embargo has ended, before anything else is decided. */
export async function releaseClaims(
  context: OperationContext<'compute' | 'embedder' | 'vault'>,
): Promise<void> {
  for (const claim of await findReleased(context)) {
    const { claim_id } = claim
    const content = await readContent(context, claimRef(claim_id))
    if (content?.body !== undefined) {
      const index = indexingOf(content.body as ClaimDocument)
      await indexContent(context, { ...content, index })
    }
    await setStatuses(context, new Map([[claim_id, 'undecided']]))
    const { statuses } = await admitClaim(context, claim)
    tellFlip(context, { claim_id, from: 'embargoed', to: statuses.get(claim_id)! })
  }
}

export function indexingOf({ claim }: ClaimDocument) {
  return { namespace: 'claims', text: textOf(claim), vector: true }
}

/** Requires the lock. Re-decides everything connected with these. */
export async function settleClaims(
  context: OperationContext<'compute'>,
  seeds: readonly string[],
  fresh?: string,
): Promise<Settled> {
  const component = await findComponent(context, seeds)
  const statuses = await labelsOf(context, component)
  const flips = [...component.claims.values()]
    .map(({ claim_id, status }): Flip => ({ claim_id, from: status, to: statuses.get(claim_id)! }))
    .filter(({ from, to }) => from !== to)
    .sort((a, b) => (a.claim_id < b.claim_id ? -1 : 1))
  await setStatuses(context, new Map(flips.map(({ claim_id, to }) => [claim_id, to])))
  const changed = flips.filter(({ claim_id }) => claim_id !== fresh)
  for (const flip of changed) tellFlip(context, flip)
  return { statuses, changed }
}

/** A retracted claim no longer argues and is not accepted. */
async function labelsOf(
  context: OperationContext<'compute'>,
  { claims, attacks }: Component,
): Promise<Map<string, Label>> {
  const rows = [...claims.values()]
  const arguing = rows.filter(({ retracted }) => !retracted)
  const sources = [
    ...arguing.map(({ issuer_did }) => issuer_did),
    ...attacks.flatMap((a) => a.raised_by ?? []),
  ]
  const topics = [...new Set(arguing.map(({ topic }) => topic))].sort().slice(0, topics_max)
  const dispute = {
    claims: new Map(arguing.map((row) => [row.claim_id, argumentOf(row)])),
    attacks,
    weights: attacks.length === 0 ? new Map() : await weightsOn(context, topics, sources),
  }
  const labels =
    attacks.length > attacks_here_max
      ? await context.compute(deciding, dispute, deciding_ms_max)
      : decideDispute(dispute)
  for (const { claim_id, retracted } of rows) if (retracted) labels.set(claim_id, 'rejected')
  return labels
}

function argumentOf({ claim_id, issuer_did, topic }: ClaimRow): Argument {
  return { claim_id, issuer_did, topic }
}

/** By topic; topics without any learned weight are omitted. */
export async function weightsOn(
  context: OperationContext,
  topics: readonly string[],
  sources: readonly string[],
): Promise<Weights> {
  const weights = new Map<string, ReadonlyMap<string, number>>()
  for (const topic of new Set([any_topic, ...topics])) {
    const { known, judged } = await judgeTopic(context, topic, sources)
    if (!known && topic !== any_topic) continue
    weights.set(topic, new Map(sources.map((source) => [source, judged.get(source)!.weight])))
  }
  return weights
}

function tellFlip(context: OperationContext, flip: Flip): Flip {
  const { claim_id, from, to } = flip
  context.audit('ClaimStatusChanged', { claim_ref: claimRef(claim_id), from, to })
  return flip
}
