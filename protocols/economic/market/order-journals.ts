// The journals of an order: it reserves, pays from the reservation, and releases the rest.
import type { Entry, Journal } from '../ledger/api.ts'
import type { Instrument, Trade } from './market-store.ts'
import type { Side } from './order-matching.ts'
import { type BilledFill, quoteLegs } from './order-reservation.ts'
import type { Order } from './order-store.ts'

export type Posting = Pick<Journal, 'tenant_id' | 'correlation_id' | 'at'>
type Trader = Pick<Order, 'owner_tenant' | 'owner_did'>

/** A buyer reserves the quote asset, a seller the base asset. */
export function assetPutAside(side: Side, { base_asset, quote_asset }: Instrument): string {
  return side === 'buy' ? quote_asset : base_asset
}

/** From `available` to `reserved`; back if the amount is negative; no journal if it is zero. */
export function reserveJournal(
  posting: Posting,
  instrument: Instrument,
  { order_id, owner_tenant, owner_did, side }: Order,
  amount: bigint,
): Journal[] {
  if (amount === 0n) return []
  const owner = { tenant_id: owner_tenant, did: owner_did, asset_id: assetPutAside(side, instrument) }
  const entries: Entry[] = [
    { ...owner, type: 'available', amount: -amount },
    { ...owner, type: 'reserved', amount },
  ]
  return [{ ...posting, kind: amount > 0n ? 'market-reserve' : 'market-release', ref: order_id, entries }]
}

export interface Legs {
  readonly taker: Trader & { readonly side: Side }
  readonly fill: BilledFill
  readonly operator_tenant_id: string
}

/** Base to the buyer, quote to the seller, the fee to the operator. */
export function tradeJournal(
  posting: Posting,
  { base_asset, quote_asset }: Instrument,
  trade_id: Trade['trade_id'],
  { taker, fill, operator_tenant_id }: Legs,
): Journal {
  const { paid, received, fee } = quoteLegs(taker.side, fill)
  const [buyer, seller] = taker.side === 'buy' ? [taker, fill.maker] : [fill.maker, taker]
  const of = ({ owner_tenant, owner_did }: Trader) => ({ tenant_id: owner_tenant, did: owner_did })
  const entries: Entry[] = [
    { ...of(buyer), asset_id: quote_asset, type: 'reserved', amount: -paid },
    { ...of(seller), asset_id: quote_asset, type: 'available', amount: received },
    { tenant_id: operator_tenant_id, asset_id: quote_asset, type: 'fees', amount: fee },
    { ...of(seller), asset_id: base_asset, type: 'reserved', amount: -fill.quantity },
    { ...of(buyer), asset_id: base_asset, type: 'available', amount: fill.quantity },
  ]
  return {
    ...posting,
    kind: 'market-trade',
    ref: trade_id,
    entries: entries.filter(({ amount }) => amount !== 0n),
  }
}
