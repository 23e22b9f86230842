// A venue's order books: their instruments, sequence numbers and trades.
import type { Database } from '@svc/contract/database'
import { refuse } from '@svc/contract/refusal'
import { uuid_form } from '@svc/contract/text-form'
import { sql } from '@svc/database/sql'
import { type LevelChange, storedLevels } from './book-levels.ts'
import type { BookCommand } from './order-book.ts'
import type { Side } from './order-matching.ts'
import {
  commandText,
  is_open,
  type MakerChange,
  makersFilled,
  type Order,
  ordersInserted,
  orderUpdated,
} from './order-store.ts'

export interface Instrument {
  readonly instrument: string
  readonly base_asset: string
  readonly quote_asset: string
  readonly lot_size: bigint
  readonly tick_size: bigint
}

/** An order book at the time it is read. */
export interface BookState extends Instrument {
  readonly seq: number
  /** The time to judge it by: never before its last change, whichever replica's clock is used. */
  readonly now: Date
  readonly has_expired: boolean
  /** Whether agents of the venue's own organization may trade with each other here. */
  readonly internal_trades: boolean
}

/** Changes to an order book hold this lock until the transaction ends. */
export async function lockBook(db: Database, tenant_id: string, instrument: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${lockKey(tenant_id, instrument)})`.execute(db)
}

/** False if another transaction has the lock. */
export async function tryLockBook(db: Database, tenant_id: string, instrument: string): Promise<boolean> {
  const row = await sql<{ is_locked: boolean }>`
    SELECT pg_try_advisory_xact_lock(${lockKey(tenant_id, instrument)}) AS is_locked`.first(db)
  return row!.is_locked
}

function lockKey(tenant_id: string, instrument: string) {
  return sql`hashtextextended(${`market|${tenant_id}|${instrument}`}, 0)`
}

interface BookRow {
  readonly base_asset: string
  readonly quote_asset: string
  readonly lot_size: string
  readonly tick_size: string
  readonly seq: string
  readonly now: Date
  readonly has_expired: boolean
  readonly internal_trades: boolean
}

/** Undefined if no order was ever placed there. */
export async function readBook(
  db: Database,
  tenant_id: string,
  instrument: string,
  now: Date,
): Promise<BookState | undefined> {
  const rows = await sql<BookRow>`
    SELECT i.base_asset, i.quote_asset, i.lot_size, i.tick_size, coalesce(s.seq, 0) AS seq, t.now,
      EXISTS (SELECT FROM market_orders o WHERE o.tenant_id = i.tenant_id AND o.instrument = i.instrument
        AND ${is_open} AND o.expires_at <= t.now) AS has_expired,
      coalesce(r.internal_trades, false) AS internal_trades
    FROM market_instruments i LEFT JOIN market_book_seq s USING (tenant_id, instrument)
      LEFT JOIN market_rules r USING (tenant_id),
      LATERAL (SELECT greatest(s.at, ${now}::timestamptz) AS now) t
    WHERE i.tenant_id = ${tenant_id} AND i.instrument = ${instrument}`.all(db)
  const row = rows[0]
  if (!row) return undefined
  const { lot_size, tick_size, seq, ...rest } = row
  return { ...rest, instrument, lot_size: BigInt(lot_size), tick_size: BigInt(tick_size), seq: Number(seq) }
}

export async function openInstrument(
  db: Database,
  tenant_id: string,
  { instrument, base_asset, quote_asset, lot_size, tick_size }: Instrument,
  at: Date,
): Promise<void> {
  await sql`
    INSERT INTO market_instruments (tenant_id, instrument, base_asset, quote_asset, lot_size, tick_size, opened_at)
    VALUES (${tenant_id}, ${instrument}, ${base_asset}, ${quote_asset}, ${String(lot_size)}, ${String(tick_size)},
      ${at})`.execute(db)
}

export interface LoggedCommand {
  readonly seq: number
  readonly order_id: string
  readonly command: BookCommand
  readonly levels: readonly LevelChange[]
}

export interface BookChange {
  readonly tenant_id: string
  readonly instrument: string
  readonly logged: readonly LoggedCommand[]
  readonly at: Date
}

/** Logs the changes of the order book, and moves its seq to the last one. */
export async function advanceBook(db: Database, change: BookChange): Promise<void> {
  if (change.logged.length === 0) return
  await sql`WITH moved AS (${bookMoved(change)}) ${logLines(change)}`.execute(db)
}

function bookMoved({ tenant_id, instrument, logged, at }: BookChange) {
  return sql`
    INSERT INTO market_book_seq (tenant_id, instrument, seq, at)
    VALUES (${tenant_id}, ${instrument}, ${logged.at(-1)!.seq}, ${at})
    ON CONFLICT (tenant_id, instrument) DO UPDATE SET seq = excluded.seq, at = excluded.at`
}

function logLines({ tenant_id, instrument, logged, at }: BookChange) {
  const lines = logged.map(({ seq, order_id, command, levels }) => ({
    ...{ seq, order_id, command: commandText(command) },
    levels: storedLevels(levels),
  }))
  return sql`
    INSERT INTO market_order_log (tenant_id, instrument, seq, order_id, at, command, levels)
    SELECT ${tenant_id}, ${instrument}, l.seq, l.order_id, ${at}, l.command::jsonb, l.levels
    FROM jsonb_to_recordset(${JSON.stringify(lines)}::jsonb)
      AS l(seq bigint, order_id uuid, command text, levels jsonb)`
}

export interface Trade {
  readonly trade_id: string
  readonly seq: number
  readonly place: number
  readonly price: bigint
  readonly quantity: bigint
  readonly notional: bigint
  readonly fee: bigint
  readonly taker_side: Side
  readonly taker_order_id: string
  readonly maker_order_id: string
  readonly taker_tenant: string
  readonly taker_did: string
  readonly maker_tenant: string
  readonly maker_did: string
  readonly directed: boolean
  readonly journal_id: string
}

export interface WrittenEntries extends BookChange {
  /** New ones. */
  readonly orders: readonly Order[]
  readonly makers: readonly MakerChange[]
  readonly trades: readonly Trade[]
}

/** All changes of orders to their order book, in one statement: others wait. */
export async function writeEntries(
  db: Database,
  entries: WrittenEntries,
  replacement?: Order,
): Promise<void> {
  const { tenant_id, orders, makers, at, logged } = entries
  if (logged.length === 0) return
  const written = sql`
    WITH moved AS (${bookMoved(entries)}), logged AS (${logLines(entries)}),
      kept AS (${replacement ? orderUpdated(tenant_id, replacement, at) : ordersInserted(tenant_id, orders)}),
      filled AS (${makersFilled(tenant_id, makers, at)})
    ${tradesInserted(entries)}`.execute(db)
  await written.catch((error) => {
    throw error.constraint === 'market_orders_client' ? nameTaken() : error
  })
}

/** Names are read under the lock of one order book, and hold in all of them. */
function nameTaken() {
  return refuse(
    'policy_denied',
    'Another call gave the same client_order_id to an order of another order book at this moment, so nothing was done; see your orders with query_orderbook, or choose a new name.',
    { reason: 'client_order_id already used' },
  )
}

function tradesInserted({ tenant_id, instrument, trades, at }: WrittenEntries) {
  const rows = JSON.stringify(trades, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))
  return sql`
    INSERT INTO market_trades (tenant_id, instrument, traded_at, trade_id, seq, place, price, quantity, notional, fee,
      taker_side, taker_order_id, maker_order_id, taker_tenant, taker_did, maker_tenant, maker_did, directed, journal_id)
    SELECT ${tenant_id}, ${instrument}, ${at}, t.* FROM jsonb_to_recordset(${rows}::jsonb) AS t(trade_id uuid,
      seq bigint, place integer, price numeric, quantity numeric, notional numeric, fee numeric, taker_side text,
      taker_order_id uuid, maker_order_id uuid, taker_tenant text, taker_did text, maker_tenant text, maker_did text,
      directed boolean, journal_id uuid)`
}

/** For contracts that wait for a trade: visible to the venue and both traders. */
export async function tradeIsSettled(db: Database, trade_id: string): Promise<boolean> {
  if (!uuid_form.test(trade_id)) return false
  const row = await sql<{ state: string | null }>`
    SELECT svc_trade_state(${trade_id}) AS state`.first(db)
  return row?.state === 'SETTLED'
}
