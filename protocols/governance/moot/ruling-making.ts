// Makes a ruling: by a panel's votes, by consent of both parties, or by the votes cast before the deadline.

import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import {
  appeal_ms,
  type Case,
  type CaseSide,
  type Decision,
  keepProgress,
  keepRuling,
  lockCase,
  type Remedy,
  type Ruling,
  type RulingBody,
  rulingIdOf,
  rulingRef,
  storedRemedy,
  tenantsOf,
} from '../cases/api.ts'
import type { StoredVote } from './case-papers.ts'

/** Reasons are included as far as a registry entry can hold them; their hashes always are. */
const reasons_bytes_max = 128 * 1024

export function rulingBody(
  dispute: Case,
  decision: Omit<Decision, 'finding'> & Pick<RulingBody, 'finding'>,
  votes: readonly StoredVote[],
  ruled_at: string,
): RulingBody {
  const { finding, remedy, majority, dissent } = decision
  return {
    v: 1,
    case_id: dispute.case_id,
    claimant_did: dispute.claimant.did,
    respondent_did: dispute.respondent.did,
    venue: dispute.venue,
    finding,
    remedy: remedy && storedRemedy(remedy),
    in_favour_of: favoured(finding),
    panel: dispute.panel,
    majority,
    dissent,
    votes: votes.map(
      ({ arbiter_did, finding: vote_finding, remedy: ordered, reasoning, word, frivolous }) => ({
        arbiter_did,
        finding: vote_finding,
        remedy: ordered && storedRemedy(ordered),
        reasoning_hash: sha256Hex(reasoning),
        public_key: word.public_key,
        signature: word.signature,
        method: word.method,
        ...(frivolous && { frivolous }),
      }),
    ),
    ruled_at,
    ...(isFrivolous(dispute, finding, votes) && { frivolous: true }),
  }
}

/** Only a case that was lost, and only if more than half of the whole panel says so. */
function isFrivolous(
  { panel, filed_by }: Case,
  finding: RulingBody['finding'],
  votes: readonly StoredVote[],
): boolean {
  if (!isLost(filed_by, finding)) return false
  return votes.filter(({ frivolous }) => frivolous).length * 2 > panel.length
}

/** For whoever filed: a claimant its claim, either side its appeal. */
export function isLost(filed_by: CaseSide, finding: RulingBody['finding']): boolean {
  if (finding === 'no_jurisdiction') return true
  return finding === (filed_by === 'claimant' ? 'for_respondent' : 'for_claimant')
}

/** Only a finding for the respondent orders something of the claimant. */
export function favoured(finding: string): CaseSide {
  return finding === 'for_respondent' ? 'respondent' : 'claimant'
}

/** In an arbiter's call: registered, and recorded for all three. */
export async function ruleByVotes(
  context: OperationContext<'register'>,
  dispute: Case,
  decision: Decision,
  votes: readonly StoredVote[],
): Promise<{ ruling: Ruling; after: Case }> {
  const body = rulingBody(dispute, decision, votes, context.now)
  const ruling_id = rulingIdOf(body)
  const mars_ref = await register(context, ruling_id, body, votes)
  const ruling = { ruling_id, body, mars_ref, correlation_id: context.invoke.correlation_id }
  const after = await keepDecided(context.db, dispute, ruling, new Date(context.now))
  context.audit('CaseRuled', rulingChange(after, ruling), { also: tenantsOf(dispute) })
  return { ruling, after }
}

/** Both agreed: executed like a ruling, without appeal. */
export async function ruleByConsent(
  context: OperationContext<'register'>,
  dispute: Case,
  agreed: Remedy,
): Promise<Ruling> {
  const decision = { finding: 'by_consent', remedy: agreed, majority: [], dissent: [] } as const
  const body = rulingBody(dispute, decision, [], context.now)
  const ruling_id = rulingIdOf(body)
  const mars_ref = await register(context, ruling_id, body, [])
  const ruling = { ruling_id, body, mars_ref, correlation_id: context.invoke.correlation_id }
  await keepRuling(context.db, dispute, ruling)
  context.audit('CaseRuled', rulingChange(dispute, ruling), { also: tenantsOf(dispute) })
  return ruling
}

/** The resulting state of the case, and of the case it appealed. */
export async function keepDecided(db: Database, dispute: Case, ruling: Ruling, now: Date): Promise<Case> {
  await keepRuling(db, dispute, ruling)
  const is_decided = ruling.body.finding !== 'no_majority'
  const appeal_until = is_decided && dispute.appeal_of === null ? new Date(now.getTime() + appeal_ms) : now
  const after: Case = { ...dispute, state: is_decided ? 'RULED' : 'CLOSED', appeal_until }
  await keepProgress(db, after, is_decided ? appeal_until : now)
  if (dispute.appeal_of !== null) await endAppealed(db, dispute.appeal_of, is_decided, now)
  return after
}

/** A new decision closes it; if the appeal panel had no majority, the first ruling stands. */
export async function endAppealed(
  db: Database,
  case_id: string,
  is_decided: boolean,
  now: Date,
): Promise<void> {
  const appealed = await lockCase(db, case_id)
  if (appealed.state !== 'APPEALED') return
  await keepProgress(db, { ...appealed, state: is_decided ? 'CLOSED' : 'RULED', appeal_until: now }, now)
}

/** Rulings are public; pleadings are not. */
async function register(
  context: OperationContext<'register'>,
  ruling_id: string,
  body: RulingBody,
  votes: readonly StoredVote[],
): Promise<string> {
  const reasons = Object.fromEntries(votes.map(({ arbiter_did, reasoning }) => [arbiter_did, reasoning]))
  const fits = Buffer.byteLength(JSON.stringify(reasons)) <= reasons_bytes_max
  return await context.register({
    kind: 'verdict',
    subject: rulingRef(ruling_id),
    visibility: 'public',
    content: { ruling_id, ...body, ...(fits && { reasons }) },
  })
}

export function rulingChange(
  { case_id, state, appeal_until }: Case,
  ruling: Ruling,
): Record<string, unknown> {
  const { ruling_id, body, mars_ref } = ruling
  return {
    case_id,
    state,
    ruling: rulingRef(ruling_id),
    finding: body.finding,
    remedy: body.remedy,
    in_favour_of: body.in_favour_of,
    majority: body.majority,
    dissent: body.dissent,
    dissent_count: body.dissent.length,
    ...(body.frivolous && { frivolous: true }),
    ...(mars_ref !== null && { registered: mars_ref }),
    ...(state === 'RULED' && appeal_until !== null && { appeal_until: appeal_until.toISOString() }),
  }
}
