// Orders, trades and order books as they are returned.
import { Qty } from '@svc/contract/money/money'
import { Closed, Did, described, ListOf, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { own_orders_max } from './market-reads.ts'
import { InternalTrades } from './market-rules.ts'
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
  order_id: described(Uuid, 'Names the order.'),
  seq: described(Seq, 'Place in the order book: at one price the lowest is matched first.'),
  state: described(OrderState, 'OPEN and PARTIALLY_FILLED orders can still trade; the others have ended.'),
  quantity: described(Qty, 'How much was ordered, in minor units of the base asset.'),
  filled: described(Qty, 'How much of it was traded.'),
  remaining: described(Qty, 'How much of it can still trade.'),
  cancelled: described(Qty, 'How much of it was withdrawn untraded.'),
  avg_price: Type.Optional(AveragePrice),
  ended_because: Type.Optional(
    described(EndedBecause, 'Why the rest was not traded; absent while open or when filled.'),
  ),
}

export const OrderAnswer = Closed({
  ...shown_of_every_order,
  fills: described(
    ListOf(
      Closed({
        trade_id: described(Uuid, 'Names the trade.'),
        price: described(Qty, 'Price per lot, in minor units of the quote asset.'),
        quantity: described(Qty, 'How much was traded, in minor units of the base asset.'),
        maker_order_id: described(Uuid, 'The order that was there before.'),
        fee: described(Qty, 'Fee charged for the trade, in minor units.'),
      }),
      0,
      fills_max,
    ),
    'Trades made at once.',
  ),
  reserved: described(Qty, 'How much of your balance the order holds back, in minor units.'),
})

const ShownOrder = Closed({
  ...shown_of_every_order,
  instrument: InstrumentName,
  side: described(OrderSide, 'Whether it buys or sells the base asset.'),
  type: described(
    OneOf('limit', 'market'),
    'limit: at price or better; market: at the best prices there are.',
  ),
  time_in_force: described(
    OneOf('GTC', 'IOC', 'FOK', 'GTD'),
    'GTC until cancelled, GTD until expires_at, IOC at once or not, FOK at once and whole or not.',
  ),
  post_only: Type.Boolean({ description: 'It never takes: refused if it would trade at once.' }),
  price: Type.Optional(
    described(Qty, 'Price per lot, in minor units of the quote asset; absent for a market order.'),
  ),
  expires_at: Type.Optional(described(Timestamp, 'When it ends by itself; only for GTD.')),
  placed_at: described(Timestamp, 'When it was placed.'),
  owner_did: described(Did, 'Who placed it.'),
  directed_to: Type.Optional(described(Did, 'The only one who may trade with it; absent where anyone may.')),
  client_order_id: Type.Optional(Text(64, { description: 'Your own name for the order.' })),
  reserved: Type.Optional(
    described(Qty, 'How much of the balance it holds back, in minor units; only for its owner.'),
  ),
})
type ShownOrder = Static<typeof ShownOrder>

const Level = Closed({
  price: described(Qty, 'Price per lot, in minor units of the quote asset.'),
  quantity: Sum,
  orders: Type.Integer({ minimum: 1, description: 'Number of orders at this price.' }),
})
const SeenTrade = Closed({
  trade_id: described(Uuid, 'Names the trade.'),
  seq: described(Seq, 'Place among the trades of the instrument.'),
  price: described(Qty, 'Price per lot, in minor units of the quote asset.'),
  quantity: described(Qty, 'How much was traded, in minor units of the base asset.'),
  taker_side: described(OrderSide, 'Side of the order that came later.'),
  at: described(Timestamp, 'When it was traded.'),
})

export const BookAnswer = Closed({
  bids: described(ListOf(Level, 0, 200), 'Buy orders by price, highest first.'),
  asks: described(ListOf(Level, 0, 200), 'Sell orders by price, lowest first.'),
  spread: Type.Optional(described(Qty, 'Lowest ask less highest bid; absent where a side is empty.')),
  last_trade: Type.Optional(described(SeenTrade, 'The newest trade; absent where there was none.')),
  my_orders: Type.Optional(
    described(
      ListOf(ShownOrder, 0, own_orders_max),
      'Your open orders and quotes directed to you, newest first; only with mine.',
    ),
  ),
  order: Type.Optional(described(ShownOrder, 'The order asked for by order_id.')),
  trades: Type.Optional(described(ListOf(SeenTrade, 0, 500), 'Newest trades; only with trades_limit.')),
  book_seq: described(Seq, 'Increases with every change of the order book.'),
  internal_trades: InternalTrades,
})

export const TradeAnswer = Closed({
  order_id: described(Uuid, 'Names the order.'),
  seq: described(Seq, 'Place that the order took in the order book.'),
  trades: described(
    ListOf(
      Closed({
        trade_id: described(Uuid, 'Names the trade.'),
        price: described(Qty, 'Price per lot, in minor units of the quote asset.'),
        quantity: described(Qty, 'How much was traded, in minor units of the base asset.'),
        maker_order_id: described(Uuid, 'The order that was there before.'),
        notional: Sum,
        fee: Sum,
        state: described(OneOf('SETTLED'), 'Always SETTLED: a trade is paid when it is made.'),
      }),
      0,
      fills_max,
    ),
    'Trades that were made, best price first.',
  ),
  filled: described(Qty, 'How much was traded, in minor units of the base asset.'),
  unfilled: described(Qty, 'How much was not traded.'),
  notional: Sum,
  fees: Sum,
  journal_ids: described(ListOf(Uuid, 0, fills_max), 'Ledger journals that booked the trades.'),
  ended_because: Type.Optional(
    described(EndedBecause, 'Why less than the quantity was traded; absent if all was.'),
  ),
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
