// What a ruling enforces under a contract: a payment, or the return of one.
import type { Database } from '@svc/contract/database'
import { usd_asset } from '@svc/contract/money/money'
import { balanceOf, findAssets, type Journal } from '../ledger/api.ts'
import {
  availableTo,
  awardJournal,
  coverable,
  type Debt,
  type Order,
  type Ordered,
  oweUnderRuling,
} from './award.ts'
import { closeContract, postingOf, sideOfParty } from './award-contract.ts'
import { keepObligations, lockContract, type StoredContract } from './contract-store.ts'
import {
  type Obligation,
  otherSide,
  type Party,
  payable,
  restOf,
  type Side,
  unitOf,
} from './contract-terms.ts'
import { entriesOfLines, feeMost, type SettledLine, settledLine } from './settlement.ts'
import { chargeLines } from './settlement-fees.ts'
import { findSettlement, keepReversal, keepSettlement, type Settlement } from './settlement-store.ts'

export interface Performed extends Ordered {
  readonly result: Record<string, unknown>
}

/** Why it is no longer possible. */
export type Impossible = { readonly impossible: string }

/** Runs as the engine's role: settles what this party owes, or one obligation, as far as it can pay. */
export async function forcePerformance(
  db: Database,
  contract_id: string,
  obligation_id: string | undefined,
  debtor: Party,
  order: Order,
): Promise<Performed | Impossible> {
  const contract = await lockContract(db, contract_id)
  const side = contract && sideOfParty(contract, debtor)
  if (!contract || !side) return { impossible: `there is no contract ${contract_id} of the debtor` }
  if (contract.state !== 'DISPUTED' && !payable.includes(contract.state))
    return { impossible: `contract is ${contract.state}` }
  const ordered = contract.obligations.filter(
    ({ id, from, ended }) =>
      from === side && ended === null && (obligation_id === undefined || id === obligation_id),
  )
  const obligations = withExchanges(contract, ordered)
  if (obligations.length === 0) return { impossible: 'nothing is owed any more' }
  const assets = await findAssets(db, [usd_asset, ...obligations.map(({ asset_id }) => asset_id)])
  const payable_lines = await payableLines(db, contract, obligations)
  const owing = obligations.map(({ id }) => id)
  if (payable_lines.length === 0) return { journals: [], changes: [], result: { contract_id, owing } }
  const posting = postingOf(contract, order)
  const lines = await chargeLines(db, contract, payable_lines, posting.tenant_id)
  const finality_s = Math.max(...lines.map(({ asset_id }) => assets.get(asset_id)!.finality_s))
  // Fees go to the operator, which also issues usd.
  const operator = assets.get(usd_asset)!.tenant_id
  const journals = entriesOfLines(contract, lines, operator).map((entries): Journal => {
    return { ...posting, kind: 'settlement', ref: order.ref, entries }
  })
  const now = new Date(order.at)
  const settlement: Settlement = {
    settlement_id: order.newId(),
    settled_by: order.ref,
    lines,
    journal_ids: [],
    rail_reference: null,
    state: 'POSTED',
    consents: [],
    posted_at: now,
    final_at: new Date(now.getTime() + finality_s * 1000),
  }
  await keepSettlement(db, contract, settlement)
  await keepObligations(db, contract_id, paidBy(obligations, lines, now))
  const settled = lines.map(toldLine)
  const meta = { contract_id, settlement_id: settlement.settlement_id, ordered_by: order.ref, settled }
  return {
    journals,
    changes: [{ type: 'ContractSettled', meta }],
    result: { contract_id, settled },
  }
}

/** A leg of an exchange is performed together with the others, those owed to the debtor too. */
function withExchanges(contract: StoredContract, ordered: readonly Obligation[]): Obligation[] {
  const units = new Set(ordered.map(unitOf))
  return contract.obligations.filter((one) => one.ended === null && units.has(unitOf(one)))
}

/** As much of each as is available; escrow always covers all of it. */
async function payableLines(
  db: Database,
  contract: StoredContract,
  obligations: readonly Obligation[],
): Promise<SettledLine[]> {
  const left = new Map<string, bigint>()
  const lines: SettledLine[] = []
  for (const obligation of obligations) {
    const { asset_id, from } = obligation
    const account = { ...contract[from], asset_id, type: 'available' } as const
    const available = left.get(asset_id) ?? (await balanceOf(db, account))
    const rest = restOf(obligation)
    const amount = contract.escrow ? rest : withFee(contract, from, rest, available)
    if (amount === 0n) continue
    const line = settledLine(contract, obligation, amount, false)
    lines.push(line)
    left.set(asset_id, contract.escrow ? available : available - amount - feeMost(contract, from, amount))
  }
  return lines
}

/** As much of the rest as the available amount covers, including the fee. */
function withFee(contract: StoredContract, side: Side, rest: bigint, available: bigint): bigint {
  const fits = (amount: bigint) => amount + feeMost(contract, side, amount) <= available
  if (fits(rest)) return rest
  // Rounding is less than a unit, so one less always fits.
  const part = (available * 10_000n) / BigInt(10_000 + (contract.fee_bps?.[side] ?? 0))
  const fitting = fits(part) ? part : part - 1n
  return fitting > 0n ? fitting : 0n
}

function paidBy(obligations: readonly Obligation[], lines: readonly SettledLine[], now: Date): Obligation[] {
  return lines.map(({ obligation_id, amount }) => {
    const obligation = obligations.find(({ id }) => id === obligation_id)!
    const settled = obligation.settled + amount
    if (settled < obligation.amount) return { ...obligation, settled }
    return { ...obligation, settled, ended: 'SETTLED', ended_at: now }
  })
}

/** Runs as the engine's role: returns non-final payments, or makes them owed; the contract ends. */
export async function reverseUnderRuling(
  db: Database,
  contract_id: string,
  settlement_id: string | undefined,
  order: Order,
): Promise<Performed | Impossible> {
  const contract = await lockContract(db, contract_id)
  if (!contract) return { impossible: `there is no contract ${contract_id}` }
  const open = contract.settlements.map((settlement) => settlement.settlement_id)
  const settlement_ids = settlement_id === undefined ? open : open.filter((id) => id === settlement_id)
  if (settlement_ids.length === 0) return { impossible: 'settlement is final' }
  // Close first: this also returns what a side had reserved for the reversal.
  const closed = await closeContract(db, contract_id, order)
  const journals: Journal[] = [...closed.journals]
  const changes = [...closed.changes]
  const owed: string[] = []
  for (const id of settlement_ids) {
    const settlement = await findSettlement(db, contract_id, id)
    const back = await giveBack(db, contract, settlement!, journals, order)
    await keepReversal(db, { ...settlement!, state: 'REVERSED', consents: [] })
    journals.push(...back.journals)
    changes.push(...back.changes)
    owed.push(...back.owed)
    changes.push({
      type: 'ContractSettled',
      meta: { contract_id, reversed: id, ordered_by: order.ref },
    })
  }
  return {
    journals,
    changes,
    result: { contract_id, reversed: settlement_ids, owed_under: owed },
  }
}

async function giveBack(
  db: Database,
  contract: StoredContract,
  settlement: Settlement,
  posted_with: readonly Journal[],
  order: Order,
): Promise<Ordered & { readonly owed: readonly string[] }> {
  const journals: Journal[] = []
  const debts = new Map<string, Debt[]>()
  for (const { from, asset_id, amount } of settlement.lines) {
    const [payer, payee] = [contract[from], contract[otherSide(from)]]
    const available = await availableTo(db, payee, asset_id, [...posted_with, ...journals])
    const paid = coverable(amount, available)
    if (paid > 0n) journals.push(awardJournal(payee, payer, { asset_id, amount: paid }, order))
    if (paid < amount) debts.set(from, [...(debts.get(from) ?? []), { asset_id, amount: amount - paid }])
  }
  const changes: Ordered['changes'][number][] = []
  const owed: string[] = []
  for (const [from, list] of debts) {
    const side = from as 'proposer' | 'counterparty'
    const ordered = { ...order, ref: `${order.ref}/${settlement.settlement_id}/${side}` }
    const debt = await oweUnderRuling(db, contract[otherSide(side)], contract[side], list, ordered)
    owed.push(debt.contract_id)
    changes.push(...debt.changes)
  }
  return { journals, changes, owed }
}

function toldLine({ obligation_id, asset_id, amount, fee }: SettledLine) {
  return { obligation_id, asset_id, amount: String(amount), fee: String(fee) }
}
