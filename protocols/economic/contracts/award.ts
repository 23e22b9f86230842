// What a ruling does to money: the debtor pays what it can, and owes the rest under a contract.

import type { Database } from '@svc/contract/database'
import { usd_asset } from '@svc/contract/money/money'
import { contentHash } from '@svc/contract/signing/canonical-json'
import type { NewIds } from '@svc/contract/tick'
import { balanceOf, type Journal } from '../ledger/api.ts'
import {
  findContract,
  keepActivation,
  keepAdvanced,
  keepContract,
  type StoredContract,
} from './contract-store.ts'
import { advance, type Obligation, type Party, restOf } from './contract-terms.ts'

/** For whom and why something is posted. */
export interface Order extends NewIds {
  /** The ruling, as `moot://ruling/…`: its orders are executed once. */
  readonly ref: string
  readonly correlation_id: string
  /** RFC 3339 UTC. */
  readonly at: string
}

/** The effects of a ruling. The caller posts the journals, all at once and last. */
export interface Ordered {
  readonly journals: readonly Journal[]
  readonly changes: readonly ContractChange[]
}

export interface ContractChange {
  readonly type: 'ContractActivated' | 'ContractSettled' | 'ContractDefaulted' | 'SettlementFinal'
  readonly meta: Record<string, unknown>
}

export interface Debt {
  readonly asset_id: string
  readonly amount: bigint
}

export interface Award extends Ordered {
  readonly paid: bigint
  readonly owed: bigint
  /** The contract for the rest; null if nothing is owed. */
  readonly contract_id: string | null
}

/** Runs as the engine's role. Pays from one available account to the other, after `posted_with`. */
export async function payAward(
  db: Database,
  from: Party,
  to: Party,
  micro_usd: bigint,
  order: Order,
  posted_with: readonly Journal[] = [],
): Promise<Award> {
  const available = await availableTo(db, from, usd_asset, posted_with)
  const paid = coverable(micro_usd, available)
  const owed = micro_usd - paid
  const journals = paid > 0n ? [awardJournal(from, to, { asset_id: usd_asset, amount: paid }, order)] : []
  if (owed === 0n) return { paid, owed, contract_id: null, journals, changes: [] }
  const debt = await oweUnderRuling(db, from, to, [{ asset_id: usd_asset, amount: owed }], order)
  return { paid, owed, journals, ...debt }
}

/** All of it, or what is available. */
export function coverable(amount: bigint, available: bigint): bigint {
  if (available >= amount) return amount
  return available
}

/** What a party can pay with once these journals are posted too. */
export async function availableTo(
  db: Database,
  party: Party,
  asset_id: string,
  journals: readonly Journal[],
): Promise<bigint> {
  const coming = journals
    .flatMap(({ entries }) => entries)
    .filter((entry) => entry.did === party.did && entry.asset_id === asset_id && entry.type === 'available')
  const balance = await balanceOf(db, { ...party, asset_id, type: 'available' })
  return coming.reduce((sum, { amount }) => sum + amount, balance)
}

export function awardJournal(from: Party, to: Party, { asset_id, amount }: Debt, order: Order): Journal {
  return {
    tenant_id: from.tenant_id,
    kind: 'award',
    ...order,
    entries: [
      { ...from, asset_id, type: 'available', amount: -amount },
      { ...to, asset_id, type: 'available', amount },
    ],
  }
}

/** An active contract ordered by a court, so unsigned; due at once, and without a fee. */
export async function oweUnderRuling(
  db: Database,
  debtor: Party,
  creditor: Party,
  debts: readonly Debt[],
  { ref, at }: Order,
): Promise<{ contract_id: string; changes: ContractChange[] }> {
  const now = new Date(at)
  const terms = {
    ordered_by: ref,
    proposer_did: debtor.did,
    counterparty_did: creditor.did,
    obligations: debts.map(({ asset_id, amount }, place) => ({
      id: `award-${place + 1}`,
      from: 'proposer',
      asset_id,
      amount: String(amount),
      due_at: at,
    })),
  }
  const contract_id = contentHash(terms)
  const obligations = terms.obligations.map(
    ({ id, asset_id }, place): Obligation => ({
      id,
      from: 'proposer',
      asset_id,
      amount: debts[place]!.amount,
      due_at: at,
      condition: { kind: 'none' },
      credit_to: 'available',
      settled: 0n,
      ended: null,
      ended_at: null,
      exchange: null,
    }),
  )
  const fee_bps = { proposer: 0, counterparty: 0 }
  const contract: StoredContract = {
    contract_id,
    proposer: debtor,
    counterparty: creditor,
    escrow: false,
    treaty_id: null,
    expires_at: now,
    state: 'ACTIVE',
    activated_at: now,
    fee_bps,
    fee_rule: 'sum',
    obligations,
    settlements: [],
    signatures: [],
  }
  await keepContract(db, contract, terms, at)
  await keepActivation(db, contract)
  await keepAdvanced(db, contract_id, advance(contract, now), now)
  const meta = { contract_id, ordered_by: ref, escrow: false, fee_bps }
  return { contract_id, changes: [{ type: 'ContractActivated', meta }] }
}

/** What is left to pay under a contract made by a ruling, in minor units. */
export async function leftUnderRuling(db: Database, contract_id: string): Promise<Debt[]> {
  const contract = await findContract(db, contract_id)
  return (contract?.obligations ?? [])
    .map((obligation) => ({ asset_id: obligation.asset_id, amount: restOf(obligation) }))
    .filter(({ amount }) => amount > 0n)
}
