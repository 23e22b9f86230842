// What an order reserves before it trades, what each trade uses, and what is released; exact minor units.
import { type FeeCharge, feeCeiling } from '../ledger/api.ts'
import type { Fill, Incoming, Matching, Side } from './order-matching.ts'

/** The largest amount of one order: it fits every amount field. */
export const amount_max = 10n ** 31n - 1n

/** Exact if the quantity is a multiple of the lot. */
export function notionalOf(price: bigint, quantity: bigint, lot_size: bigint): bigint {
  return (price * quantity) / lot_size
}

export interface BilledFill extends Fill {
  readonly notional: bigint
  readonly fee: bigint
}

export interface Bill {
  /** The worst case, reserved first. */
  readonly reserve: bigint
  readonly fills: readonly BilledFill[]
  /** Stays reserved for the part that rests in the order book. */
  readonly keep: bigint
  /** Price improvement and the cancelled part. */
  readonly release: bigint
}

export interface Pricing {
  readonly lot_size: bigint
  /** Paid by the taker, in the quote asset, if the two are of different tenants. */
  readonly fee_bps: number
}

type Taken = Matching & { readonly rejected: null }

/** A resting order trades at its own price without a fee, so it reserves only its notional. */
export function reservationOf(
  order: { readonly side: Side; readonly price: bigint; readonly remaining: bigint },
  lot_size: bigint,
): bigint {
  const { side, price, remaining } = order
  return side === 'sell' ? remaining : notionalOf(price, remaining, lot_size)
}

/** On what the taker is charged, trade by trade; nothing for one within its organization. */
export function chargesOf(
  { owner_tenant }: Incoming,
  fills: readonly Fill[],
  { lot_size, fee_bps }: Pricing,
  asset_id: string,
): FeeCharge[] {
  return fills.map(({ maker, price, quantity }) => ({
    tenant_id: owner_tenant,
    asset_id,
    amount: notionalOf(price, quantity, lot_size),
    bps: maker.owner_tenant === owner_tenant ? 0 : fee_bps,
  }))
}

/** `fees`: what the taker is charged for each trade. */
export function billOf(
  incoming: Incoming,
  { fills, left, cut }: Taken,
  pricing: Pricing,
  fees: readonly bigint[],
): Bill {
  const { lot_size } = pricing
  const billed = fills.map((fill, place) => {
    return { ...fill, notional: notionalOf(fill.price, fill.quantity, lot_size), fee: fees[place]! }
  })
  const rests = left > 0n && cut === null
  const { side, price } = incoming
  const keep = rests ? reservationOf({ side, price: price!, remaining: left }, lot_size) : 0n
  const filled = incoming.remaining - left
  const spent = side === 'sell' ? filled : sum(billed.map(({ notional, fee }) => notional + fee))
  const reserve = side === 'sell' ? incoming.remaining : worstCase(incoming, filled, billed, pricing)
  return { reserve, fills: billed, keep, release: reserve - spent - keep }
}

/** The notional at the limit, plus the filled part's fee at the limit. Market orders: the actual cost. */
function worstCase(
  { price, remaining }: Incoming,
  filled: bigint,
  billed: readonly BilledFill[],
  { lot_size, fee_bps }: Pricing,
): bigint {
  const fees = sum(billed.map(({ fee }) => fee))
  if (price === null) return sum(billed.map(({ notional }) => notional)) + fees
  const at_limit = fees > 0n ? feeCeiling(notionalOf(price, filled, lot_size), fee_bps) : 0n
  // Each trade may also be charged what earlier payments still owe, up to a unit.
  const is_more = fees > at_limit
  return notionalOf(price, remaining, lot_size) + (is_more ? fees : at_limit)
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, amount) => all + amount, 0n)
}

/** What a selling taker receives, and what a buying taker pays, for one trade. */
export function quoteLegs(
  taker_side: Side,
  { notional, fee }: BilledFill,
): { readonly paid: bigint; readonly received: bigint; readonly fee: bigint } {
  return taker_side === 'buy'
    ? { paid: notional + fee, received: notional, fee }
    : { paid: notional, received: notional - fee, fee }
}

/** The average price as a reduced fraction, to avoid rounding. */
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
