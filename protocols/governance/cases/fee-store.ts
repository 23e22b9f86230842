// What a filing costs whoever took it back or lost it: withdrawals before, and fees that are owed.
import type { Database } from '@svc/contract/database'
import { type NotNull, sql } from '@svc/database/sql'
import type { Case } from './case.ts'

const contracts_max = 64

/** Whether its claimant took another claim against the same side back before, which is over by now. */
export async function hasWithdrawnBefore(
  db: Database,
  { case_id, claimant, respondent, venue }: Case,
  since: Date,
): Promise<boolean> {
  // Inside one organization its parties are agents; else the organizations are.
  const same_agents = sql`AND claimant_did = ${claimant.did} AND respondent_did = ${respondent.did}`
  return sql`
    SELECT FROM cases WHERE (tenant_id, respondent_tenant) = (${claimant.tenant_id}, ${respondent.tenant_id})
      AND venue_tenant = ${venue} AND case_id <> ${case_id} AND appeal_of IS NULL AND state = 'WITHDRAWN'
      AND closed_at IS NOT NULL AND filed_at >= ${since}
      ${claimant.tenant_id === respondent.tenant_id ? same_agents : sql``}`.exists(db)
}

/** As the engine's role: a debt for a fee, and the contract under which the rest is owed. */
export async function keepFeeOwed(
  db: Database,
  case_id: string,
  debtor_tenant: string,
  contract_id: string,
): Promise<void> {
  await sql`
    UPDATE cases SET fee_debtor = ${debtor_tenant}, fee_contract_id = ${contract_id}
    WHERE case_id = ${case_id}`.execute(db)
}

/** Contracts under which an organization owes fees of frivolous cases, paid or not. */
export async function feeContractsOf(db: Database, tenant_id: string): Promise<string[]> {
  const rows = await sql<{ fee_contract_id: NotNull<string> }>`
    SELECT fee_contract_id FROM cases WHERE fee_debtor = ${tenant_id} AND fee_contract_id IS NOT NULL
    ORDER BY filed_at DESC LIMIT ${contracts_max}`.all(db)
  return rows.map(({ fee_contract_id }) => fee_contract_id)
}
