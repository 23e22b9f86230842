// Cases and their documents. A change locks the case row first and the ledger last.

import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { notFound } from '@svc/contract/refusal'
import { pageOf } from '@svc/database/page-bounds'
import { type NotNull, sql } from '@svc/database/sql'
import type { AdvancedCase, Case, CaseSide, CaseState, EvidenceCheck, Remedy } from './case.ts'

interface CaseRow {
  readonly case_id: string
  readonly tenant_id: string
  readonly respondent_tenant: string
  readonly venue_tenant: string
  readonly claimant_did: string
  readonly respondent_did: string
  readonly filed_by: CaseSide
  readonly claim: string
  readonly evidence: readonly EvidenceCheck[]
  readonly correlations: readonly string[]
  readonly contracts: readonly string[]
  readonly requested: StoredRemedy
  readonly fee_micro_usd: string
  readonly treaty_id: string | null
  readonly appeal_of: string | null
  readonly panel: readonly string[]
  readonly state: CaseState
  readonly filed_at: Date
  readonly served_at: Date | null
  readonly plead_by: Date
  readonly answered_at: Date | null
  readonly rule_by: Date | null
  readonly appeal_until: Date | null
  readonly closed_at: Date | null
}

/** A remedy in JSON form. */
export interface StoredRemedy extends Omit<Remedy, 'micro_usd'> {
  readonly micro_usd: string | null
}

export function storedRemedy({ kind, micro_usd, target }: Remedy): StoredRemedy {
  return { kind, micro_usd: micro_usd === null ? null : String(micro_usd), target }
}

export function remedyOfKept({ kind, micro_usd, target }: StoredRemedy): Remedy {
  return { kind, micro_usd: micro_usd === null ? null : BigInt(micro_usd), target }
}

export async function keepCase(db: Database, dispute: Case, next_at: Date | null): Promise<void> {
  const { case_id, claimant, respondent, venue, filed_by, claim, evidence, requested } = dispute
  await sql`
    INSERT INTO cases (case_id, tenant_id, respondent_tenant, venue_tenant, claimant_did, respondent_did, filed_by,
      claim, evidence, correlations, contracts, requested, fee_micro_usd, treaty_id, appeal_of, panel, state,
      filed_at, plead_by, closed_at, next_at)
    VALUES (${case_id}, ${claimant.tenant_id}, ${respondent.tenant_id}, ${venue}, ${claimant.did}, ${respondent.did},
      ${filed_by}, ${claim}, ${JSON.stringify(evidence)}, ${dispute.correlations}::uuid[], ${dispute.contracts}::text[],
      ${JSON.stringify(storedRemedy(requested))}, ${String(dispute.fee_micro_usd)}, ${dispute.treaty_id},
      ${dispute.appeal_of}, ${dispute.panel}::text[], ${dispute.state}, ${dispute.filed_at}, ${dispute.plead_by}, ${dispute.closed_at}, ${next_at})`.execute(
    db,
  )
}

const case_columns = sql`case_id, tenant_id, respondent_tenant, venue_tenant, claimant_did, respondent_did, filed_by,
  claim, evidence, correlations, contracts, requested, fee_micro_usd, treaty_id, appeal_of, panel, state, filed_at,
  served_at, plead_by, answered_at, rule_by, appeal_until, closed_at`

/** Locked until the transaction ends. A case that this tenant may not see is refused as not found. */
export async function lockCase(db: Database, case_id: string): Promise<Case> {
  const row = await sql<CaseRow>`
    SELECT ${case_columns} FROM cases WHERE case_id = ${case_id} FOR UPDATE`.first(db)
  if (!row) throw notFound('case', case_id)
  return asCase(row)
}

function asCase(row: CaseRow): Case {
  const { tenant_id, respondent_tenant, venue_tenant, claimant_did, respondent_did, ...rest } = row
  return {
    ...rest,
    fee_micro_usd: BigInt(row.fee_micro_usd),
    claimant: { tenant_id, did: claimant_did },
    respondent: { tenant_id: respondent_tenant, did: respondent_did },
    venue: venue_tenant,
    requested: remedyOfKept(row.requested),
  }
}

export interface CaseQuestion extends Bounds {
  readonly now: string
  readonly case_id?: string | undefined
  readonly state?: CaseState | undefined
  readonly role?: CaseSide | 'venue' | undefined
}

/** Cases of a tenant, newest first. A case dismissed on filing is visible only to its filer. */
export async function listCases(db: Database, tenant_id: string, question: CaseQuestion): Promise<Case[]> {
  const { case_id, state, role, now, limit } = question
  const page = pageOf(question, sql`filed_at`, sql`case_id`, [
    ...(case_id === undefined ? [] : [sql`case_id = ${case_id}`]),
    ...(state === undefined ? [] : [sql`(state = ${state} OR next_at <= ${now})`]),
  ])
  const parts = {
    claimant: sql`tenant_id = ${tenant_id} AND (state <> 'DISMISSED' OR filed_by = 'claimant')`,
    respondent: sql`respondent_tenant = ${tenant_id} AND (state <> 'DISMISSED' OR filed_by = 'respondent')`,
    venue: sql`venue_tenant = ${tenant_id} AND state <> 'DISMISSED'`,
  }
  const branches = (role === undefined ? Object.values(parts) : [parts[role]]).map(
    (part) => sql`(SELECT ${case_columns} FROM cases WHERE ${part} AND ${page})`,
  )
  const rows = await sql<CaseRow>`
    SELECT DISTINCT ON (filed_at, case_id) * FROM (${sql.join(branches, sql` UNION ALL `)}) c
    ORDER BY filed_at DESC, case_id DESC LIMIT ${limit}`.all(db)
  return rows.map(asCase)
}

type Changed = Pick<
  Case,
  | 'case_id'
  | 'state'
  | 'correlations'
  | 'contracts'
  | 'answered_at'
  | 'rule_by'
  | 'appeal_until'
  | 'closed_at'
>

/** Stores the state after a deadline or an action changed it. */
export async function keepProgress(db: Database, dispute: Changed, next_at: Date | null): Promise<void> {
  await sql`
    UPDATE cases SET state = ${dispute.state}, correlations = ${dispute.correlations}::uuid[],
      contracts = ${dispute.contracts}::text[], answered_at = ${dispute.answered_at}, rule_by = ${dispute.rule_by},
      appeal_until = ${dispute.appeal_until}, closed_at = ${dispute.closed_at}, next_at = ${next_at}
    WHERE case_id = ${dispute.case_id}`.execute(db)
}

export function asAdvanced(dispute: Case, { state }: Pick<AdvancedCase, 'state'>): Case {
  return { ...dispute, state }
}

/** Proof of service, and the deadline that runs from it. Once: a later one changes nothing. */
export async function keepService(
  db: Database,
  { case_id, served_at, plead_by }: Pick<Case, 'case_id' | 'served_at' | 'plead_by'>,
  reached: readonly string[],
): Promise<void> {
  await sql`
    UPDATE cases SET served_at = ${served_at}, served_to = ${reached}::text[], plead_by = ${plead_by},
      next_at = ${plead_by}
    WHERE case_id = ${case_id} AND served_at IS NULL`.execute(db)
}

/** As the engine's role: open cases that the other side was not served with yet, the longest waiting first. */
export async function findUnserved(db: Database, tried_before: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ case_id: string }>`
    SELECT case_id FROM cases WHERE served_at IS NULL AND closed_at IS NULL AND state = 'FILED'
      AND (service_tried_at IS NULL OR service_tried_at <= ${tried_before})
    ORDER BY service_tried_at NULLS FIRST, filed_at LIMIT ${limit}`.all(db)
  return rows.map(({ case_id }) => case_id)
}

export async function keepServiceTried(db: Database, case_id: string, at: Date): Promise<void> {
  await sql`UPDATE cases SET service_tried_at = ${at} WHERE case_id = ${case_id}`.execute(db)
}

const earlier_cases_max = 64

interface Between {
  readonly one: string
  readonly other: string
  readonly venue: string
  readonly since: Date
  /** Only those whose two sides had these names on filing, sorted. */
  readonly party_names?: readonly string[]
}

/**
 * First cases with a draw between these two organizations at one venue, whoever claimed, newest first; without those dismissed on
 * filing.
 */
export async function casesBetween(
  db: Database,
  { one, other, venue, since, party_names }: Between,
): Promise<Case[]> {
  const named = party_names ? sql`AND d.party_names = ${party_names}::text[]` : sql``
  const rows = await sql<CaseRow>`
    SELECT ${case_columns} FROM cases
    WHERE (tenant_id, respondent_tenant) IN ((${one}, ${other}), (${other}, ${one})) AND venue_tenant = ${venue}
      AND appeal_of IS NULL AND state <> 'DISMISSED' AND filed_at >= ${since}
      AND EXISTS (SELECT FROM case_draws AS d WHERE d.case_id = cases.case_id ${named})
    ORDER BY filed_at DESC, case_id DESC LIMIT ${earlier_cases_max}`.all(db)
  return rows.map(asCase)
}

/** Until the transaction ends nobody else files between these two, so that two filings at once cannot have two draws. */
export async function lockPair(db: Database, one: string, other: string): Promise<void> {
  const name = `cases|${[one, other].sort().join('|')}`
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db)
}

/** As the engine's role: cases with a due transition, the longest due first. */
export async function findDueCases(db: Database, now: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ case_id: string }>`
    SELECT case_id FROM cases WHERE next_at <= ${now} AND closed_at IS NULL
    ORDER BY next_at LIMIT ${limit}`.all(db)
  return rows.map(({ case_id }) => case_id)
}

/** Those of these contracts that another open case disputes. */
export async function contractsStillDisputed(
  db: Database,
  { case_id, contracts }: Pick<Case, 'case_id' | 'contracts'>,
): Promise<string[]> {
  const rows = await sql<{ contract_id: string }>`
    SELECT DISTINCT named.contract_id FROM cases c, unnest(c.contracts) AS named(contract_id)
    WHERE c.closed_at IS NULL AND c.case_id <> ${case_id} AND c.contracts && ${contracts}::text[]
      AND named.contract_id = ANY(${contracts}::text[])`.all(db)
  return rows.map(({ contract_id }) => contract_id)
}

export interface OpenCase {
  readonly case_id: string
  readonly state: CaseState
  readonly claimant: { readonly tenant_id: string; readonly did: string }
  readonly respondent: { readonly tenant_id: string; readonly did: string }
  readonly filed_at: Date
}

const open_cases_max = 256

/** Open cases of this organization, oldest first. */
export async function openCasesOf(db: Database, tenant_id: string): Promise<OpenCase[]> {
  const rows = await sql<CaseRow>`
    (SELECT ${case_columns} FROM cases WHERE tenant_id = ${tenant_id} AND closed_at IS NULL
      ORDER BY filed_at LIMIT ${open_cases_max})
    UNION
    (SELECT ${case_columns} FROM cases WHERE respondent_tenant = ${tenant_id} AND closed_at IS NULL
      ORDER BY filed_at LIMIT ${open_cases_max})
    ORDER BY filed_at, case_id LIMIT ${open_cases_max}`.all(db)
  return rows.map(asCase).map(({ case_id, state, claimant, respondent, filed_at }) => ({
    case_id,
    state,
    claimant,
    respondent,
    filed_at,
  }))
}

/** At most one; a case dismissed on filing does not count. */
export async function hasAppeal(db: Database, case_id: string): Promise<boolean> {
  return sql`SELECT FROM cases WHERE appeal_of = ${case_id} AND state <> 'DISMISSED' LIMIT 1`.exists(db)
}

/** Appeals by case; those dismissed on filing do not count. */
export async function appealsOf(
  db: Database,
  case_ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ appeal_of: NotNull<string>; case_id: string }>`
    SELECT appeal_of, case_id FROM cases
    WHERE appeal_of = ANY(${case_ids}::uuid[]) AND state <> 'DISMISSED'`.all(db)
  return new Map(rows.map(({ appeal_of, case_id }) => [appeal_of, case_id]))
}

/** Whether an agent is on the panel of an open case between these two, as visible to this transaction. */
export async function judgesBetween(db: Database, did: string, one: string, other: string): Promise<boolean> {
  return sql`
    SELECT FROM cases WHERE closed_at IS NULL AND ${did} = ANY(panel)
      AND (tenant_id, respondent_tenant) IN ((${one}, ${other}), (${other}, ${one})) LIMIT 1`.exists(db)
}
