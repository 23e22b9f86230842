// A venue with assets to trade, and traders of several organizations whom a treaty lets in.
import assert from 'node:assert/strict'
import type { AccountType } from '@svc/contract/money/money'
import { keepAsset } from '@svc/protocols/economic/ledger/asset-store'
import { balanceOf, postJournal } from '@svc/protocols/economic/ledger/store'
import { applyCommand, openBook } from '@svc/protocols/economic/market/order-book'
import { parseCommand } from '@svc/protocols/economic/market/order-store'
import type { Pool } from 'pg'
import { type InProcessOptions, type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { openBorders } from '../../scenes/test-treaty.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

export const venue = 'exchange'
const nobody = '00000000-0000-4000-8000-000000000000'
const at = '2026-11-15T09:00:00.000Z'

/** The market of any organization is open to every other. */
export const treaties = openBorders('svc.market.*')

export interface MarketScene {
  readonly service: InProcessService
  newTrader(tenant_id: string, funds?: Record<string, bigint>): Promise<Addresses>
  balance(trader: Addresses, asset_id: string, type: AccountType): Promise<bigint>
  fees(asset_id: string): Promise<bigint>
  countOrders(instrument: string): Promise<number>
  /** What must be true of a venue whenever nobody is in the middle of something. */
  assertSound(): Promise<void>
}

export async function openMarketScene(options: InProcessOptions = {}): Promise<MarketScene> {
  const service = await startInProcess({ treaties, ...options })
  const { engine, engine_pool: pool } = service.service.store
  await service.newCaller({ tenant_id: venue })
  if (!options.config?.db_url) {
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
      await keepAsset(engine, { ...asset, ...sizes }, { tenant_id: venue, did: 'test', at })
    }
  }
  return {
    service,
    async newTrader(tenant_id, funds = {}) {
      const trader = await service.newCaller({ tenant_id })
      for (const [asset_id, amount] of Object.entries(funds)) await fund(service, trader, asset_id, amount)
      return trader
    },
    balance: ({ tenant_id, agent_did: did }, asset_id, type) =>
      balanceOf(engine, { tenant_id, did, asset_id, type }),
    fees: (asset_id) => balanceOf(engine, { tenant_id: service.operator.tenant_id, asset_id, type: 'fees' }),
    async countOrders(instrument) {
      const ask =
        'SELECT count(*)::integer AS count FROM market_orders WHERE tenant_id = $1 AND instrument = $2'
      return (await pool.query<{ count: number }>(ask, [venue, instrument])).rows[0]!.count
    },
    assertSound: () => assertSound(pool),
  }
}

/** Every account put aside holds what the open orders of its owner say, to the unit, and no book is crossed. */
async function assertSound(pool: Pool): Promise<void> {
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

async function fund(
  { service }: InProcessService,
  { tenant_id, agent_did }: Addresses,
  asset_id: string,
  amount: bigint,
): Promise<void> {
  await postJournal(service.store.engine, {
    tenant_id: venue,
    kind: 'test',
    ref: 'test',
    correlation_id: nobody,
    at,
    entries: [
      { tenant_id: venue, asset_id, type: 'issuance', amount: -amount },
      { tenant_id, did: agent_did, asset_id, type: 'available', amount },
    ],
  })
}

export const instrument = 'gold/coin'

export function sell(quantity: number, price: number, more: object = {}) {
  return { instrument, side: 'sell', quantity: String(quantity), price: String(price), ...more }
}

export function buy(quantity: number, price: number, more: object = {}) {
  return { ...sell(quantity, price, more), side: 'buy' }
}

export function askMarket(trader: Addresses, operation: string, input: object): Promise<Answer> {
  return dispatch(trader, { protocol: 'MARKET', operation, input, tenant_id: venue })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
export async function deal(trader: Addresses, operation: string, input: object): Promise<any> {
  return assertSuccess(await askMarket(trader, operation, input)).output
}

export async function refused(
  trader: Addresses,
  operation: string,
  input: object,
  reason: string,
  code: 'policy_denied' | 'invalid_payload' = 'policy_denied',
) {
  return assertRefusal(await askMarket(trader, operation, input), { code, stage: 7, reason })
}

type LoggedTrade = [taker: string, maker: string, price: string, quantity: string]

/** The log of a book, matched again from its beginning; beside it the trades that were really made. */
export async function replayed(
  { service }: MarketScene,
  instrument: string,
): Promise<{ again: LoggedTrade[]; made: LoggedTrade[] }> {
  const { engine_pool: pool } = service.service.store
  const { rows: log } = await pool.query<{ at: Date; command: Record<string, unknown> }>(
    'SELECT at, command FROM market_order_log WHERE tenant_id = $1 AND instrument = $2 ORDER BY seq',
    [venue, instrument],
  )
  const book = openBook()
  const again: LoggedTrade[] = []
  for (const { at: when, command: kept } of log) {
    const command = parseCommand(kept)
    const matching = applyCommand(book, command, when.getTime())
    if (matching?.rejected === null && command.kind === 'place')
      for (const { maker, price, quantity } of matching.fills)
        again.push([command.order.order_id, maker.order_id, String(price), String(quantity)])
  }
  const { rows } = await pool.query<LoggedTrade>({
    text: `SELECT taker_order_id, maker_order_id, price, quantity FROM market_trades
      WHERE tenant_id = $1 AND instrument = $2 ORDER BY seq, place`,
    values: [venue, instrument],
    rowMode: 'array',
  })
  return { again, made: rows }
}
