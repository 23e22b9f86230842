// The plain fee: what an organization was charged in an asset is the fee of all it paid there, rounded once, or less where escrow had no room.
import { Violation } from '../world.ts'

export interface FeeLine {
  /** Whose payer bears it. */
  readonly tenant_id: string
  readonly asset_id: string
  readonly amount: number
  readonly fee: number
  readonly bps: number
  /** Of escrow, with a fee so small that nothing above it was reserved. */
  readonly is_limited: boolean
}

/** What is reserved beside escrow: the most, or for a fee below one and a half units that fee rounded half up. */
export function feeReserve(amount: number, bps: number): number {
  const rounded = Math.floor((amount * bps + 5_000) / 10_000)
  return rounded > 1 ? Math.ceil((amount * bps) / 10_000) : rounded
}

/** One payment: at most its own fee, rounded up. */
export function requireFair({ amount, fee, bps }: Pick<FeeLine, 'amount' | 'fee' | 'bps'>): void {
  if (fee < 0 || fee > Math.ceil((amount * bps) / 10_000))
    throw new Violation(`a payment of ${amount} at ${bps} basis points was charged ${fee}`)
}

/** All payments, in any order. */
export function requireFairSums(lines: readonly FeeLine[]): void {
  const groups = Map.groupBy(lines, ({ tenant_id, asset_id }) => `${tenant_id} ${asset_id}`)
  for (const [payer, group] of groups) {
    const exact = group.reduce((sum, { amount, bps }) => sum + amount * bps, 0)
    const charged = group.reduce((sum, { fee }) => sum + fee, 0)
    const due = Math.floor((exact + 5_000) / 10_000)
    const is_exact = !group.some(({ is_limited }) => is_limited)
    if (charged > due || (is_exact && charged < due))
      throw new Violation(`${payer} was charged ${charged} in fees instead of ${due}`)
  }
}
