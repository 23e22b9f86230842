// Contracts and their obligations. Changes lock the contract's row first, and the ledger last.

import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'
import type {
  Advanced,
  Condition,
  Contract,
  ContractState,
  Obligation,
  PostedSettlement,
  Side,
} from './contract-terms.ts'

/** A signature on the terms, or on cancelling the contract. */
export interface ContractSignature {
  readonly purpose: 'terms' | 'cancel'
  readonly signed_by: string
  readonly public_key: string
  readonly signature: string
  readonly method: 'own' | 'custodial'
  readonly signed_at: string
}

export interface StoredContract extends Contract {
  readonly signatures: readonly ContractSignature[]
}

interface ContractRow {
  readonly contract_id: string
  readonly tenant_id: string
  readonly counterparty_tenant: string
  readonly proposer_did: string
  readonly counterparty_did: string
  readonly escrow: boolean
  readonly treaty_id: string | null
  readonly state: ContractState
  readonly fee_bps: Readonly<Record<Side, number>> | null
  readonly fee_rule: Contract['fee_rule']
  readonly signatures: readonly ContractSignature[]
  readonly expires_at: Date
  readonly activated_at: Date | null
  readonly obligations: readonly ObligationRow[]
  readonly settlements: readonly (Omit<PostedSettlement, 'final_at'> & { readonly final_at: string })[]
}

interface ObligationRow {
  readonly obligation_id: string
  readonly payer: Side
  readonly asset_id: string
  readonly amount: string
  readonly due_at: string
  readonly condition: Condition
  readonly credit_to: Obligation['credit_to']
  readonly exchange: string | null
  readonly settled: string
  readonly ended: Obligation['ended']
  readonly ended_at: string | null
}

/** False if identical terms were offered before. */
export async function keepContract(
  db: Database,
  contract: StoredContract,
  terms: object,
  offered_at: string,
): Promise<boolean> {
  const { contract_id, proposer, counterparty, escrow, treaty_id, signatures, expires_at } = contract
  const rows = await sql`
    INSERT INTO contracts (contract_id, tenant_id, counterparty_tenant, proposer_did, counterparty_did, terms, escrow,
      treaty_id, state, signatures, expires_at, offered_at, next_at)
    VALUES (${contract_id}, ${proposer.tenant_id}, ${counterparty.tenant_id}, ${proposer.did}, ${counterparty.did},
      ${JSON.stringify(terms)}, ${escrow}, ${treaty_id}, 'OFFERED', ${JSON.stringify(signatures)}, ${expires_at},
      ${offered_at}, ${expires_at})
    ON CONFLICT (contract_id) DO NOTHING RETURNING contract_id`.all(db)
  if (rows.length === 0) return false
  const lines = contract.obligations.map((obligation, place) => ({
    ...obligation,
    place,
    amount: String(obligation.amount),
    settled: '0',
    payer_did: contract[obligation.from].did,
    payee_did: contract[obligation.from === 'proposer' ? 'counterparty' : 'proposer'].did,
  }))
  await sql`
    INSERT INTO obligations (contract_id, obligation_id, place, tenant_id, counterparty_tenant, payer, payer_did,
      payee_did, asset_id, amount, due_at, condition, credit_to, exchange)
    SELECT ${contract_id}, line.id, line.place, ${proposer.tenant_id}, ${counterparty.tenant_id}, line."from",
      line.payer_did, line.payee_did, line.asset_id, line.amount, line.due_at, line.condition, line.credit_to,
      line.exchange
    FROM jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) AS line(id text, place integer, "from" text,
      payer_did text, payee_did text, asset_id text, amount numeric, due_at text, condition jsonb,
      credit_to text, exchange text)`.execute(db)
  return true
}

// Numbers are returned as text: JSON numbers are too small.
const whole_contract = sql`
  c.contract_id, c.tenant_id, c.counterparty_tenant, c.proposer_did, c.counterparty_did, c.escrow, c.treaty_id, c.state,
  c.fee_bps, c.fee_rule, c.signatures, c.expires_at, c.activated_at,
  (SELECT jsonb_agg(jsonb_build_object('obligation_id', o.obligation_id, 'payer', o.payer, 'asset_id', o.asset_id,
     'amount', o.amount::text, 'due_at', o.due_at, 'condition', o.condition, 'credit_to', o.credit_to,
     'exchange', o.exchange, 'settled', o.settled::text, 'ended', o.ended, 'ended_at', o.ended_at) ORDER BY o.place)
   FROM obligations o WHERE o.contract_id = c.contract_id) AS obligations,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('settlement_id', s.settlement_id, 'state', s.state,
     'final_at', s.final_at) ORDER BY s.posted_at), '[]')
   FROM settlements s WHERE s.contract_id = c.contract_id AND s.state = 'POSTED') AS settlements`

/** Locks it until the transaction ends. Undefined if it does not exist or this tenant may not see it. */
export async function lockContract(db: Database, contract_id: string): Promise<StoredContract | undefined> {
  // Lock first, then read again: rows read while waiting for the lock may be outdated.
  const locked = await sql`SELECT FROM contracts WHERE contract_id = ${contract_id} FOR UPDATE`.execute(db)
  return locked.rows.length === 0 ? undefined : await findContract(db, contract_id)
}

/** Locks several, always by id; whose proposals they are. Those that do not exist are left out. */
export async function lockContracts(
  db: Database,
  contract_ids: readonly (string | undefined)[],
): Promise<string[]> {
  const ids = contract_ids.filter((id) => id !== undefined)
  if (ids.length === 0) return []
  const rows = await sql<{ tenant_id: string }>`
    SELECT tenant_id FROM contracts WHERE contract_id = ANY(${ids}::text[]) ORDER BY contract_id FOR UPDATE`.all(
    db,
  )
  return rows.map(({ tenant_id }) => tenant_id)
}

export async function findContract(db: Database, contract_id: string): Promise<StoredContract | undefined> {
  const row = await sql<ContractRow>`
    SELECT ${whole_contract} FROM contracts c WHERE c.contract_id = ${contract_id}`.first(db)
  return row && asContract(row)
}

/** Contracts that are due for a change by time, the longest due first. */
export async function findDue(db: Database, now: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ contract_id: string }>`
    SELECT contract_id FROM contracts WHERE next_at <= ${now} ORDER BY next_at, contract_id LIMIT ${limit}`.all(
    db,
  )
  return rows.map(({ contract_id }) => contract_id)
}

/** Contracts made under one of these treaties that became active, oldest first. */
export async function findContractsUnder(
  db: Database,
  treaty_ids: readonly string[],
  limit: number,
): Promise<StoredContract[]> {
  const rows = await sql<ContractRow>`
    SELECT ${whole_contract} FROM contracts c
    WHERE c.treaty_id = ANY(${treaty_ids}::text[]) AND c.activated_at IS NOT NULL
    ORDER BY c.activated_at, c.contract_id LIMIT ${limit}`.all(db)
  return rows.map(asContract)
}

const open_states = ['ACTIVE', 'PARTIALLY_SETTLED', 'DEFAULTED', 'DISPUTED'] as const
const open_max = 256

/** Ids of those under which something is still owed. */
export async function openContractsUnder(db: Database, treaty_ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ contract_id: string }>`
    SELECT contract_id FROM contracts
    WHERE treaty_id = ANY(${treaty_ids}::text[]) AND state = ANY(${open_states}::text[])
    ORDER BY activated_at, contract_id LIMIT ${open_max}`.all(db)
  return rows.map(({ contract_id }) => contract_id)
}

function asContract(row: ContractRow): StoredContract {
  const { contract_id, escrow, treaty_id, state, fee_bps, fee_rule, signatures, expires_at, activated_at } =
    row
  return {
    contract_id,
    proposer: { tenant_id: row.tenant_id, did: row.proposer_did },
    counterparty: { tenant_id: row.counterparty_tenant, did: row.counterparty_did },
    escrow,
    treaty_id,
    state,
    fee_bps,
    fee_rule,
    signatures,
    expires_at,
    activated_at,
    obligations: row.obligations.map(({ obligation_id, payer, ended_at, ...rest }) => ({
      ...rest,
      id: obligation_id,
      from: payer,
      amount: BigInt(rest.amount),
      settled: BigInt(rest.settled),
      ended_at: ended_at === null ? null : new Date(ended_at),
    })),
    settlements: row.settlements.map((settlement) => ({
      ...settlement,
      final_at: new Date(settlement.final_at),
    })),
  }
}

/** Its state after time has passed or an action. */
export async function keepAdvanced(
  db: Database,
  contract_id: string,
  { state, next_at, defaulted, final }: Advanced,
  now: Date,
): Promise<void> {
  const defaulted_at = defaulted.length > 0 ? now : null
  await sql`
    UPDATE contracts SET state = ${state}, next_at = ${next_at},
      defaulted_at = coalesce(defaulted_at, ${defaulted_at}::timestamptz)
    WHERE contract_id = ${contract_id}`.execute(db)
  if (final.length > 0)
    await sql`UPDATE settlements SET state = 'FINAL' WHERE settlement_id = ANY(${final}::uuid[])`.execute(db)
}

export async function keepSignatures(
  db: Database,
  { contract_id, signatures }: Pick<StoredContract, 'contract_id' | 'signatures'>,
): Promise<void> {
  await sql`
    UPDATE contracts SET signatures = ${JSON.stringify(signatures)}
    WHERE contract_id = ${contract_id}`.execute(db)
}

export async function keepActivation(
  db: Database,
  {
    contract_id,
    fee_bps,
    fee_rule,
    activated_at,
  }: Pick<StoredContract, 'contract_id' | 'fee_bps' | 'fee_rule' | 'activated_at'>,
): Promise<void> {
  await sql`
    UPDATE contracts SET fee_bps = ${JSON.stringify(fee_bps)}, fee_rule = ${fee_rule}, activated_at = ${activated_at}
    WHERE contract_id = ${contract_id}`.execute(db)
}

export async function keepObligations(
  db: Database,
  contract_id: string,
  obligations: readonly Obligation[],
): Promise<void> {
  const lines = obligations.map(({ id, settled, ended, ended_at }) => ({
    id,
    settled: String(settled),
    ended,
    ended_at,
  }))
  await sql`
    UPDATE obligations o SET settled = line.settled, ended = line.ended, ended_at = line.ended_at
    FROM jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) AS line(id text, settled numeric, ended text,
      ended_at timestamptz)
    WHERE o.contract_id = ${contract_id} AND o.obligation_id = line.id`.execute(db)
}

export interface ListedContract {
  readonly contract: StoredContract
  readonly offered_at: Date
}

export interface ContractQuestion extends Bounds {
  readonly now: string
  readonly contract_id?: string | undefined
  readonly party_did?: string | undefined
  readonly state?: ContractState | undefined
}

/** A tenant's contracts on either side, newest first; a state filter includes those not swept yet. */
export async function listContracts(
  db: Database,
  tenant_id: string,
  question: ContractQuestion,
): Promise<ListedContract[]> {
  const { contract_id, party_did, state, now } = question
  const page = pageOf(question, sql`c.offered_at`, sql`c.contract_id`, [
    ...(contract_id === undefined ? [] : [sql`c.contract_id = ${contract_id}`]),
    ...(party_did === undefined ? [] : [sql`${party_did} IN (c.proposer_did, c.counterparty_did)`]),
    ...(state === undefined ? [] : [sql`(c.state = ${state} OR c.next_at <= ${now})`]),
  ])
  const rows = await sql<ContractRow & { offered_at: Date }>`
    SELECT c.offered_at, ${whole_contract} FROM (
      (SELECT c.* FROM contracts c WHERE c.tenant_id = ${tenant_id} AND ${page})
      UNION ALL
      (SELECT c.* FROM contracts c WHERE c.counterparty_tenant = ${tenant_id} AND c.tenant_id <> ${tenant_id}
        AND ${page})
    ) c ORDER BY c.offered_at DESC, c.contract_id DESC LIMIT ${question.limit}`.all(db)
  return rows.map((row) => ({ contract: asContract(row), offered_at: row.offered_at }))
}

export async function findTerms(
  db: Database,
  contract_id: string,
): Promise<Readonly<Record<string, unknown>>> {
  const row = await sql<{ terms: Record<string, unknown> }>`
    SELECT terms FROM contracts WHERE contract_id = ${contract_id}`.first(db)
  return row!.terms
}
