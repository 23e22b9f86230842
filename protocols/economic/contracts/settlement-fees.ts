// Charges the fees of a settlement: on what each payer's organization has paid of an asset in all.
import type { Database } from '@svc/contract/database'
import { chargeFees, feeOf } from '../ledger/api.ts'
import { type Contract, restOf } from './contract-terms.ts'
import { feeMost, feeReserve, type SettledLine } from './settlement.ts'

/** Called once, just before the lines are posted: it locks what their payers were charged so far. */
export async function chargeLines(
  db: Database,
  contract: Contract,
  lines: readonly SettledLine[],
  poster: string,
): Promise<SettledLine[]> {
  const charges = lines.map((line) => {
    const { from, asset_id, amount } = line
    const bps = contract.fee_bps?.[from] ?? 0
    return { tenant_id: contract[from].tenant_id, asset_id, amount, bps, most: mostOf(contract, line) }
  })
  const fees =
    contract.fee_rule === 'each'
      ? charges.map(({ amount, bps }) => feeOf(amount, bps))
      : await chargeFees(db, poster, charges)
  return lines.map((line, place) => ({ ...line, fee: fees[place]! }))
}

/** Whoever pays out the rest of an escrow, nothing but what is reserved is taken from the payer. */
export function mostOf(contract: Contract, { obligation_id, from, amount, source }: SettledLine): bigint {
  const obligation = contract.obligations.find(({ id }) => id === obligation_id)!
  const is_rest = source === 'escrow' && amount === restOf(obligation)
  return is_rest ? feeReserve(contract, from, amount) : feeMost(contract, from, amount)
}
