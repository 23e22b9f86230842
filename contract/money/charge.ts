// The cost of a call: integers only, priced once, at the rate in force when it happened.

import type { Meter, OperationFacts } from '../operation-facts.ts'
import { quanta_per_micro_usd } from './money.ts'

/** Micro-USD per million tokens, per million seconds, per kWh. */
export interface Rates {
  readonly tokens: bigint
  readonly seconds: bigint
  readonly watts: bigint
}

/** Prices of one tenant from a given time on. */
export interface RateVersion extends Rates {
  /** 0 is the base rate, which everybody has. */
  readonly version: number
  readonly from_ms: number
}

export const base_rate: RateVersion = {
  version: 0,
  from_ms: 0,
  tokens: 3_000_000n,
  seconds: 18_000_000_000n,
  watts: 420_000n,
}

/** The measured quantities of a call, as in its record. */
export interface Measured {
  readonly ms: number
  readonly tokens_in: number
  readonly tokens_out: number
  readonly uwh: number
}

/** Price multipliers in basis points: tokens, seconds, watts; 0 for what is not metered. */
export type Multipliers = readonly [tokens: number, seconds: number, watts: number]

const bps_whole = 10_000
const dimensions: readonly Meter[] = ['tokens', 'seconds', 'watts']

export function multipliersOf({
  meters,
  multipliers = [1, 1, 1],
}: Pick<OperationFacts, 'meters' | 'multipliers'>): Multipliers {
  const bps = dimensions.map((meter, place) =>
    meters.includes(meter) ? Math.round(multipliers[place]! * bps_whole) : 0,
  )
  return bps as unknown as Multipliers
}

/** Exact charge in quanta: tokens·r·m·1000 + ms·r·m + µWh·r·m, with m in basis points. */
export function chargeQuanta(
  measured: Measured,
  rates: Rates,
  [tokens, seconds, watts]: Multipliers,
): bigint {
  let quanta = 0n
  if (tokens > 0)
    quanta += BigInt(measured.tokens_in + measured.tokens_out) * rates.tokens * BigInt(tokens) * 1000n
  if (seconds > 0) quanta += BigInt(measured.ms) * rates.seconds * BigInt(seconds)
  if (watts > 0) quanta += BigInt(measured.uwh) * rates.watts * BigInt(watts)
  return quanta
}

/** The version in force at a given time; `versions` oldest first. */
export function rateAt(versions: readonly RateVersion[], at_ms: number): RateVersion {
  let rate_version = base_rate
  for (const version of versions) if (version.from_ms <= at_ms) rate_version = version
  return rate_version
}

export function energyOf(ms: number, watts_per_core: number): number {
  return Math.round((ms * watts_per_core * 1000) / 3600)
}

/** How many tokens, seconds or kWh an amount pays for at a rate. */
export function affordable(micro_usd: bigint, dimension: Meter, rates: Rates): bigint {
  const quanta = micro_usd * quanta_per_micro_usd
  const per = {
    tokens: rates.tokens * 1000n,
    seconds: rates.seconds * 1000n,
    watts: rates.watts * 1_000_000_000n,
  }[dimension]
  return quanta / (per * BigInt(bps_whole))
}
