// Enters an order into a locked order book: matching, payment, rows and events in one transaction.
import { tiers } from '@svc/contract/authority/tier'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { chargeFees, postJournals } from '../ledger/api.ts'
import { levelsPlaced } from './book-levels.ts'
import { tellFollowers } from './book-topic.ts'
import { sameTrader } from './market-rules.ts'
import { type BookState, type LoggedCommand, type Trade, writeEntries } from './market-store.ts'
import type { Expiry } from './order-expiry.ts'
import { reserveJournal, tradeJournal } from './order-journals.ts'
import { type Matching, matchOrder, otherSide, type SameTrader } from './order-matching.ts'
import { type Bill, type BilledFill, billOf, chargesOf, reservationOf } from './order-reservation.ts'
import { incomingOf, isOpen, type MakerChange, type Order, restingOf } from './order-store.ts'

export type MarketContext = OperationContext<'change_notifications' | 'engine' | 'tenants'>

/** Locked until this transaction ends. */
export interface LockedBook extends BookState {
  readonly expiry: Expiry
}

export interface Arrival {
  /** As requested: with earlier fills, and nothing reserved. */
  readonly order: Order
  /** The orders it may trade with, in order of priority. */
  readonly makers: readonly Order[]
  /** Trades with this one only. */
  readonly only?: string | undefined
  /** The previous order, if one is replaced. */
  readonly replaced?: Order | undefined
  readonly min_quantity?: bigint | undefined
}

export interface Entered {
  readonly order: Order
  readonly trades: readonly Trade[]
  readonly journal_ids: readonly string[]
}

export type Matched = Matching & { readonly rejected: null }

export async function enterOrder(
  context: MarketContext,
  book: LockedBook,
  arrival: Arrival,
): Promise<Entered> {
  const order = { ...arrival.order, seq: book.seq + book.expiry.commands.length + 1 }
  const same_trader = sameTrader(context, book, order)
  const matching = match(order, arrival, book, same_trader)
  const bill = await billed(context, book, order, matching)
  const { trades, journal_ids } = await settle(context, book, arrival, order, bill)
  const entered = orderAfter(order, matching, bill)
  await writeDown(context, book, arrival, entered, trades, bill)
  tell(context, entered, arrival, trades, bill)
  tellFollowers(context, book.instrument)
  return { order: entered, trades, journal_ids }
}

export function match(
  order: Order,
  { makers, only, min_quantity = 0n }: Arrival,
  book: LockedBook,
  same_trader: SameTrader,
): Matched {
  // A quote is made to one taker on purpose, so only its owner cannot take it.
  const directed = only !== undefined && makers[0]?.directed_to != null
  const resting = order.directed_to === null ? makers.map(restingOf) : []
  const matching = matchOrder(
    incomingOf(order),
    resting,
    book.now.getTime(),
    directed ? 'agent' : same_trader,
  )
  if (matching.rejected === 'post_only would cross')
    throw refuse(
      'policy_denied',
      'This order is post_only and would trade at once, so it was not taken; choose a price that waits.',
      { reason: matching.rejected },
    )
  if (matching.rejected)
    throw refuse(
      'policy_denied',
      'This order is to be filled whole or not at all, and the book does not hold enough; nothing was done.',
      { reason: matching.rejected },
    )
  const filled = order.quantity - order.filled - matching.left
  if (filled >= min_quantity) return matching
  throw refuse(
    'policy_denied',
    `At least ${min_quantity} was asked for and only ${filled} can be had now; nothing was done.`,
    { reason: 'insufficient liquidity', fillable: String(filled) },
  )
}

/** Charges the taker's fees: on what its organization has paid fees of in the quote asset before. */
async function billed(
  context: OperationContext<'tenants'>,
  { lot_size, quote_asset }: LockedBook,
  order: Order,
  matching: Matched,
): Promise<Bill> {
  const fee_bps = matching.fills.length > 0 ? await feeBps(context, order.owner_tenant) : 0
  const [incoming, pricing] = [incomingOf(order), { lot_size, fee_bps }]
  const charges = chargesOf(incoming, matching.fills, pricing, quote_asset)
  const fees = await chargeFees(context.db, context.tenant_id, charges)
  return billOf(incoming, matching, pricing, fees)
}

export async function feeBps(context: OperationContext<'tenants'>, tenant_id: string): Promise<number> {
  return tiers[(await context.tenants.tierOf(tenant_id)) ?? 'sandbox'].settlement_bps
}

/**
 * The first posting locks all accounts that move, so no two calls deadlock. A release is a second posting
 * if more was reserved: in the first it would reduce the amount that must be available.
 */
async function settle(
  context: OperationContext<'engine'>,
  book: LockedBook,
  { replaced, makers, only }: Arrival,
  order: Order,
  bill: Bill,
): Promise<{ trades: Trade[]; journal_ids: string[] }> {
  const {
    tenant_id,
    engine: { operator_tenant_id },
  } = context
  const posting = { tenant_id, correlation_id: context.invoke.correlation_id, at: book.now.toISOString() }
  const more = bill.reserve - (replaced?.reserved ?? 0n)
  const is_more = more > 0n
  const trade_ids = bill.fills.map(() => context.newId())
  const trading = bill.fills.map((fill, place) =>
    tradeJournal(posting, book, trade_ids[place]!, { taker: order, fill, operator_tenant_id }),
  )
  const first = reserveJournal(posting, book, order, is_more ? more : more - bill.release)
  const ahead = [...book.expiry.journals, ...first]
  const posted = await postJournals(context.db, [...ahead, ...trading])
  if (is_more) await postJournals(context.db, reserveJournal(posting, book, order, -bill.release))
  const journal_ids = posted.slice(ahead.length)
  const directed = only !== undefined && makers[0]?.directed_to != null
  const trades = bill.fills.map((fill, place) => {
    const ids = { trade_id: trade_ids[place]!, place, journal_id: journal_ids[place]! }
    return { ...ids, ...tradeOf(order, fill), directed }
  })
  return { trades, journal_ids }
}

export function tradeOf(order: Order, { maker, price, quantity, notional, fee }: BilledFill) {
  return {
    seq: order.seq,
    price,
    quantity,
    notional,
    fee,
    taker_side: order.side,
    taker_order_id: order.order_id,
    maker_order_id: maker.order_id,
    taker_tenant: order.owner_tenant,
    taker_did: order.owner_did,
    maker_tenant: maker.owner_tenant,
    maker_did: maker.owner_did,
  }
}

export function orderAfter(order: Order, { left, cut }: Matched, { fills, keep }: Bill): Order {
  const filled = order.quantity - left
  const filled_notional = fills.reduce((sum, { notional }) => sum + notional, order.filled_notional)
  const state =
    left === 0n ? 'FILLED' : cut !== null ? 'CANCELLED' : filled > 0n ? 'PARTIALLY_FILLED' : 'OPEN'
  return { ...order, filled, filled_notional, reserved: keep, state, ended_because: cut }
}

function writeDown(
  { db, tenant_id }: OperationContext,
  book: LockedBook,
  arrival: Arrival,
  order: Order,
  trades: readonly Trade[],
  { fills }: Bill,
): Promise<void> {
  const { instrument, now, lot_size, expiry } = book
  const makers = trades.map((trade) => makerChange(order, trade, lot_size))
  const logged = [...expiry.commands, placeLogged(tenant_id, book, arrival, order, trades, fills)]
  const change = { tenant_id, instrument, logged, at: now, makers, trades }
  return arrival.replaced
    ? writeEntries(db, { ...change, orders: [] }, order)
    : writeEntries(db, { ...change, orders: [order] })
}

/** What a trade takes from the order that waited. */
export function makerChange(taker: Order, trade: Trade, lot_size: bigint): MakerChange {
  const { maker_order_id, price, quantity, notional } = trade
  const traded = { side: otherSide(taker.side), price, remaining: quantity }
  return {
    order_id: maker_order_id,
    filled: String(quantity),
    filled_notional: String(notional),
    reserved: String(reservationOf(traded, lot_size)),
  }
}

/** As it came, with its seq. */
export function placeLogged(
  tenant_id: string,
  book: LockedBook,
  arrival: Arrival,
  order: Order,
  trades: readonly Trade[],
  fills: Bill['fills'],
): LoggedCommand {
  const { order_id, seq } = order
  const command = {
    kind: 'place' as const,
    order: incomingOf({ ...arrival.order, seq }),
    directed_to: order.directed_to ?? undefined,
    only: arrival.only,
    same_trader: sameTrader({ tenant_id }, book, order),
  }
  const taken = fills.filter((_, place) => !trades[place]!.directed)
  const levels = levelsPlaced(
    { ...order, is_waiting: isOpen(order) },
    taken.map(({ maker, price, quantity }) => ({ price, quantity, is_whole: quantity === maker.remaining })),
    arrival.replaced,
  )
  return { seq, order_id, command, levels }
}

export function tell(
  context: OperationContext,
  order: Order,
  { replaced }: Arrival,
  trades: readonly Trade[],
  { release }: Bill,
): void {
  const { order_id, instrument, seq, side, type, time_in_force, quantity, price, state } = order
  const venue = context.tenant_id
  const named = { order_id, instrument, seq, venue }
  context.audit(
    'OrderAccepted',
    {
      ...named,
      side,
      type,
      time_in_force,
      quantity: String(quantity),
      ...(price === null ? {} : { price: String(price) }),
      ...(replaced ? { replaced: true } : {}),
      state,
    },
    { also: [venue] },
  )
  for (const trade of trades) tellTrade(context, instrument, trade)
  if (state !== 'CANCELLED') return
  const cancelled = String(quantity - order.filled)
  const meta = { ...named, state, because: order.ended_because, cancelled, released: String(release) }
  context.audit('OrderCancelled', meta, { also: [venue] })
}

/** In the audit logs of both traders and of the venue. */
function tellTrade(context: OperationContext, instrument: string, trade: Trade): void {
  const { trade_id, seq, taker_side, taker_order_id, maker_order_id, journal_id } = trade
  const amounts = {
    price: String(trade.price),
    quantity: String(trade.quantity),
    notional: String(trade.notional),
    fee: String(trade.fee),
  }
  const meta = {
    trade_id,
    instrument,
    seq,
    venue: context.tenant_id,
    taker_side,
    taker_order_id,
    maker_order_id,
  }
  context.audit(
    'TradeExecuted',
    { ...meta, ...amounts, journal_id },
    { also: [trade.maker_tenant, context.tenant_id] },
  )
}
