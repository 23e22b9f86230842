// Who trades with whom: best price first, then who came first, always at the price of the order that was there already.

export type Side = 'buy' | 'sell'
export type TimeInForce = 'GTC' | 'IOC' | 'FOK' | 'GTD'

/** One order may meet so many others: each trade is a journal and an event of the same transaction. */
export const fills_max = 200

export interface Resting {
  readonly order_id: string
  readonly seq: number
  readonly owner_tenant: string
  readonly owner_did: string
  readonly side: Side
  readonly price: bigint
  readonly remaining: bigint
  readonly expires_ms: number | null
}

export interface Incoming extends Omit<Resting, 'price'> {
  /** Null at whatever price there is. */
  readonly price: bigint | null
  readonly time_in_force: TimeInForce
  readonly post_only: boolean
}

export interface Fill {
  readonly maker: Resting
  readonly price: bigint
  readonly quantity: bigint
}

/** Why nothing of an order is taken into the book. */
export type Rejection = 'post_only would cross' | 'no liquidity (FOK)'
/** Why the rest of an order that was taken does not stay in the book. */
export type Cut = 'self_trade' | 'fill_limit' | 'immediate_or_cancel'

export type Matching =
  | { readonly rejected: Rejection }
  | {
      readonly rejected: null
      readonly fills: readonly Fill[]
      /** What no maker was found for. */
      readonly left: bigint
      /** Null where all is filled, or where the rest waits in the book. */
      readonly cut: Cut | null
    }

/**
 * `makers` are the other side in their order of priority; what comes after the last that crosses is never read.
 * Of a quote directed to one taker only the very same owner is a self-trade: two agents of one organization may deal.
 */
export function matchOrder(
  incoming: Incoming,
  makers: Iterable<Resting>,
  now_ms: number,
  directed = false,
): Matching {
  const fills: Fill[] = []
  let left = incoming.remaining
  let cut: Cut | null = null
  for (const maker of makers) {
    if (left === 0n || !crosses(incoming, maker.price)) break
    if (isExpired(maker, now_ms)) continue
    if (incoming.post_only) return { rejected: 'post_only would cross' }
    cut = cutAt(incoming, maker, fills.length, directed)
    if (cut) break
    const takes_all = left >= maker.remaining
    const quantity = takes_all ? maker.remaining : left
    fills.push({ maker, price: maker.price, quantity })
    left -= quantity
  }
  if (left === 0n) return { rejected: null, fills, left, cut: null }
  if (incoming.time_in_force === 'FOK') return { rejected: 'no liquidity (FOK)' }
  if (cut === null && !mayRest(incoming)) cut = 'immediate_or_cancel'
  return { rejected: null, fills, left, cut }
}

function cutAt(incoming: Incoming, maker: Resting, filled: number, directed: boolean): Cut | null {
  const is_same = directed
    ? maker.owner_did === incoming.owner_did
    : maker.owner_tenant === incoming.owner_tenant
  if (is_same) return 'self_trade'
  return filled === fills_max ? 'fill_limit' : null
}

export function crosses({ side, price }: Pick<Incoming, 'side' | 'price'>, maker_price: bigint): boolean {
  if (price === null) return true
  return side === 'buy' ? maker_price <= price : maker_price >= price
}

/** An order lives until its moment, not at it. */
export function isExpired({ expires_ms }: Pick<Resting, 'expires_ms'>, now_ms: number): boolean {
  return expires_ms !== null && expires_ms <= now_ms
}

export function mayRest({ price, time_in_force }: Pick<Incoming, 'price' | 'time_in_force'>): boolean {
  return price !== null && (time_in_force === 'GTC' || time_in_force === 'GTD')
}

export function otherSide(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy'
}
