// Fees on what was paid in all: each payment is charged what its addition makes due, so parts cost what the whole costs.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

const bps_whole = 10_000n

/** Basis points of an amount, rounded half up, in its minor units. */
export function feeOf(amount: bigint, bps: number): bigint {
  return (amount * BigInt(bps) + bps_whole / 2n) / bps_whole
}

/** The most that a payment is charged, whatever was paid before it. */
export function feeCeiling(amount: bigint, bps: number): bigint {
  return (amount * BigInt(bps) + bps_whole - 1n) / bps_whole
}

export interface FeeCharge {
  /** The organization that pays the fee. */
  readonly tenant_id: string
  readonly asset_id: string
  readonly amount: bigint
  readonly bps: number
  /** No more than this now, the rest with a later payment. Default the fee of this payment, rounded up. */
  readonly most?: bigint
}

/**
 * The fee of each payment, in order: the fee of all that the organization ever paid in the asset, rounded half up
 * once, without what it was charged before. Locked until this transaction ends: charge just before posting.
 * `poster`: whose ledger this transaction posts to. Its lock comes first, as where balances are read before fees.
 */
export async function chargeFees(
  db: Database,
  poster: string,
  charges: readonly FeeCharge[],
): Promise<bigint[]> {
  const due = charges.filter(({ amount, bps }) => amount > 0n && bps > 0)
  if (due.length === 0) return charges.map(() => 0n)
  const lines = due.map(({ amount, bps, most = feeCeiling(amount, bps), ...payer }) => {
    return { ...payer, amount: String(amount), bps, most: String(most) }
  })
  const row = await sql<{ fees: string[] }>`
    WITH ledger AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended(${`ledger/${poster}`}, 0)))
    SELECT svc_charge_fees(${JSON.stringify(lines)}::jsonb) AS fees FROM ledger`.first(db)
  const fees = new Map(due.map((charge, place) => [charge, BigInt(row!.fees[place]!)]))
  return charges.map((charge) => fees.get(charge) ?? 0n)
}
