// What an order puts aside before it trades, what each trade takes of it, and what comes back: exact, in minor units.
import type { Fill, Incoming, Matching, Side } from './order-matching.ts'

/** No amount of one order is larger: it fits every field that carries amounts. */
export const amount_max = 10n ** 31n - 1n
const bps_whole = 10_000n

/** Exact where the quantity is a multiple of the lot. */
export function notionalOf(price: bigint, quantity: bigint, lot_size: bigint): bigint {
  return (price * quantity) / lot_size
}

/** Half a unit is rounded up: floor((amount·bps + 5000) / 10000). */
export function feeOf(notional: bigint, fee_bps: number): bigint {
  return (notional * BigInt(fee_bps) + bps_whole / 2n) / bps_whole
}

export interface BilledFill extends Fill {
  readonly notional: bigint
  readonly fee: bigint
}

export interface Bill {
  /** Put aside before anything else: the worst case. */
  readonly reserve: bigint
  readonly fills: readonly BilledFill[]
  /** What stays put aside for the part that waits in the book. */
  readonly keep: bigint
  /** Price improvement and the part that was cancelled. */
  readonly release: bigint
}

export interface Pricing {
  readonly lot_size: bigint
  /** The taker bears it, in the quote asset, where the two are of different tenants. */
  readonly fee_bps: number
}

type Taken = Matching & { readonly rejected: null }

/** Whoever waits in the book trades at its own price and pays no fee, so it puts aside its notional alone. */
export function reservationOf(
  order: { readonly side: Side; readonly price: bigint; readonly remaining: bigint },
  lot_size: bigint,
): bigint {
  const { side, price, remaining } = order
  return side === 'sell' ? remaining : notionalOf(price, remaining, lot_size)
}

export function billOf(incoming: Incoming, { fills, left, cut }: Taken, pricing: Pricing): Bill {
  const { lot_size, fee_bps } = pricing
  const billed = fills.map((fill) => {
    const notional = notionalOf(fill.price, fill.quantity, lot_size)
    const is_internal = fill.maker.owner_tenant === incoming.owner_tenant
    return { ...fill, notional, fee: is_internal ? 0n : feeOf(notional, fee_bps) }
  })
  const rests = left > 0n && cut === null
  const { side, price } = incoming
  const keep = rests ? reservationOf({ side, price: price!, remaining: left }, lot_size) : 0n
  const filled = incoming.remaining - left
  const spent = side === 'sell' ? filled : sum(billed.map(({ notional, fee }) => notional + fee))
  const reserve = side === 'sell' ? incoming.remaining : worstCase(incoming, filled, billed, pricing)
  return { reserve, fills: billed, keep, release: reserve - spent - keep }
}

/** The notional at the limit, and the fee of what finds a partner as if it did at the limit. At any price it is what it is. */
function worstCase(
  { price, remaining }: Incoming,
  filled: bigint,
  billed: readonly BilledFill[],
  { lot_size, fee_bps }: Pricing,
): bigint {
  const fees = sum(billed.map(({ fee }) => fee))
  if (price === null) return sum(billed.map(({ notional }) => notional)) + fees
  const at_limit = fees > 0n ? feeOf(notionalOf(price, filled, lot_size), fee_bps) : 0n
  // Each trade's fee is rounded by itself, so together they can come to more than the fee of their sum.
  const is_more = fees > at_limit
  return notionalOf(price, remaining, lot_size) + (is_more ? fees : at_limit)
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, amount) => all + amount, 0n)
}

/** What a seller who takes is paid, and what a buyer who takes pays, for one trade. */
export function quoteLegs(
  taker_side: Side,
  { notional, fee }: BilledFill,
): { readonly paid: bigint; readonly received: bigint; readonly fee: bigint } {
  return taker_side === 'buy'
    ? { paid: notional + fee, received: notional, fee }
    : { paid: notional, received: notional - fee, fee }
}

/** The average price as a fraction in lowest terms: money divides by nothing it does not have to. */
export function averagePrice(
  filled_notional: bigint,
  filled: bigint,
  lot_size: bigint,
): { num: string; den: string } | undefined {
  if (filled === 0n) return undefined
  const num = filled_notional * lot_size
  const divisor = commonDivisor(num, filled)
  return { num: String(num / divisor), den: String(filled / divisor) }
}

function commonDivisor(a: bigint, b: bigint): bigint {
  let [large, small] = [a, b]
  while (small > 0n) [large, small] = [small, large % small]
  return large
}
