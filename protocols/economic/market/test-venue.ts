// A venue with assets, funded traders, and its order book's invariants: for tests with or without a service.
import assert from 'node:assert/strict'
import type { Database } from '@svc/contract/database'
import type { Pool } from 'pg'
import { keepAsset, postJournal } from '../ledger/api.ts'
import { applyCommand, openBook } from './order-book.ts'
import { parseCommand } from './order-store.ts'

export const venue = 'exchange'
const nobody = '00000000-0000-4000-8000-000000000000'
const at = '2026-11-15T09:00:00.000Z'

/** Issued by the venue. */
export async function issueAssets(db: Database): Promise<void> {
  for (const [asset_id, lot_size, tick_size] of [
    ['gold', 1n, 1n],
    ['coin', 1n, 1n],
    ['bulk', 1000n, 1n],
    ['cent', 1n, 5n],
  ] as const) {
    const asset = {
      asset_id,
      kind: 'token',
      rail: 'internal',
      code: asset_id.toUpperCase(),
      decimals: 0,
    } as const
    const sizes = { finality_s: 0, lot_size, tick_size, max_supply: null }
    await keepAsset(db, { ...asset, ...sizes }, { tenant_id: venue, did: 'test', at })
  }
}

export async function fund(
  db: Database,
  trader: { readonly tenant_id: string; readonly did: string },
  funds: Readonly<Record<string, bigint>>,
): Promise<void> {
  for (const [asset_id, amount] of Object.entries(funds))
    await postJournal(db, {
      ...{ tenant_id: venue, kind: 'test', ref: 'test', correlation_id: nobody, at },
      entries: [
        { tenant_id: venue, asset_id, type: 'issuance', amount: -amount },
        { ...trader, asset_id, type: 'available', amount },
      ],
    })
}

export async function countOrders(pool: Pool, instrument: string): Promise<number> {
  const query =
    'SELECT count(*)::integer AS count FROM market_orders WHERE tenant_id = $1 AND instrument = $2'
  return (await pool.query<{ count: number }>(query, [venue, instrument])).rows[0]!.count
}

export const instrument = 'gold/coin'

export function sell(quantity: number, price: number, more: object = {}) {
  return { instrument, side: 'sell', quantity: String(quantity), price: String(price), ...more }
}

export function buy(quantity: number, price: number, more: object = {}) {
  return { ...sell(quantity, price, more), side: 'buy' }
}

/** Reserved balances equal the reservations of their owner's open orders, and no order book is crossed. */
export async function assertSound(pool: Pool): Promise<void> {
  const { rows: differing } = await pool.query(`
    SELECT * FROM (
      SELECT owner_tenant AS tenant_id, owner_did AS did, CASE side WHEN 'buy' THEN quote_asset ELSE base_asset END
        AS asset_id, sum(reserved) AS amount
      FROM market_orders JOIN market_instruments USING (tenant_id, instrument) WHERE reserved > 0 GROUP BY 1, 2, 3) o
    FULL JOIN (
      SELECT a.tenant_id, a.did, a.asset_id, b.balance AS amount FROM ledger_accounts a
      JOIN ledger_balances b ON b.account_id = a.id WHERE a.type = 'reserved' AND b.balance > 0) l
    USING (tenant_id, did, asset_id) WHERE o.amount IS DISTINCT FROM l.amount`)
  assert.deepEqual(differing, [])
  const { rows: negative } = await pool.query(`
    SELECT * FROM ledger_balances WHERE balance < 0 AND type <> 'issuance'`)
  assert.deepEqual(negative, [])
  const { rows: created } = await pool.query(`
    SELECT asset_id FROM ledger_entries GROUP BY asset_id HAVING sum(amount) <> 0`)
  assert.deepEqual(created, [])
  const { rows: crossed } = await pool.query(`
    SELECT b.order_id FROM market_orders b JOIN market_orders a USING (tenant_id, instrument)
    WHERE b.reserved > 0 AND a.reserved > 0 AND b.side = 'buy' AND a.side = 'sell' AND b.directed_to IS NULL
      AND a.directed_to IS NULL AND b.expires_at IS NULL AND a.expires_at IS NULL AND b.price >= a.price`)
  assert.deepEqual(crossed, [])
}

type LoggedTrade = [taker: string, maker: string, price: string, quantity: string]

/** The log of an order book, replayed from its start, and the trades that were made. */
export async function replayed(
  pool: Pool,
  instrument_name: string,
): Promise<{ again: LoggedTrade[]; made: LoggedTrade[] }> {
  const { rows: log } = await pool.query<{ at: Date; command: Record<string, unknown> }>(
    'SELECT at, command FROM market_order_log WHERE tenant_id = $1 AND instrument = $2 ORDER BY seq',
    [venue, instrument_name],
  )
  const book = openBook()
  const again: LoggedTrade[] = []
  for (const { at: when, command: logged } of log) {
    const command = parseCommand(logged)
    const matching = applyCommand(book, command, when.getTime())
    if (matching?.rejected === null && command.kind === 'place')
      for (const { maker, price, quantity } of matching.fills)
        again.push([command.order.order_id, maker.order_id, String(price), String(quantity)])
  }
  const { rows } = await pool.query<Record<string, string>>(
    `SELECT taker_order_id, maker_order_id, price, quantity FROM market_trades
      WHERE tenant_id = $1 AND instrument = $2 ORDER BY seq, place`,
    [venue, instrument_name],
  )
  const made = rows.map(
    (row): LoggedTrade => [row.taker_order_id!, row.maker_order_id!, row.price!, row.quantity!],
  )
  return { again, made }
}
