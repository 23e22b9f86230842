// What a call used and costs: whole numbers only. The quantum is 10^-19 USD, so nothing is rounded per event.
import type { Usage } from '@svc/contract/dispatch'
import type { OperationFacts } from '@svc/contract/protocol'
import type { Used } from './call.ts'

/** Micro-USD per million tokens, per million seconds, per kWh. */
const base_rates = { tokens: 3_000_000n, seconds: 18_000_000_000n, watts: 420_000n }
const quanta_per_micro_usd = 10_000_000_000_000n
const multiplier_bps = 10_000

/** The measured quantities of a call, as they stand in its record. */
export interface Measured {
  readonly ms: number
  readonly tokens_in: number
  readonly tokens_out: number
  readonly uwh: number
}

export function measure(facts: OperationFacts, used: Used, watts_per_core: number): Measured {
  const ms = Math.max(1, Math.round(used.milliseconds))
  const counts_tokens = facts.meters.includes('tokens')
  return {
    ms,
    tokens_in: counts_tokens ? used.tokens_in : 0,
    tokens_out: counts_tokens ? used.tokens_out : 0,
    uwh: Math.round((ms * watts_per_core * 1000) / 3600),
  }
}

/** Exact charge in quanta: tokens·r·m·1000 + ms·r·m + µWh·r·m, with m in basis points. */
export function chargeQuanta(facts: OperationFacts, measured: Measured): bigint {
  const [tokens_m, seconds_m, watts_m] = facts.multipliers ?? [1, 1, 1]
  const bps = (multiplier: number) => BigInt(Math.round(multiplier * multiplier_bps))
  let quanta = 0n
  if (facts.meters.includes('tokens')) {
    quanta += BigInt(measured.tokens_in + measured.tokens_out) * base_rates.tokens * bps(tokens_m) * 1000n
  }
  if (facts.meters.includes('seconds')) quanta += BigInt(measured.ms) * base_rates.seconds * bps(seconds_m)
  if (facts.meters.includes('watts')) quanta += BigInt(measured.uwh) * base_rates.watts * bps(watts_m)
  return quanta
}

export function microUsdOf(quanta: bigint): bigint {
  const [whole, rest] = [quanta / quanta_per_micro_usd, quanta % quanta_per_micro_usd]
  const twice = rest * 2n
  // Half-even, once, on the way out.
  const up = twice > quanta_per_micro_usd || (twice === quanta_per_micro_usd && whole % 2n === 1n)
  return up ? whole + 1n : whole
}

export function usdText(micro_usd: bigint): string {
  return `${micro_usd / 1_000_000n}.${String(micro_usd % 1_000_000n).padStart(6, '0')}`
}

export function usageOf(measured: Measured, quanta: bigint): Usage {
  return {
    tokens_in: measured.tokens_in,
    tokens_out: measured.tokens_out,
    seconds: measured.ms / 1000,
    watt_hours: measured.uwh / 1_000_000,
    amount_usd: usdText(microUsdOf(quanta)),
  }
}
