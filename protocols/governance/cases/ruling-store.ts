// Rulings and their remedies. A ruling never changes; its remedy ends once.

import type { Database } from '@svc/contract/database'
import { canonicalJson, contentHash } from '@svc/contract/signing/canonical-json'
import { type NotNull, sql } from '@svc/database/sql'
import { type Debt, leftUnderRuling } from '../../economic/contracts/api.ts'
import type { Case, CaseSide, Remedy } from './case.ts'
import type { StoredRemedy } from './case-store.ts'
import type { Decision } from './ruling.ts'

/** The hashed content. Reasons are included as hashes, so that a ruling can be shown without them. */
export interface RulingBody {
  readonly v: 1
  readonly case_id: string
  readonly claimant_did: string
  readonly respondent_did: string
  readonly venue: string
  readonly finding: Decision['finding'] | 'by_consent'
  readonly remedy: StoredRemedy | null
  /** Who the remedy is for. */
  readonly in_favour_of: CaseSide
  readonly panel: readonly string[]
  readonly majority: readonly string[]
  readonly dissent: readonly string[]
  readonly votes: readonly {
    readonly arbiter_did: string
    readonly finding: string
    readonly remedy: StoredRemedy | null
    readonly reasoning_hash: string
    readonly public_key: string
    readonly signature: string
    readonly method: string
    readonly frivolous?: true
  }[]
  readonly ruled_at: string
  /** More than half of the panel found it so: who filed it owes the fee. Absent if not. */
  readonly frivolous?: true
}

export interface Ruling {
  readonly ruling_id: string
  readonly body: RulingBody
  readonly mars_ref: string | null
  /** Correlation id of the request that made it; later actions use the same. */
  readonly correlation_id: string
}

export function rulingRef(ruling_id: string): string {
  return `moot://ruling/${ruling_id}`
}

export function rulingIdOf(body: RulingBody): string {
  return contentHash(body)
}

type Whose = Pick<Case, 'case_id' | 'claimant' | 'respondent' | 'venue'>
const whose = ({ claimant, respondent, venue }: Whose) =>
  sql`${claimant.tenant_id}, ${respondent.tenant_id}, ${venue}`

export async function keepRuling(db: Database, owner: Whose, ruling: Ruling): Promise<void> {
  const { ruling_id, body, mars_ref, correlation_id } = ruling
  await sql`
    INSERT INTO case_rulings (ruling_id, case_id, tenant_id, respondent_tenant, venue_tenant, body, mars_ref,
      correlation_id, ruled_at)
    VALUES (${ruling_id}, ${owner.case_id}, ${whose(owner)}, ${canonicalJson(body)}, ${mars_ref}, ${correlation_id},
      ${body.ruled_at})`.execute(db)
  if (body.remedy === null) return
  const { kind, micro_usd, target } = body.remedy
  await sql`
    INSERT INTO case_remedies (ruling_id, case_id, tenant_id, respondent_tenant, venue_tenant, kind, micro_usd, target,
      in_favour_of, state)
    VALUES (${ruling_id}, ${owner.case_id}, ${whose(owner)}, ${kind}, ${micro_usd}, ${target}, ${body.in_favour_of},
      'PENDING')`.execute(db)
}

interface RulingRow extends Omit<Ruling, 'body'> {
  readonly body: string
}

const ruling_columns = sql`ruling_id, body, mars_ref, correlation_id`

export async function findRuling(db: Database, ruling_id: string): Promise<Ruling | undefined> {
  const row = await sql<RulingRow>`
    SELECT ${ruling_columns} FROM case_rulings WHERE ruling_id = ${ruling_id}`.first(db)
  return row && asRuling(row)
}

export async function findRulingOf(db: Database, case_id: string): Promise<Ruling | undefined> {
  const row = await sql<RulingRow>`
    SELECT ${ruling_columns} FROM case_rulings WHERE case_id = ${case_id}`.first(db)
  return row && asRuling(row)
}

export const remedy_states = ['PENDING', 'EXECUTED', 'IMPOSSIBLE', 'SUPERSEDED'] as const

/** With the state of its remedy; null if none was ordered. */
export interface FollowedRuling extends Ruling {
  readonly remedy_state: (typeof remedy_states)[number] | null
}

/** Rulings by case. */
export async function rulingsOf(
  db: Database,
  case_ids: readonly string[],
): Promise<ReadonlyMap<string, FollowedRuling>> {
  const rows = await sql<RulingRow & Pick<FollowedRuling, 'remedy_state'>>`
    SELECT r.ruling_id, r.body, r.mars_ref, r.correlation_id, m.state AS remedy_state
    FROM case_rulings r LEFT JOIN case_remedies m USING (ruling_id)
    WHERE r.case_id = ANY(${case_ids}::uuid[])`.all(db)
  return new Map(
    rows.map(({ remedy_state, ...row }) => {
      const ruling = asRuling(row)
      return [ruling.body.case_id, { ...ruling, remedy_state }]
    }),
  )
}

function asRuling({ body, ...row }: RulingRow): Ruling {
  return { ...row, body: JSON.parse(body) as RulingBody }
}

export interface PendingRemedy extends Remedy {
  readonly ruling_id: string
  readonly in_favour_of: CaseSide
}

/** As the engine's role, locked, so that only one executes it. Undefined if nothing is pending. */
export async function takePendingRemedy(db: Database, case_id: string): Promise<PendingRemedy | undefined> {
  const rows = await sql<Omit<PendingRemedy, 'micro_usd'> & { micro_usd: string | null }>`
    SELECT ruling_id, kind, micro_usd, target, in_favour_of FROM case_remedies
    WHERE case_id = ${case_id} AND state = 'PENDING' FOR UPDATE`.all(db)
  const [row] = rows
  return row && { ...row, micro_usd: row.micro_usd === null ? null : BigInt(row.micro_usd) }
}

export interface EndedRemedy {
  readonly state: 'EXECUTED' | 'IMPOSSIBLE' | 'SUPERSEDED'
  readonly result: Record<string, unknown>
  readonly debtor_tenant?: string | null
  readonly contract_id?: string | null
}

export async function endRemedy(
  db: Database,
  ruling_id: string,
  { state, result, debtor_tenant = null, contract_id = null }: EndedRemedy,
  now: Date,
): Promise<void> {
  await sql`
    UPDATE case_remedies SET state = ${state}, result = ${JSON.stringify(result)}, debtor_tenant = ${debtor_tenant},
      contract_id = ${contract_id}, ended_at = ${now}
    WHERE ruling_id = ${ruling_id} AND state = 'PENDING'`.execute(db)
}

export interface UnpaidAward {
  readonly ref: string
  readonly case_id: string
  /** The contract under which the rest is owed. */
  readonly contract_id: string
  readonly debtor_did: string
  readonly creditor: { readonly tenant_id: string; readonly did: string }
  readonly left: readonly Debt[]
}

const awards_max = 1_000

interface AwardRow {
  readonly ruling_id: string
  readonly case_id: string
  readonly contract_id: NotNull<string>
  readonly in_favour_of: CaseSide
  readonly tenant_id: string
  readonly respondent_tenant: string
  readonly claimant_did: string
  readonly respondent_did: string
}

/** Unpaid awards against this organization: claims of the first rank, oldest first. */
export async function awardsAgainst(db: Database, tenant_id: string): Promise<UnpaidAward[]> {
  const rows = await sql<AwardRow>`
    SELECT r.ruling_id, r.case_id, r.contract_id, r.in_favour_of, c.tenant_id, c.respondent_tenant, c.claimant_did,
      c.respondent_did
    FROM case_remedies r JOIN cases c USING (case_id)
    WHERE r.debtor_tenant = ${tenant_id} AND r.contract_id IS NOT NULL
    ORDER BY r.ended_at, r.ruling_id LIMIT ${awards_max}`.all(db)
  const awards: UnpaidAward[] = []
  for (const row of rows) {
    const { ruling_id, case_id, contract_id, in_favour_of } = row
    const left = await leftUnderRuling(db, contract_id)
    if (left.length === 0) continue
    const claimant = { tenant_id: row.tenant_id, did: row.claimant_did }
    const respondent = { tenant_id: row.respondent_tenant, did: row.respondent_did }
    const [creditor, debtor] = in_favour_of === 'claimant' ? [claimant, respondent] : [respondent, claimant]
    awards.push({ ref: rulingRef(ruling_id), case_id, contract_id, debtor_did: debtor.did, creditor, left })
  }
  return awards
}
