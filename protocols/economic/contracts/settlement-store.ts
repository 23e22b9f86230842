// Settlements under contracts, their journals, and until when both parties may reverse them.
import type { Database } from '@svc/contract/database'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import type { Journal } from '../ledger/api.ts'
import type { ContractSignature, StoredContract } from './contract-store.ts'
import { otherSide, type Side } from './contract-terms.ts'
import { entriesOfConsent, type SettledLine } from './settlement.ts'

/** A party's consent to reverse a settlement. */
export interface Consent extends Omit<ContractSignature, 'purpose'> {
  readonly side: Side
}

export interface Settlement {
  readonly settlement_id: string
  readonly settled_by: string
  readonly lines: readonly SettledLine[]
  readonly journal_ids: readonly string[]
  readonly rail_reference: string | null
  readonly state: 'POSTED' | 'FINAL' | 'REVERSED'
  readonly consents: readonly Consent[]
  readonly posted_at: Date
  readonly final_at: Date
}

/** An external payment, as its rail names it. */
export interface RailReference {
  readonly issuer_tenant: string
  readonly rail: string
  readonly is_issued: boolean
}

interface SettlementRow extends Omit<Settlement, 'lines'> {
  readonly lines: readonly (Omit<SettledLine, 'amount' | 'fee'> & { amount: string; fee: string })[]
}

export async function keepSettlement(
  db: Database,
  { contract_id, proposer, counterparty }: StoredContract,
  settlement: Settlement,
): Promise<void> {
  const lines = settlement.lines.map((line) => ({
    ...line,
    amount: String(line.amount),
    fee: String(line.fee),
  }))
  await sql`
    INSERT INTO settlements (settlement_id, contract_id, tenant_id, counterparty_tenant, settled_by, lines, journal_ids,
      rail_reference, state, posted_at, final_at)
    VALUES (${settlement.settlement_id}, ${contract_id}, ${proposer.tenant_id}, ${counterparty.tenant_id},
      ${settlement.settled_by}, ${JSON.stringify(lines)}, ${settlement.journal_ids}, ${settlement.rail_reference},
      ${settlement.state}, ${settlement.posted_at}, ${settlement.final_at})`.execute(db)
}

/** Refused if the same external payment was booked before, by anyone. */
export async function keepReferences(
  db: Database,
  tenant_id: string,
  settlement_id: string,
  rail_reference: string,
  rails: readonly RailReference[],
): Promise<void> {
  const rows = await sql`
    INSERT INTO settlement_references (issuer_tenant, rail, is_issued, reference, tenant_id, settlement_id)
    SELECT DISTINCT named.issuer_tenant, named.rail, named.is_issued, ${rail_reference}, ${tenant_id},
      ${settlement_id}::uuid
    FROM jsonb_to_recordset(${JSON.stringify(rails)}::jsonb)
      AS named(issuer_tenant text, rail text, is_issued boolean)
    ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING RETURNING settlement_id`.all(db)
  if (rows.length === new Set(rails.map((named) => JSON.stringify(named))).size) return
  throw refuse(
    'policy_denied',
    `The payment ${rail_reference} has settled something before, and a payment counts once; give the reference of another.`,
    { reason: 'rail reference already used', rail_reference },
  )
}

export async function findSettlement(
  db: Database,
  contract_id: string,
  settlement_id: string,
): Promise<Settlement | undefined> {
  return (await findSettlements(db, contract_id, [settlement_id]))[0]
}

async function findSettlements(
  db: Database,
  contract_id: string,
  settlement_ids: readonly string[],
): Promise<Settlement[]> {
  const rows = await sql<SettlementRow>`
    SELECT settlement_id, settled_by, lines, journal_ids, rail_reference, state, consents, posted_at, final_at
    FROM settlements WHERE contract_id = ${contract_id} AND settlement_id = ANY(${settlement_ids}::uuid[])
    ORDER BY settlement_id`.all(db)
  return rows.map((row) => ({
    ...row,
    lines: row.lines.map((line) => ({ ...line, amount: BigInt(line.amount), fee: BigInt(line.fee) })),
  }))
}

export async function keepReversal(
  db: Database,
  { settlement_id, state, consents }: Settlement,
): Promise<void> {
  await sql`
    UPDATE settlements SET state = ${state}, consents = ${JSON.stringify(consents)}
    WHERE settlement_id = ${settlement_id}`.execute(db)
}

/** The lines that paid a side: its consent reserves their amounts. */
export function linesTo(side: Side, { lines }: Settlement): SettledLine[] {
  return lines.filter(({ from }) => otherSide(from) === side)
}

/** Returns what one party had reserved if the other did not agree in time. */
export async function lapsedConsents(
  db: Database,
  contract: StoredContract,
  final: readonly string[],
  posting: Pick<Journal, 'tenant_id' | 'correlation_id' | 'at'>,
): Promise<Journal[]> {
  if (final.length === 0) return []
  const settlements = await findSettlements(db, contract.contract_id, final)
  return settlements.flatMap((settlement) => {
    const aside = settlement.consents.flatMap(({ side }) => linesTo(side, settlement))
    const entries = entriesOfConsent(contract, aside).map((entry) => ({ ...entry, amount: -entry.amount }))
    const ref = `made://contract/${contract.contract_id}`
    return entries.length > 0 ? [{ ...posting, kind: 'release', ref, entries }] : []
  })
}

const settlements_listed_max = 256

/** Settlements of a contract, newest first. */
export async function settlementsOf(
  db: Database,
  contract_id: string,
): Promise<Omit<Settlement, 'consents'>[]> {
  const rows = await sql<Omit<SettlementRow, 'consents'>>`
    SELECT settlement_id, settled_by, lines, journal_ids, rail_reference, state, posted_at, final_at
    FROM settlements WHERE contract_id = ${contract_id}
    ORDER BY posted_at DESC, settlement_id LIMIT ${settlements_listed_max}`.all(db)
  return rows.map((row) => ({
    ...row,
    lines: row.lines.map((line) => ({ ...line, amount: BigInt(line.amount), fee: BigInt(line.fee) })),
  }))
}
