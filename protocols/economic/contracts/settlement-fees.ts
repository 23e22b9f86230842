// Charges the fees of a settlement: on what each payer's organization has paid of an asset in all.
import type { Database } from '@svc/contract/database'
import { chargeFees, feeOf } from '../ledger/api.ts'
import type { Contract } from './contract-terms.ts'
import type { SettledLine } from './settlement.ts'

/** Called once, just before the lines are posted: it locks what their payers were charged so far. */
export async function chargeLines(
  db: Database,
  contract: Contract,
  lines: readonly SettledLine[],
): Promise<SettledLine[]> {
  const charges = lines.map(({ from, asset_id, amount }) => {
    return { tenant_id: contract[from].tenant_id, asset_id, amount, bps: contract.fee_bps?.[from] ?? 0 }
  })
  const fees =
    contract.fee_rule === 'each'
      ? charges.map(({ amount, bps }) => feeOf(amount, bps))
      : await chargeFees(db, charges)
  return lines.map((line, place) => ({ ...line, fee: fees[place]! }))
}
