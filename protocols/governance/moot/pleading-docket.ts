// The documents of a case as its parties and panel see them.
import type { Database } from '@svc/contract/database'
import { usdText } from '@svc/contract/money/money'
import type { Static } from 'typebox'
import { type Case, type CaseDraw, findDraw, findRulingOf, type Ruling, remedyOfKept } from '../cases/api.ts'
import { type PleadOutput, type RulingView, remedyView } from './case-input.ts'
import { type Pleading, type StoredVote, votesOf } from './case-papers.ts'

type Docket = NonNullable<Static<typeof PleadOutput>['docket']>

export async function docketOf(db: Database, dispute: Case, pleadings: readonly Pleading[]): Promise<Docket> {
  const { claimant, respondent, venue, panel, claim, requested, evidence, plead_by, served_at } = dispute
  const draw = await findDraw(db, dispute.case_id)
  const ruling = await findRulingOf(db, dispute.case_id)
  return {
    claimant_did: claimant.did,
    respondent_did: respondent.did,
    venue,
    panel: [...panel],
    claim,
    requested_remedy: remedyView(requested),
    evidence_check: [...evidence],
    plead_by: plead_by.toISOString(),
    ...(served_at && { served_at: served_at.toISOString() }),
    fee_usd: usdText(dispute.fee_micro_usd),
    ...(draw && { draw: drawView(draw) }),
    pleadings: pleadings.map(pleadingView),
    ...(ruling && { ruling: rulingView(dispute, ruling, await votesOf(db, dispute.case_id)) }),
  }
}

function drawView(draw: CaseDraw): NonNullable<Docket['draw']> {
  const { seats, eligible, eligible_hash, follows, correlation_id, checkpoint, drawn_order } = draw
  return {
    seats,
    eligible: [...eligible],
    eligible_hash,
    ...(follows !== null && { follows }),
    filing: correlation_id,
    ...(checkpoint !== null && { checkpoint }),
    ...(drawn_order !== null && { order: [...drawn_order] }),
  }
}

function pleadingView(pleading: Pleading): Docket['pleadings'][number] {
  const { side, pleaded_by, plea, argument, evidence, counterclaim, settlement, pleaded_at } = pleading
  return {
    side,
    by: pleaded_by,
    plea,
    argument,
    evidence: [...evidence],
    ...(counterclaim && {
      counterclaim: {
        claim: counterclaim.claim,
        requested_remedy: remedyView(remedyOfKept(counterclaim.requested)),
      },
    }),
    ...(settlement && { settlement: remedyView(remedyOfKept(settlement)) }),
    at: pleaded_at.toISOString(),
  }
}

/** The majority and the dissent, each with reasons. */
export function rulingView(
  { appeal_until }: Pick<Case, 'appeal_until'>,
  { ruling_id, body, mars_ref }: Ruling,
  votes: readonly StoredVote[],
): Static<typeof RulingView> {
  const voicesOf = (dids: readonly string[]) =>
    votes
      .filter(({ arbiter_did }) => dids.includes(arbiter_did))
      .map(({ arbiter_did, finding, remedy, reasoning }) => ({
        did: arbiter_did,
        finding,
        ...(remedy && { remedy: remedyView(remedy) }),
        reasoning,
      }))
  return {
    ruling_id,
    finding: body.finding,
    ...(body.remedy && { remedy: remedyView(remedyOfKept(body.remedy)) }),
    in_favour_of: body.in_favour_of,
    ...(body.frivolous && { frivolous: true }),
    majority: voicesOf(body.majority),
    dissent: voicesOf(body.dissent),
    ...(mars_ref !== null && { registered: mars_ref }),
    ...(appeal_until !== null && { appeal_until: appeal_until.toISOString() }),
  }
}
