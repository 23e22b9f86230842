// Orders, trades and order books as they are returned.
import { Qty } from '@svc/contract/money/money'
import { Closed, Did, ListOf, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { own_orders_max } from './market-reads.ts'
import type { Trade } from './market-store.ts'
import { InstrumentName, OrderSide } from './order-input.ts'
import { fills_max } from './order-matching.ts'
import { averagePrice } from './order-reservation.ts'
import { isOpen, type Order } from './order-store.ts'

/** Sums of values that each fit a Qty. */
const Sum = Type.String({ pattern: '^(0|[1-9]\\d{0,79})$', description: 'Whole minor units, added up.' })
const Seq = Type.Integer({ minimum: 0 })
const OrderState = OneOf('OPEN', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'EXPIRED')
const EndedBecause = OneOf(
  'self_trade',
  'fill_limit',
  'immediate_or_cancel',
  'cancelled',
  'expired',
  'dissolution',
)
const AveragePrice = Closed(
  { num: Sum, den: Sum },
  { description: 'Quote minor units per lot, as a fraction in lowest terms.' },
)

const shown_of_every_order = {
  order_id: Uuid,
  seq: Seq,
  state: OrderState,
  quantity: Qty,
  filled: Qty,
  remaining: Qty,
  cancelled: Qty,
  avg_price: Type.Optional(AveragePrice),
  ended_because: Type.Optional(EndedBecause),
}

export const OrderAnswer = Closed({
  ...shown_of_every_order,
  fills: ListOf(
    Closed({ trade_id: Uuid, price: Qty, quantity: Qty, maker_order_id: Uuid, fee: Qty }),
    0,
    fills_max,
  ),
  reserved: Qty,
})

const ShownOrder = Closed({
  ...shown_of_every_order,
  instrument: InstrumentName,
  side: OrderSide,
  type: OneOf('limit', 'market'),
  time_in_force: OneOf('GTC', 'IOC', 'FOK', 'GTD'),
  post_only: Type.Boolean(),
  price: Type.Optional(Qty),
  expires_at: Type.Optional(Timestamp),
  placed_at: Timestamp,
  owner_did: Did,
  directed_to: Type.Optional(Did),
  client_order_id: Type.Optional(Text(64)),
  reserved: Type.Optional(Qty),
})
type ShownOrder = Static<typeof ShownOrder>

const Level = Closed({ price: Qty, quantity: Sum, orders: Type.Integer({ minimum: 1 }) })
const SeenTrade = Closed({
  trade_id: Uuid,
  seq: Seq,
  price: Qty,
  quantity: Qty,
  taker_side: OrderSide,
  at: Timestamp,
})

export const BookAnswer = Closed({
  bids: ListOf(Level, 0, 200),
  asks: ListOf(Level, 0, 200),
  spread: Type.Optional(Qty),
  last_trade: Type.Optional(SeenTrade),
  my_orders: Type.Optional(ListOf(ShownOrder, 0, own_orders_max)),
  order: Type.Optional(ShownOrder),
  trades: Type.Optional(ListOf(SeenTrade, 0, 500)),
  book_seq: Seq,
})

export const TradeAnswer = Closed({
  order_id: Uuid,
  seq: Seq,
  trades: ListOf(
    Closed({
      trade_id: Uuid,
      price: Qty,
      quantity: Qty,
      maker_order_id: Uuid,
      notional: Sum,
      fee: Sum,
      state: OneOf('SETTLED'),
    }),
    0,
    fills_max,
  ),
  filled: Qty,
  unfilled: Qty,
  notional: Sum,
  fees: Sum,
  journal_ids: ListOf(Uuid, 0, fills_max),
  ended_because: Type.Optional(EndedBecause),
})

function progressOf(order: Order, lot_size: bigint) {
  const { order_id, seq, state, quantity, filled, filled_notional, ended_because } = order
  const rest = quantity - filled
  const avg_price = averagePrice(filled_notional, filled, lot_size)
  return {
    order_id,
    seq,
    state,
    quantity: String(quantity),
    filled: String(filled),
    remaining: String(isOpen(order) ? rest : 0n),
    cancelled: String(isOpen(order) ? 0n : rest),
    ...(avg_price ? { avg_price } : {}),
    ...(ended_because ? { ended_because: ended_because as Static<typeof EndedBecause> } : {}),
  }
}

export function orderAnswer(order: Order, trades: readonly Trade[], lot_size: bigint) {
  return {
    ...progressOf(order, lot_size),
    fills: trades.map(({ trade_id, price, quantity, maker_order_id, fee }) => ({
      trade_id,
      price: String(price),
      quantity: String(quantity),
      maker_order_id,
      fee: String(fee),
    })),
    reserved: String(order.reserved),
  }
}

/** Only the owner sees what is reserved for an order. */
export function shownOrder(order: Order, viewer_did: string, lot_size: bigint): ShownOrder {
  const { instrument, side, type, time_in_force, post_only, price, owner_did } = order
  const { expires_at, placed_at, directed_to, client_order_id, reserved } = order
  const is_own = owner_did === viewer_did
  return {
    ...progressOf(order, lot_size),
    instrument,
    side,
    type,
    time_in_force,
    post_only,
    placed_at: placed_at.toISOString(),
    owner_did,
    ...(price === null ? {} : { price: String(price) }),
    ...(expires_at === null ? {} : { expires_at: expires_at.toISOString() }),
    ...(directed_to === null ? {} : { directed_to }),
    ...(is_own && client_order_id !== null ? { client_order_id } : {}),
    ...(is_own ? { reserved: String(reserved) } : {}),
  }
}

export function tradeAnswer(order: Order, trades: readonly Trade[], journal_ids: readonly string[]) {
  const sumOf = (part: 'notional' | 'fee') => String(trades.reduce((sum, trade) => sum + trade[part], 0n))
  const { ended_because } = order
  return {
    order_id: order.order_id,
    seq: order.seq,
    trades: trades.map(({ trade_id, price, quantity, maker_order_id, notional, fee }) => ({
      trade_id,
      price: String(price),
      quantity: String(quantity),
      maker_order_id,
      notional: String(notional),
      fee: String(fee),
      state: 'SETTLED' as const,
    })),
    filled: String(order.filled),
    unfilled: String(order.quantity - order.filled),
    notional: sumOf('notional'),
    fees: sumOf('fee'),
    journal_ids: [...journal_ids],
    ...(ended_because ? { ended_because: ended_because as Static<typeof EndedBecause> } : {}),
  }
}
