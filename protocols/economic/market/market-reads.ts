// Reads an order book in one statement, so that it is consistent, and only what the viewer may see.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { Side } from './order-matching.ts'
import { is_open, type Order, type OrderRow, order_columns, orderOf, rank } from './order-store.ts'

export const own_orders_max = 200

export interface BookQuestion {
  readonly tenant_id: string
  readonly instrument: string
  readonly viewer_did: string
  readonly now: Date
  readonly depth: number
  readonly mine: boolean
  readonly before_seq?: number | undefined
  readonly trades_limit: number
}

export interface ShownLevel {
  readonly price: string
  readonly quantity: string
  readonly orders: number
}

export interface ShownTrade {
  readonly trade_id: string
  readonly seq: number
  readonly price: string
  readonly quantity: string
  readonly taker_side: Side
  readonly at: string
}

export interface BookView {
  readonly book_seq: number
  readonly as_of: Date
  readonly bids: readonly ShownLevel[]
  readonly asks: readonly ShownLevel[]
  readonly last_trade: ShownTrade | null
  readonly trades: readonly ShownTrade[]
  readonly my_orders: readonly Order[]
}

type ViewRow = Omit<BookView, 'book_seq' | 'my_orders'> & {
  readonly book_seq: string
  readonly my_orders: readonly (Omit<OrderRow, 'expires_at' | 'placed_at'> & {
    readonly expires_at: string | null
    readonly placed_at: string
  })[]
}

const shown_trade = sql.raw(`trade_id, seq, price::text, quantity::text, taker_side,
  to_char(traded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`)
const order_texts =
  sql.raw(`order_id, instrument, seq::text, owner_tenant, owner_did, client_order_id, side, type,
  time_in_force, post_only, directed_to, price::text, quantity::text, filled::text, filled_notional::text,
  reserved::text, state, ended_because, expires_at, placed_at, correlation_id`)

export async function viewBook(db: Database, book_question: BookQuestion): Promise<BookView> {
  const { tenant_id, instrument, now, trades_limit, viewer_did: did } = book_question
  const of_book = sql`tenant_id = ${tenant_id} AND instrument = ${instrument}`
  const rows = await sql<ViewRow>`
    WITH book AS MATERIALIZED (
      SELECT coalesce(max(seq), 0) AS seq, greatest(max(at), ${now}::timestamptz) AS now
      FROM market_book_seq WHERE ${of_book}
    )
    SELECT book.seq AS book_seq, book.now AS as_of,
      ${levelsOf(book_question, 'buy')} AS bids, ${levelsOf(book_question, 'sell')} AS asks, ${ownOrders(book_question)} AS my_orders,
      (SELECT to_json(t) FROM (SELECT ${shown_trade} FROM market_trades WHERE ${of_book} AND NOT directed
        ORDER BY market_trades.seq DESC, place DESC LIMIT 1) t) AS last_trade,
      (SELECT coalesce(json_agg(t), '[]') FROM (SELECT ${shown_trade} FROM market_trades
        WHERE ${of_book} AND (NOT directed OR taker_did = ${did} OR maker_did = ${did})
        ORDER BY market_trades.seq DESC, place DESC LIMIT ${trades_limit}) t) AS trades
    FROM book`.all(db)
  const { book_seq, my_orders, ...view } = rows[0]!
  const dated = my_orders.map(({ expires_at, placed_at, ...row }) =>
    orderOf({
      ...row,
      expires_at: expires_at === null ? null : new Date(expires_at),
      placed_at: new Date(placed_at),
    }),
  )
  return { ...view, book_seq: Number(book_seq), my_orders: dated }
}

/** Open remainders of the lit order book, summed by price; best first. */
function levelsOf({ tenant_id, instrument, depth }: BookQuestion, side: Side) {
  return sql`(SELECT coalesce(json_agg(l), '[]') FROM (
    SELECT price::text, sum(quantity - filled)::text AS quantity, count(*)::integer AS orders
    FROM market_orders WHERE tenant_id = ${tenant_id} AND instrument = ${instrument} AND side = ${side}
      AND ${is_open} AND directed_to IS NULL AND (expires_at IS NULL OR expires_at > book.now)
    GROUP BY ${rank}, market_orders.price ORDER BY ${rank} LIMIT ${depth}) l)`
}

/** The viewer's own open orders, and quotes directed to the viewer; newest first. */
function ownOrders({ tenant_id, instrument, viewer_did, mine, before_seq }: BookQuestion) {
  if (!mine) return sql`'[]'::json`
  const waiting = sql`tenant_id = ${tenant_id} AND instrument = ${instrument} AND ${is_open}
    AND (expires_at IS NULL OR expires_at > book.now)
    ${before_seq === undefined ? sql`` : sql`AND market_orders.seq < ${before_seq}`}`
  return sql`(SELECT coalesce(json_agg(o), '[]') FROM (
    SELECT * FROM (
      (SELECT ${order_texts}, market_orders.seq AS place FROM market_orders WHERE owner_did = ${viewer_did}
        AND ${waiting} ORDER BY market_orders.seq DESC LIMIT ${own_orders_max})
      UNION ALL
      (SELECT ${order_texts}, market_orders.seq AS place FROM market_orders WHERE directed_to = ${viewer_did}
        AND ${waiting} ORDER BY market_orders.seq DESC LIMIT ${own_orders_max})
    ) both_sides ORDER BY place DESC LIMIT ${own_orders_max}) o)`
}

/** One order owned by the viewer or quoted to it; undefined if the viewer may not see it. */
export async function viewOrder(
  db: Database,
  { tenant_id, instrument, viewer_did }: BookQuestion,
  order_id: string,
): Promise<Order | undefined> {
  const row = await sql<OrderRow>`
    SELECT ${order_columns} FROM market_orders WHERE tenant_id = ${tenant_id} AND order_id = ${order_id}
      AND instrument = ${instrument} AND (owner_did = ${viewer_did} OR directed_to = ${viewer_did})`.first(db)
  return row && orderOf(row)
}
