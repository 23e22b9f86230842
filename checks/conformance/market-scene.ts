// A venue with assets to trade, and traders of several organizations whom a treaty lets in.
import assert from 'node:assert/strict'
import type { GrantSource } from '@svc/adapters/capabilities/effective'
import type { AccountType } from '@svc/contract/money'
import type { Database } from '@svc/contract/operation-context'
import { keepAsset } from '@svc/protocols/economic/asset-store'
import { balanceOf, postJournal } from '@svc/protocols/economic/ledger-store'
import { applyCommand, openBook } from '@svc/protocols/economic/order-book'
import { type OrderRow, parseCommand } from '@svc/protocols/economic/order-store'
import { sql } from 'kysely'
import { type InProcessOptions, type InProcessService, startInProcess } from '../in-process.ts'
import { type Addresses, type Answer, dispatch } from '../running-engine.ts'
import { assertRefusal, assertSuccess } from './expectations.ts'

export const venue = 'exchange'
const nobody = '00000000-0000-4000-8000-000000000000'
const at = '2026-11-15T09:00:00.000Z'

/** What MOAT will grant one day: the market of any other organization. */
export const treaty_grants: GrantSource = {
  grantsTo: (identity, tenant_id) =>
    identity.did.startsWith(`did:oas:${tenant_id}:`)
      ? { held: [], excluded: [] }
      : { held: [{ name: 'svc.market.*', caveats: [], source: 'treaty' }], excluded: [] },
}

export interface MarketScene {
  readonly service: InProcessService
  newTrader(tenant_id: string, funds?: Record<string, bigint>): Promise<Addresses>
  balance(trader: Addresses, asset_id: string, type: AccountType): Promise<bigint>
  fees(asset_id: string): Promise<bigint>
  orders(instrument: string): Promise<OrderRow[]>
  /** What must be true of a venue whenever nobody is in the middle of something. */
  assertSound(): Promise<void>
}

export async function openMarketScene(options: InProcessOptions = {}): Promise<MarketScene> {
  const service = await startInProcess({ more_grants: [treaty_grants], ...options })
  const { engine } = service.service.store
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
    async orders(instrument) {
      const { rows } = await sql<OrderRow>`
        SELECT * FROM market_orders WHERE tenant_id = ${venue} AND instrument = ${instrument} ORDER BY seq`.execute(
        engine,
      )
      return rows
    },
    assertSound: () => assertSound(engine),
  }
}

/** Every account put aside holds what the open orders of its owner say, to the unit, and no book is crossed. */
async function assertSound(engine: Database): Promise<void> {
  const { rows: differing } = await sql`
    SELECT * FROM (
      SELECT owner_tenant AS tenant_id, owner_did AS did, CASE side WHEN 'buy' THEN quote_asset ELSE base_asset END
        AS asset_id, sum(reserved) AS amount
      FROM market_orders JOIN market_instruments USING (tenant_id, instrument) WHERE reserved > 0 GROUP BY 1, 2, 3) o
    FULL JOIN (
      SELECT a.tenant_id, a.did, a.asset_id, b.balance AS amount FROM ledger_accounts a
      JOIN ledger_balances b ON b.account_id = a.id WHERE a.type = 'reserved' AND b.balance > 0) l
    USING (tenant_id, did, asset_id) WHERE o.amount IS DISTINCT FROM l.amount`.execute(engine)
  assert.deepEqual(differing, [])
  const { rows: negative } = await sql`
    SELECT * FROM ledger_balances WHERE balance < 0 AND type <> 'issuance'`.execute(engine)
  assert.deepEqual(negative, [])
  const { rows: created } = await sql`
    SELECT asset_id FROM ledger_entries GROUP BY asset_id HAVING sum(amount) <> 0`.execute(engine)
  assert.deepEqual(created, [])
  const { rows: crossed } = await sql`
    SELECT b.order_id FROM market_orders b JOIN market_orders a USING (tenant_id, instrument)
    WHERE b.reserved > 0 AND a.reserved > 0 AND b.side = 'buy' AND a.side = 'sell' AND b.directed_to IS NULL
      AND a.directed_to IS NULL AND b.expires_at IS NULL AND a.expires_at IS NULL AND b.price >= a.price`.execute(
    engine,
  )
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

type LoggedTrade = readonly [taker: string, maker: string, price: string, quantity: string]

/** The log of a book, matched again from its beginning; beside it the trades that were really made. */
export async function replayed(
  { service }: MarketScene,
  instrument: string,
): Promise<{ again: LoggedTrade[]; made: LoggedTrade[] }> {
  const { engine } = service.service.store
  const { rows: log } = await sql<{ at: Date; command: Record<string, unknown> }>`
    SELECT at, command FROM market_order_log WHERE tenant_id = ${venue} AND instrument = ${instrument}
    ORDER BY seq`.execute(engine)
  const book = openBook()
  const again: LoggedTrade[] = []
  for (const { at: when, command: kept } of log) {
    const command = parseCommand(kept)
    const matching = applyCommand(book, command, when.getTime())
    if (matching?.rejected === null && command.kind === 'place')
      for (const { maker, price, quantity } of matching.fills)
        again.push([command.order.order_id, maker.order_id, String(price), String(quantity)])
  }
  const { rows } = await sql<{
    taker_order_id: string
    maker_order_id: string
    price: string
    quantity: string
  }>`
    SELECT taker_order_id, maker_order_id, price, quantity FROM market_trades
    WHERE tenant_id = ${venue} AND instrument = ${instrument} ORDER BY seq, place`.execute(engine)
  const made = rows.map(
    ({ taker_order_id, maker_order_id, price, quantity }) =>
      [taker_order_id, maker_order_id, price, quantity] as const,
  )
  return { again, made }
}
