// One row per tier: its limits, its credit line, and the fee of cross-tenant settlements.
import type { Static } from 'typebox'
import { OneOf } from '../schema.ts'

export const Tier = OneOf('sandbox', 'charter', 'institution', 'sovereign')
export type Tier = Static<typeof Tier>

interface TierRow {
  /** Multiplies the buckets of stage 3. */
  readonly factor: number
  /** Calls a calendar month (UTC) may hold; null for no ceiling. */
  readonly month_max: number | null
  /** Basis points of cross-tenant settlements, paid by the payer. */
  readonly settlement_bps: number
  /** What a tenant may owe before its first payment, unless the operator set its own credit line. */
  readonly credit_line_micro_usd: bigint
  /** The longest a computation may take, including the wait for a worker; longer requests are cut to this. */
  readonly compute_ms_max: number
}

export const tiers: Readonly<Record<Tier, TierRow>> = {
  sandbox: {
    factor: 0.1,
    month_max: 10_000,
    settlement_bps: 25,
    credit_line_micro_usd: 10_000_000n,
    compute_ms_max: 30_000,
  },
  charter: {
    factor: 1,
    month_max: 1_000_000,
    settlement_bps: 25,
    credit_line_micro_usd: 1_000_000_000n,
    compute_ms_max: 120_000,
  },
  institution: {
    factor: 5,
    month_max: 10_000_000,
    settlement_bps: 15,
    credit_line_micro_usd: 10_000_000_000n,
    compute_ms_max: 300_000,
  },
  sovereign: {
    factor: 50,
    month_max: null,
    settlement_bps: 5,
    credit_line_micro_usd: 100_000_000_000n,
    compute_ms_max: 600_000,
  },
}
