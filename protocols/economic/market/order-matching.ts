// Matches orders by price, then time, always at the price of the resting order.

export type Side = 'buy' | 'sell'
export type TimeInForce = 'GTC' | 'IOC' | 'FOK' | 'GTD'

/** The most fills of one order: each trade is a journal and an event of the same transaction. */
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
  /** Null for any price. */
  readonly price: bigint | null
  readonly time_in_force: TimeInForce
  readonly post_only: boolean
}

export interface Fill {
  readonly maker: Resting
  readonly price: bigint
  readonly quantity: bigint
}

/** Whose orders never trade with each other: those of one organization, or only those of one agent. */
export type SameTrader = 'organization' | 'agent'

/** Why an order is rejected as a whole. */
export type Rejection = 'post_only would cross' | 'no liquidity (FOK)'
/** Why the rest of an accepted order does not stay in the order book. */
export type Cut = 'self_trade' | 'fill_limit' | 'immediate_or_cancel'

export type Matching =
  | { readonly rejected: Rejection }
  | {
      readonly rejected: null
      readonly fills: readonly Fill[]
      /** The unmatched quantity. */
      readonly left: bigint
      /** Null if everything is filled, or if the rest stays in the order book. */
      readonly cut: Cut | null
    }

/**
 * `makers` are the other side in order of priority; nothing after the last one that crosses is read.
 * An order that meets its own trader ends there: what is left of the newest is cancelled.
 */
export function matchOrder(
  incoming: Incoming,
  makers: Iterable<Resting>,
  now_ms: number,
  same_trader: SameTrader = 'organization',
): Matching {
  const fills: Fill[] = []
  let left = incoming.remaining
  let cut: Cut | null = null
  for (const maker of makers) {
    if (left === 0n || !crosses(incoming, maker.price)) break
    if (isExpired(maker, now_ms)) continue
    if (incoming.post_only) return { rejected: 'post_only would cross' }
    cut = cutAt(incoming, maker, fills.length, same_trader)
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

function cutAt(incoming: Incoming, maker: Resting, filled: number, same_trader: SameTrader): Cut | null {
  if (isSame(incoming, maker, same_trader)) return 'self_trade'
  return filled === fills_max ? 'fill_limit' : null
}

type Owner = Pick<Resting, 'owner_tenant' | 'owner_did'>

export function isSame(one: Owner, other: Owner, same_trader: SameTrader): boolean {
  return same_trader === 'agent' ? one.owner_did === other.owner_did : one.owner_tenant === other.owner_tenant
}

export function crosses({ side, price }: Pick<Incoming, 'side' | 'price'>, maker_price: bigint): boolean {
  if (price === null) return true
  return side === 'buy' ? maker_price <= price : maker_price >= price
}

/** An order expires at its time, not after it. */
export function isExpired({ expires_ms }: Pick<Resting, 'expires_ms'>, now_ms: number): boolean {
  return expires_ms !== null && expires_ms <= now_ms
}

export function mayRest({ price, time_in_force }: Pick<Incoming, 'price' | 'time_in_force'>): boolean {
  return price !== null && (time_in_force === 'GTC' || time_in_force === 'GTD')
}

export function otherSide(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy'
}
