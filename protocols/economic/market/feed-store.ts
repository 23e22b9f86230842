// Reads an order book for those who follow it, from its log: what happened after a place, and how the levels are now.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { StoredSide } from './best-levels.ts'
import { type LevelChange, levelsOf } from './book-levels.ts'
import type { ShownTrade } from './market-reads.ts'
import type { Side } from './order-matching.ts'
import { is_open, rank } from './order-store.ts'

export interface BookName {
  readonly tenant_id: string
  readonly instrument: string
}

/** One change of the order book; each has the next seq. */
export interface FeedRow {
  readonly seq: number
  readonly at: string
  /** Undefined for changes from before levels were logged. */
  readonly levels: readonly LevelChange[] | undefined
  readonly trades: readonly Omit<ShownTrade, 'seq' | 'at'>[]
}

interface StoredRow {
  readonly seq: string
  readonly at: Date
  readonly levels: Parameters<typeof levelsOf>[0] | null
  readonly trades: FeedRow['trades']
}

/** Trades of quotes are between two, and left out. */
export async function readFeed(
  db: Database,
  { tenant_id, instrument }: BookName,
  after_seq: number,
  limit: number,
): Promise<FeedRow[]> {
  const rows = await sql<StoredRow>`
    SELECT l.seq, l.at, l.levels, coalesce((SELECT json_agg(json_build_object('trade_id', t.trade_id,
        'price', t.price::text, 'quantity', t.quantity::text, 'taker_side', t.taker_side) ORDER BY t.place)
      FROM market_trades t WHERE t.tenant_id = l.tenant_id AND t.instrument = l.instrument AND t.seq = l.seq
        AND NOT t.directed), '[]') AS trades
    FROM market_order_log l
    WHERE l.tenant_id = ${tenant_id} AND l.instrument = ${instrument} AND l.seq > ${after_seq}
    ORDER BY l.seq LIMIT ${limit}`.all(db)
  return rows.map(({ seq, at, levels, trades }) => ({
    seq: Number(seq),
    at: at.toISOString(),
    levels: levels === null ? undefined : levelsOf(levels),
    trades,
  }))
}

export interface StoredBook {
  readonly seq: number
  readonly at: string | undefined
  readonly sides: Readonly<Record<Side, StoredSide>>
}

interface StoredBookRow {
  readonly seq: string
  readonly at: Date | null
  readonly buy: readonly StoredLevel[]
  readonly sell: readonly StoredLevel[]
}
interface StoredLevel {
  readonly price: string
  readonly quantity: string
  readonly orders: number
}

/** In one statement, so that the levels are those of this seq. Also what has expired, until the log says that it ended. */
export async function readLevels(db: Database, name: BookName, levels_max: number): Promise<StoredBook> {
  const { tenant_id, instrument } = name
  const rows = await sql<StoredBookRow>`
    SELECT coalesce(max(s.seq), 0) AS seq, max(s.at) AS at,
      ${levelsWaiting(name, 'buy', levels_max)} AS buy, ${levelsWaiting(name, 'sell', levels_max)} AS sell
    FROM market_book_seq s WHERE s.tenant_id = ${tenant_id} AND s.instrument = ${instrument}`.all(db)
  const { seq, at, buy, sell } = rows[0]!
  return {
    seq: Number(seq),
    at: at?.toISOString(),
    sides: { buy: sideOf(buy, levels_max), sell: sideOf(sell, levels_max) },
  }
}

function levelsWaiting({ tenant_id, instrument }: BookName, side: Side, levels_max: number) {
  return sql`(SELECT coalesce(json_agg(l), '[]') FROM (
    SELECT price::text, sum(quantity - filled)::text AS quantity, count(*)::integer AS orders
    FROM market_orders WHERE tenant_id = ${tenant_id} AND instrument = ${instrument} AND side = ${side}
      AND ${is_open} AND directed_to IS NULL
    GROUP BY ${rank}, market_orders.price ORDER BY ${rank} LIMIT ${levels_max}) l)`
}

function sideOf(stored: readonly StoredLevel[], levels_max: number): StoredSide {
  return {
    levels: stored.map(({ price, quantity, orders }) => ({
      price: BigInt(price),
      quantity: BigInt(quantity),
      orders,
    })),
    is_whole: stored.length < levels_max,
  }
}
