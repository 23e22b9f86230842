// Input and events of follow_book.
import { Qty } from '@svc/contract/money/money'
import { Closed, described, ListOf, OneOf, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import type { BestLevels, Level, ShownChange } from './best-levels.ts'
import type { FeedRow, StoredBook } from './feed-store.ts'
import { InstrumentName, OrderSide } from './order-input.ts'
import { fills_max } from './order-matching.ts'

/** How far back one may go. */
export const retained_changes_max = 10_000
export const answer_events_max = 500
export const stream_events_max = 5_000
const depth_max = 50
const wait_ms_max = 60_000

export const FollowInput = Closed({
  instrument: InstrumentName,
  after_seq: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The last seq you know: what follows begins right after it, without a snapshot.',
    }),
  ),
  depth: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: depth_max,
      description: 'Best price levels of each side. Default 10.',
    }),
  ),
  wait_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: wait_ms_max,
      description: 'How long to stream, or without stream how long to wait for something new. Default 0.',
    }),
  ),
  stream: Type.Optional(
    Type.Boolean({
      description:
        'Send each event when it happens, as progress with its seq as id. Needs Accept: text/event-stream; not available over MCP. Default false.',
    }),
  ),
})
export type FollowInput = Static<typeof FollowInput>

const Seq = Type.Integer({ minimum: 0 })
const Sum = Type.String({
  pattern: '^(0|[1-9]\\d{0,79})$',
  description: 'Open quantity at this price, in minor units of the base asset.',
})
const Price = described(Qty, 'Price per lot, in minor units of the quote asset.')
const Orders = Type.Integer({ minimum: 0, description: 'Number of orders at this price.' })
const SeenLevel = Closed({ price: Price, quantity: Sum, orders: Orders })

const Event = Closed({
  kind: described(
    OneOf('snapshot', 'change'),
    'snapshot: the best levels as they are, to begin with; change: what is different from the event before.',
  ),
  seq: described(Seq, 'The place of the change in the order book: each change has the next number.'),
  at: Type.Optional(described(Timestamp, 'When it happened; absent where nothing ever did.')),
  bids: Type.Optional(
    described(ListOf(SeenLevel, 0, depth_max), 'Buy levels, highest first; in a snapshot.'),
  ),
  asks: Type.Optional(
    described(ListOf(SeenLevel, 0, depth_max), 'Sell levels, lowest first; in a snapshot.'),
  ),
  trades: Type.Optional(
    described(
      ListOf(
        Closed({
          trade_id: described(Uuid, 'Names the trade.'),
          price: Price,
          quantity: described(Qty, 'How much was traded, in minor units of the base asset.'),
          taker_side: described(OrderSide, 'Side of the order that came later.'),
        }),
        0,
        fills_max,
      ),
      'Trades of this change, in their order; not those of quotes.',
    ),
  ),
  levels: Type.Optional(
    described(
      ListOf(
        Closed({
          side: described(OrderSide, 'buy for bids, sell for asks.'),
          price: Price,
          quantity: Sum,
          orders: Orders,
        }),
        0,
        4 * depth_max,
      ),
      'Best levels that are different now, with what they have; quantity 0: no longer among the best.',
    ),
  ),
})
export type FollowEvent = Static<typeof Event>

export const FollowAnswer = Closed({
  events: described(ListOf(Event, 0, answer_events_max), 'What happened; empty for a stream, which sent it.'),
  next_seq: described(Seq, 'The last seq that was told: send it as after_seq to go on.'),
})
export type FollowAnswer = Static<typeof FollowAnswer>

export function snapshotShown({ seq, at }: StoredBook, best: BestLevels): FollowEvent {
  return {
    kind: 'snapshot',
    seq,
    ...(at === undefined ? {} : { at }),
    bids: best.best('buy').map(levelShown),
    asks: best.best('sell').map(levelShown),
  }
}

export function changeShown({ seq, at, trades }: FeedRow, levels: readonly ShownChange[]): FollowEvent {
  return {
    ...{ kind: 'change', seq, at, trades: [...trades] },
    levels: levels.map(({ side, ...level }) => ({ side, ...levelShown(level) })),
  }
}

function levelShown({ price, quantity, orders }: Level) {
  return { price: String(price), quantity: String(quantity), orders }
}
