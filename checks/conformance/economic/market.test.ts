// MARKET over HTTP: scenario 19, expiry, and the records of trades and refusals. Rules: market.test.ts.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { tradeIsSettled } from '@svc/protocols/economic/market/market-store'
import { sweepOrders } from '@svc/protocols/economic/market/order-expiry'
import { buy, instrument, sell, venue } from '@svc/protocols/economic/market/test-venue'
import type { Addresses } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { eventually } from '../../suite/eventually.ts'
import { deal, type MarketScene, openMarketScene, refused } from './market-scene.ts'

const clock = manualClock('2026-11-15T10:00:00.000Z')
let scene: MarketScene
let books = 0

before(async () => {
  scene = await openMarketScene({ clock })
})
after(() => scene.service.stop())
afterEach(() => scene.assertSound())

const rich = { gold: 1_000_000n, coin: 1_000_000n }
/** New organizations for each test, so that tests do not share an order book. */
async function traders(count: number, funds: Record<string, bigint> = rich): Promise<Addresses[]> {
  books += 1
  return Promise.all(
    Array.from({ length: count }, (_, place) => scene.newTrader(`org-${books}-${place}`, funds)),
  )
}
const place = (trader: Addresses, input: object) => deal(trader, 'create_order', input)
const book = (trader: Addresses, more: object = {}) =>
  deal(trader, 'query_orderbook', { instrument, ...more })
const holds = async (trader: Addresses) => [
  await scene.balance(trader, 'coin', 'available'),
  await scene.balance(trader, 'coin', 'reserved'),
  await scene.balance(trader, 'gold', 'available'),
  await scene.balance(trader, 'gold', 'reserved'),
]
/** Cancels all open orders. */
async function clear(...all: Addresses[]): Promise<void> {
  for (const trader of all)
    for (const { order_id, owner_did } of (await book(trader, { mine: true })).my_orders)
      if (owner_did === trader.agent_did) await place(trader, { action: 'cancel', order_id })
}

test('scenario 19: best price first, then earliest, at the price of the resting order', async () => {
  const [a, b, c, taker] = (await traders(4)) as [Addresses, Addresses, Addresses, Addresses]
  const [first, second, third] = [
    await place(a, sell(80, 100)),
    await place(b, sell(80, 100)),
    await place(c, sell(80, 99)),
  ]
  assert.deepEqual([second.seq - first.seq, third.seq - first.seq, first.state], [1, 2, 'OPEN'])
  const fees_before = await scene.fees('coin')
  const taken = await place(taker, buy(250, 100))
  assert.deepEqual(
    // biome-ignore lint/suspicious/noExplicitAny: as it came over the wire
    taken.fills.map(({ maker_order_id, price, quantity, fee }: any) => [
      maker_order_id,
      price,
      quantity,
      fee,
    ]),
    [
      [third.order_id, '99', '80', '4'],
      [first.order_id, '100', '80', '4'],
      [second.order_id, '100', '80', '4'],
    ],
  )
  assert.deepEqual(
    [taken.state, taken.filled, taken.remaining, taken.cancelled, taken.avg_price, taken.reserved],
    ['PARTIALLY_FILLED', '240', '10', '0', { num: '299', den: '3' }, '1000'],
  )
  const spent = 80n * 99n + 160n * 100n + 12n
  assert.deepEqual(await holds(taker), [1_000_000n - spent - 1000n, 1000n, 1_000_240n, 0n])
  assert.deepEqual(await holds(c), [1_000_000n + 7920n, 0n, 999_920n, 0n])
  assert.equal((await scene.fees('coin')) - fees_before, 12n)
  const state = await book(a, { trades_limit: 2 })
  assert.deepEqual(
    [state.bids, state.asks, state.spread],
    [[{ price: '100', quantity: '10', orders: 1 }], [], undefined],
  )
  assert.deepEqual([state.last_trade.price, state.trades.length, state.book_seq], ['100', 2, taken.seq])
  assert.ok(!JSON.stringify(state).includes('did:oas'), 'a book names nobody')
  await clear(taker)
})

test('a refused order leaves only its audit record', async () => {
  const [maker, taker] = (await traders(2)) as [Addresses, Addresses]
  await place(maker, sell(10, 100))
  await refused(taker, 'create_order', buy(11, 100, { time_in_force: 'FOK' }), 'no liquidity (FOK)')
  await refused(taker, 'create_order', buy(1, 100, { post_only: true }), 'post_only would cross')
  const taking = { instrument, side: 'buy', quantity: '13', min_quantity: '12' }
  await refused(taker, 'execute_trade', taking, 'insufficient liquidity')
  const records = await scene.service.records(taker.tenant_id)
  assert.ok(records.every(({ event_type }) => !event_type.startsWith('Order')))
  assert.equal(records.filter(({ outcome }) => outcome === 'refused').length, 3)
  await clear(maker)
})

test('a day order expires on time: on the next call, and by the sweep', async () => {
  const [owner, taker] = (await traders(2)) as [Addresses, Addresses]
  const until = (ms: number) => ({
    time_in_force: 'GTD',
    expires_at: new Date(clock.now_ms() + ms).toISOString(),
  })
  const met = await place(owner, sell(5, 100, until(1000)))
  const swept = await place(owner, sell(5, 101, until(2000)))
  clock.advance(1000)
  assert.deepEqual((await book(owner)).asks, [{ price: '101', quantity: '5', orders: 1 }])
  assert.equal((await book(owner, { order_id: met.order_id })).order.state, 'EXPIRED')
  await refused(
    owner,
    'create_order',
    { action: 'cancel', order_id: met.order_id },
    'order is EXPIRED; cancel needs OPEN, PARTIALLY_FILLED',
  )
  const bid = await place(taker, buy(5, 100))
  assert.deepEqual([bid.filled, bid.state], ['0', 'OPEN'])
  assert.deepEqual(await holds(owner), [1_000_000n, 0n, 999_995n, 5n])
  clock.advance(1000)
  const { engine } = scene.service.service.store
  const isReleased = async () => {
    // The service also sweeps and may be faster.
    await sweepOrders(engine, testTick(clock.now_ms()))
    assert.deepEqual(await holds(owner), [1_000_000n, 0n, 1_000_000n, 0n])
  }
  await eventually(isReleased)
  assert.equal(await sweepOrders(engine, testTick(clock.now_ms())), 0)
  const expected = [met, swept].map(({ order_id }) => [order_id, 'EXPIRED']).sort()
  const toldOwner = async () => {
    const ended = await scene.service.records(owner.tenant_id, { event_types: ['OrderCancelled'] })
    assert.deepEqual(ended.map(({ meta }) => [meta.order_id, meta.state]).sort(), expected)
  }
  await eventually(toldOwner)
  const others = await scene.service.records(taker.tenant_id, { event_types: ['OrderCancelled'] })
  assert.deepEqual(others, [], 'whose call met it learns nothing of it')
  await clear(taker)
})

test('a trade is in the audit logs of both traders and the venue; others cannot see it', async () => {
  const [maker, taker, third] = (await traders(3)) as [Addresses, Addresses, Addresses]
  await place(maker, sell(3, 10))
  const { fills } = await place(taker, buy(3, 10))
  const { trade_id } = fills[0]
  const chains = await Promise.all(
    [maker.tenant_id, taker.tenant_id, venue].map(async (tenant_id) => {
      const records = await scene.service.records(tenant_id, { event_types: ['TradeExecuted'] })
      return records.find(({ meta }) => meta.trade_id === trade_id)
    }),
  )
  assert.equal(new Set(chains.map((record) => record?.correlation_id)).size, 1)
  for (const record of chains) assert.deepEqual([record?.meta.price, record?.meta.notional], ['10', '30'])
  assert.deepEqual(await scene.service.records(third.tenant_id), [])
  const settledFor = async (tenant_id: string) => {
    const transaction = scene.service.service.store.transaction(tenant_id)
    const is_settled = await tradeIsSettled(transaction.db, trade_id)
    await transaction.rollback()
    return is_settled
  }
  const asking = [venue, maker.tenant_id, taker.tenant_id, third.tenant_id]
  assert.deepEqual(await Promise.all(asking.map(settledFor)), [true, true, true, false])
})
