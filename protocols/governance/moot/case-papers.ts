// Documents of a case: pleadings, hearings, votes, rulings. Rows are added, never changed.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import {
  type Case,
  type CaseSide,
  type EvidenceCheck,
  type Finding,
  remedyOfKept,
  type StoredRemedy,
  storedRemedy,
  type Vote,
} from '../cases/api.ts'

export const pleas = ['deny', 'admit', 'counterclaim', 'settle', 'withdraw'] as const
export type Plea = (typeof pleas)[number]

export interface Pleading {
  readonly place: number
  readonly side: CaseSide
  readonly pleaded_by: string
  readonly plea: Plea
  readonly argument: string
  readonly evidence: readonly EvidenceCheck[]
  readonly counterclaim: { readonly claim: string; readonly requested: StoredRemedy } | null
  readonly settlement: StoredRemedy | null
  readonly pleaded_at: Date
}

type Whose = Pick<Case, 'case_id' | 'claimant' | 'respondent' | 'venue'>
const whose = ({ claimant, respondent, venue }: Whose) =>
  sql`${claimant.tenant_id}, ${respondent.tenant_id}, ${venue}`

export async function keepPleading(db: Database, owner: Whose, pleading: Pleading): Promise<void> {
  const { place, side, pleaded_by, plea, argument, evidence, counterclaim, settlement, pleaded_at } = pleading
  await sql`
    INSERT INTO case_pleadings (case_id, place, tenant_id, respondent_tenant, venue_tenant, side, pleaded_by, plea,
      argument, evidence, counterclaim, settlement, pleaded_at)
    VALUES (${owner.case_id}, ${place}, ${whose(owner)}, ${side}, ${pleaded_by}, ${plea}, ${argument},
      ${JSON.stringify(evidence)}, ${counterclaim && JSON.stringify(counterclaim)},
      ${settlement && JSON.stringify(settlement)}, ${pleaded_at})`.execute(db)
}

export async function pleadingsOf(db: Database, case_id: string): Promise<Pleading[]> {
  return sql<Pleading>`
    SELECT place, side, pleaded_by, plea, argument, evidence, counterclaim, settlement, pleaded_at
    FROM case_pleadings WHERE case_id = ${case_id} ORDER BY place`.all(db)
}

export interface StoredHearing {
  readonly hearing_id: string
  readonly held_by: string
  readonly report: object
  readonly held_at: string
}

/** A replay of the same heads is the same hearing. */
export async function keepHearing(db: Database, owner: Whose, hearing: StoredHearing): Promise<void> {
  await sql`
    INSERT INTO case_hearings (case_id, hearing_id, tenant_id, respondent_tenant, venue_tenant, held_by, report, held_at)
    VALUES (${owner.case_id}, ${hearing.hearing_id}, ${whose(owner)}, ${hearing.held_by},
      ${JSON.stringify(hearing.report)}, ${hearing.held_at})
    ON CONFLICT DO NOTHING`.execute(db)
}

/** A hearing in a list; the report can be recomputed by replaying the same heads. */
export interface HearingHead {
  readonly hearing_id: string
  readonly held_by: string
  readonly held_at: Date
  readonly chain_verified: Readonly<Record<string, boolean>>
  readonly findings: number
  readonly unproven: number
}

/** Newest first. */
export async function hearingsOf(db: Database, case_id: string, limit: number): Promise<HearingHead[]> {
  return sql<HearingHead>`
    SELECT hearing_id, held_by, held_at, report -> 'chain_verified' AS chain_verified,
      jsonb_array_length(report -> 'findings') AS findings, jsonb_array_length(report -> 'unproven') AS unproven
    FROM case_hearings WHERE case_id = ${case_id} ORDER BY held_at DESC, hearing_id DESC LIMIT ${limit}`.all(
    db,
  )
}

/** An arbiter's signature over its decision and the hash of its reasons. */
export interface VoteWord {
  readonly public_key: string
  readonly signature: string
  readonly method: 'own' | 'custodial'
}

export interface StoredVote extends Vote {
  readonly reasoning: string
  readonly word: VoteWord
  readonly voted_at: Date
}

export async function keepVote(db: Database, owner: Whose, vote: StoredVote): Promise<void> {
  const { arbiter_did, finding, reasoning, remedy, frivolous = false, word, voted_at } = vote
  await sql`
    INSERT INTO case_votes (case_id, arbiter_did, tenant_id, respondent_tenant, venue_tenant, finding, reasoning,
      remedy, frivolous, word, voted_at)
    VALUES (${owner.case_id}, ${arbiter_did}, ${whose(owner)}, ${finding}, ${reasoning},
      ${remedy && JSON.stringify(storedRemedy(remedy))}, ${frivolous}, ${JSON.stringify(word)}, ${voted_at})`.execute(
    db,
  )
}

interface VoteRow extends Omit<StoredVote, 'remedy' | 'frivolous'> {
  readonly frivolous: boolean
  readonly finding: Finding
  readonly remedy: StoredRemedy | null
}

export async function votesOf(db: Database, case_id: string): Promise<StoredVote[]> {
  const rows = await sql<VoteRow>`
    SELECT arbiter_did, finding, reasoning, remedy, frivolous, word, voted_at FROM case_votes
    WHERE case_id = ${case_id} ORDER BY arbiter_did`.all(db)
  return rows.map(({ remedy, frivolous, ...vote }) => ({
    ...vote,
    remedy: remedy && remedyOfKept(remedy),
    ...(frivolous && { frivolous }),
  }))
}
