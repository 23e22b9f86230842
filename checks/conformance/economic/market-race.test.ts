// Scenario 20: concurrent clients trade through two replicas; the result must equal a sequential one.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { instrument, replayed, venue } from '@svc/protocols/economic/market/test-venue'
import { startInProcess } from '../../engines/in-process.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { announce, type Chance, is_long, openChance, report } from '../../faults/scene/chance.ts'
import { stopwatch } from '../../suite/real-time.ts'
import { askMarket, type MarketScene, openMarketScene, treaties } from './market-scene.ts'

const [clients, orders_each] = is_long ? [50, 100] : [6, 8]
const funds = { gold: 400n, coin: 40_000n }
const expected_refusals = [
  'insufficient funds',
  'no liquidity (FOK)',
  'post_only would cross',
  'quantity already filled',
  'order is FILLED; cancel needs OPEN, PARTIALLY_FILLED',
  'order is FILLED; replace needs OPEN, PARTIALLY_FILLED',
  'order is CANCELLED; replace needs OPEN, PARTIALLY_FILLED',
  'order is CANCELLED; cancel needs OPEN, PARTIALLY_FILLED',
]

function randomOrder(chance: Chance, own: readonly string[]): object {
  const drawn = chance.below(20)
  const order_id = own.length > 0 ? chance.pick(own) : undefined
  const price = String(95 + chance.below(11))
  const quantity = String(1 + chance.below(20))
  if (drawn === 0 && order_id) return { action: 'cancel', order_id }
  if (drawn === 1 && order_id) return { action: 'replace', order_id, price, quantity }
  const order = { instrument, side: chance.pick(['buy', 'sell']), quantity }
  if (drawn === 2) return { ...order, type: 'market' }
  if (drawn === 3) return { ...order, price, time_in_force: 'FOK' }
  if (drawn === 4) return { ...order, price, post_only: true }
  return { ...order, price, time_in_force: chance.pick(['GTC', 'GTC', 'IOC']) }
}

/** One client that sends orders in sequence, alternating between the replicas. */
async function trade(
  trader: Addresses,
  dispatch_endpoints: readonly string[],
  chance: Chance,
): Promise<void> {
  const own: string[] = []
  for (let count = 0; count < orders_each; count++) {
    const at = { ...trader, api_url: chance.pick(dispatch_endpoints) }
    const { status, body } = await askMarket(at, 'create_order', randomOrder(chance, own))
    if (status === 200) own.push(body.output.order_id)
    else assert.ok(expected_refusals.includes(body.error.reason), JSON.stringify(body))
    if (count % 5 > 0) continue
    const answer = await askMarket(at, 'query_orderbook', { instrument, depth: 1 })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const { spread } = answer.body.output
    assert.ok(spread === undefined || BigInt(spread) > 0n, 'a book is never crossed')
  }
}

/** The total of an asset in all accounts but the issuer's. */
async function held({ service }: MarketScene, asset_id: string): Promise<bigint> {
  const ask = `
    SELECT sum(b.balance) AS amount FROM ledger_balances b JOIN ledger_accounts a ON a.id = b.account_id
    WHERE a.asset_id = $1 AND a.type IN ('available', 'reserved')`
  const { engine_pool } = service.service.store
  const { rows } = await engine_pool.query<{ amount: string }>(ask, [asset_id])
  return BigInt(rows[0]!.amount)
}

async function run(t: TestContext, scene: MarketScene, dispatch_endpoints: readonly string[]): Promise<void> {
  const chance = openChance()
  announce(t, import.meta.filename, clients * orders_each, chance)
  const traders: Addresses[] = []
  for (let place = 0; place < clients; place++)
    traders.push(await scene.newTrader(`trader-${place % Math.ceil(clients / 1.5)}`, funds))
  const elapsed_ms = stopwatch()
  const seeds = traders.map(() => chance.below(2 ** 31))
  await Promise.all(
    traders.map((trader, place) => trade(trader, dispatch_endpoints, openChance(seeds[place]))),
  )
  const seconds = elapsed_ms() / 1000
  await scene.assertSound()
  const count = BigInt(clients)
  assert.equal(await held(scene, 'gold'), funds.gold * count)
  assert.equal((await held(scene, 'coin')) + (await scene.fees('coin')), funds.coin * count)
  const { again, made } = await replayed(scene.service.service.store.engine_pool, instrument)
  assert.deepEqual(again, made)
  assert.ok(made.length > 0, 'there was trade')
  const { rows } = await scene.service.service.store.engine_pool.query<{ lines: string; last: string }>(
    'SELECT count(*) AS lines, max(seq) AS last FROM market_order_log WHERE tenant_id = $1',
    [venue],
  )
  assert.equal(rows[0]!.lines, rows[0]!.last, 'no seq was lost or given twice')
  report(t, { trades: made.length, orders: clients * orders_each, per_s: (clients * orders_each) / seconds })
}

test('scenario 20: concurrent trading over two replicas', { timeout: 600_000 }, async (t) => {
  const master_key = randomBytes(32)
  const scene = await openMarketScene({ config: { master_key } })
  try {
    const { db_url } = scene.service
    const other = await startInProcess({ treaties, config: { master_key, db_url } })
    try {
      await run(t, scene, [scene.service.api_url, other.api_url])
    } finally {
      await other.stop()
    }
  } finally {
    await scene.service.stop()
  }
})
