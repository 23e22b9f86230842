// Money as whole numbers. USD is counted in millionths; charges in quanta of 10^-19 USD, so none is rounded.
import { Type } from 'typebox'
import { OneOf } from '../schema.ts'

export const quanta_per_micro_usd = 10_000_000_000_000n

/** An amount of any asset in its minor units. */
export const Qty = Type.String({
  pattern: '^(0|[1-9]\\d{0,30})$',
  description: 'Whole minor units of an asset, as a decimal string.',
})
export const usd_pattern = '^\\d{1,12}(\\.\\d{1,6})?$'
/** A number is accepted only where it is exact: see `usdOf`. */
export const Usd = Type.Union(
  [Type.String({ pattern: usd_pattern }), Type.Number({ minimum: 0, maximum: 999_999_999_999 })],
  { description: 'US dollars with at most six decimal places, best as a string.' },
)
export const UsdText = Type.String({
  pattern: '^-?\\d{1,32}\\.\\d{6}$',
  description: 'US dollars with six decimal places.',
})
export const MicroUsd = Type.String({
  pattern: '^-?\\d{1,38}$',
  description: 'Whole millionths of a US dollar.',
})
/** How an asset may be held. Everything but issuance stays at or above zero. */
export const account_types = [
  'available',
  'reserved',
  'escrow',
  'runway',
  'fees',
  'revenue',
  'issuance',
] as const
export const AccountType = OneOf(...account_types)
export type AccountType = (typeof account_types)[number]

/** The operator's own currency: six decimals, so that its minor unit is the micro-USD. */
export const usd_asset = 'usd'

/** Whole micro-USD of a decimal string with at most six places; undefined where it is not one. */
export function microUsd(amount: string): bigint | undefined {
  const parts = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(amount)
  if (!parts) return undefined
  return BigInt(parts[1]!) * 1_000_000n + BigInt((parts[2] ?? '').padEnd(6, '0'))
}

/**
 * The same for a field of type Usd: a number counts as it is written, so 0.1 + 0.2 has too many places and is
 * refused. Its exact binary value would differ by millionths above ten billion.
 */
export function usdOf(amount: string | number): bigint | undefined {
  return microUsd(String(amount))
}

export function usdText(micro_usd: bigint): string {
  const magnitude = micro_usd < 0n ? -micro_usd : micro_usd
  const sign = micro_usd < 0n ? '-' : ''
  return `${sign}${magnitude / 1_000_000n}.${String(magnitude % 1_000_000n).padStart(6, '0')}`
}

/** Half-even, once, on output. */
export function microUsdOf(quanta: bigint): bigint {
  const [whole, rest] = [quanta / quanta_per_micro_usd, quanta % quanta_per_micro_usd]
  const twice = rest * 2n
  const up = twice > quanta_per_micro_usd || (twice === quanta_per_micro_usd && whole % 2n === 1n)
  return up ? whole + 1n : whole
}

/** Rounded up: for comparison with a limit. */
export function microUsdAbove(quanta: bigint): bigint {
  return (quanta + quanta_per_micro_usd - 1n) / quanta_per_micro_usd
}

/** Splits a whole by weights: parts add up to it, each within one unit of exact; largest remainders first, then by position. */
export function apportion(total: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((all, weight) => all + weight, 0n)
  if (sum <= 0n) throw new RangeError('cannot divide by weights that add up to zero')
  const parts = weights.map((weight) => (total * weight) / sum)
  const remainders = weights.map((weight, place) => ({ place, rest: (total * weight) % sum }))
  let left = total - parts.reduce((all, part) => all + part, 0n)
  // Stable, so equal ones stay in order of position.
  remainders.sort((a, b) => Number(b.rest - a.rest))
  for (const { place } of remainders) {
    if (left === 0n) break
    parts[place]! += 1n
    left -= 1n
  }
  return parts
}
