// Batches: the same result as the same orders one by one, each with its own answer, and a window that reads enough.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { localAdmin } from '@svc/contract/identity/identity'
import { empty_books, type Standing } from '@svc/contract/money/books'
import { openChance } from '../../../checks/faults/scene/chance.ts'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { openBorders } from '../../../checks/scenes/test-treaty.ts'
import { untilWaiting } from '../../../checks/scenes/waiting-sessions.ts'
import { availableTo, balanceOf } from '../ledger/store.ts'
import { market } from './market.ts'
import { assertSound, buy, fund, instrument, issueAssets, replayed, sell, venue } from './test-venue.ts'

interface Trader {
  readonly tenant_id: string
  readonly did: string
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Result = any

let stage: Rehearsal
let organizations = 0
/** Of the organization that runs the market. */
let standing: Standing = 'active'

before(async () => {
  const resolve = (did: string) => ({ outcome: 'Resolved', identity: localAdmin(did) }) as const
  const treaties = openBorders('svc.market.*')
  const treasury = {
    of: (tenant_id: string) => (tenant_id === venue ? { ...empty_books, standing } : empty_books),
  }
  const ports = { treaties, treasury, identity: { resolve } }
  stage = await rehearse(market, { ports, tenants: [venue, 'operator'] })
  await issueAssets(stage.store.engine)
})
after(() => stage.close())
afterEach(async () => {
  await assertSound(stage.store.engine_pool)
  for (const name of [instrument, 'gold/cent']) {
    const { again, made } = await replayed(stage.store.engine_pool, name)
    assert.deepEqual(again, made, 'the log gives the same trades')
  }
})

const rich = { gold: 1_000_000n, coin: 1_000_000n, cent: 1_000_000n }
async function newTrader(funds: Record<string, bigint> = rich): Promise<Trader> {
  const tenant_id = `org-${++organizations}`
  await ensureTenant(stage.store.engine, tenant_id, tenant_id, 'sovereign')
  const { did } = newIdentity(tenant_id, 'agent')
  await fund(stage.store.engine, { tenant_id, did }, funds)
  return { tenant_id, did }
}
const deal = (trader: Trader, operation: string, input: object) =>
  stage.run(operation, input, { ...trader, in_tenant: venue })
const withoutInstrument = ({ instrument: _, ...order }: { instrument?: string }) => order
const batch = async (trader: Trader, orders: object[], name = instrument): Promise<Result[]> =>
  (await deal(trader, 'create_orders', { instrument: name, orders: orders.map(withoutInstrument) })).results
const clear = async (...traders: Trader[]) => {
  for (const trader of traders) await deal(trader, 'cancel_orders', {})
}
const available = ({ tenant_id, did }: Trader, asset_id: string) =>
  balanceOf(stage.store.engine, { tenant_id, did, asset_id, type: 'available' })

test('orders of a batch are taken in their order, and one that is refused does not fail the others', async () => {
  const [maker, taker] = [await newTrader(), await newTrader({ coin: 1_000n })]
  await batch(maker, [sell(5, 100), sell(5, 100), sell(5, 101)])
  const results = await batch(taker, [
    buy(7, 100, { client_order_id: 'one' }),
    buy(1, 100, { client_order_id: 'one' }),
    buy(1, 100, { post_only: true }),
    buy(0, 100),
    buy(9, 100, { time_in_force: 'FOK' }),
    buy(5, 100),
    { side: 'sell', quantity: '7', price: '90' },
    { side: 'buy', type: 'market', quantity: '1' },
  ])
  assert.deepEqual(
    results.map(({ order, refused }) => refused?.reason ?? order.state),
    [
      'FILLED',
      'client_order_id already used',
      'post_only would cross',
      'invalid order',
      'no liquidity (FOK)',
      'insufficient funds',
      'OPEN',
      'CANCELLED',
    ],
  )
  assert.deepEqual(
    [results[0].order.fills.length, results[1].refused.order_id, results[7].order.ended_because],
    [2, results[0].order.order_id, 'self_trade'],
  )
  assert.deepEqual(
    [results[6].order.seq - results[0].order.seq, results[7].order.seq - results[6].order.seq],
    [1, 1],
    'a refused order takes no place',
  )
  for (const { refused } of results) assert.match(refused?.message ?? 'Taken.', /^\S.*[.?]$/s)
  const events = stage.records(taker.tenant_id).map(({ event_type, meta }) => [event_type, meta.place])
  assert.deepEqual(
    events.filter(([type]) => type === 'OrderRefused').map(([, place]) => place),
    [1, 2, 3, 4, 5],
  )
  assert.equal(events.filter(([type]) => type === 'OrderAccepted').length, 3)
  await clear(maker, taker)
})

test('an order is covered when it comes: by what was sold before it, but not by what is sold after it', async () => {
  const [maker, taker] = [await newTrader(), await newTrader({ gold: 10n })]
  await batch(maker, [buy(10, 100), sell(10, 110)])
  const fee = 1n
  const results = await batch(taker, [buy(1, 50), sell(10, 100), buy(9, 50)])
  assert.deepEqual(
    results.map(({ order, refused }) => refused?.reason ?? order.state),
    ['insufficient funds', 'FILLED', 'OPEN'],
  )
  assert.equal(await available(taker, 'coin'), 1_000n - fee - 450n)
  await clear(maker, taker)
})

test('a batch gives the same orders, trades and balances as the same orders one by one', async () => {
  const chance = openChance(80)
  for (let round = 0; round < 6; round++) {
    // Enough to pay with: a batch is covered up to the most its trades may be charged, which is a unit more for each.
    const twins = [await newTrader({ ...rich, gold: 300n }), await newTrader(rich)]
    const orders = Array.from({ length: 40 }, () => ({
      side: chance.pick(['buy', 'sell']),
      quantity: String(1 + chance.below(30)),
      price: String(5 * (15 + chance.below(8))),
      time_in_force: chance.pick(['GTC', 'GTC', 'IOC', 'FOK']),
    }))
    const deep = Array.from({ length: 90 }, () => ({
      side: chance.pick(['buy', 'sell']),
      quantity: String(1 + chance.below(9)),
      price: String(5 * (14 + chance.below(10))),
    }))
    const outcomes: unknown[] = []
    for (const name of [instrument, 'gold/cent']) {
      await batch(twins[1]!, deep, name)
      const alone = async (order: object) =>
        deal(twins[0]!, 'create_order', { ...order, instrument: name }).then(
          (order) => ({ order }),
          ({ details }) => ({ refused: details }),
        )
      const results: Result[] = []
      if (name === instrument) results.push(...(await batch(twins[0]!, orders)))
      else for (const order of orders) results.push(await alone(order))
      const view = await deal(twins[0]!, 'query_orderbook', { instrument: name, depth: 200 })
      outcomes.push([
        results.map(
          ({ order, refused }) => refused?.reason ?? [order.state, order.filled, order.fills.length],
        ),
        [view.bids, view.asks],
      ])
      await clear(...twins)
      // The same gold for both.
      await fund(stage.store.engine, twins[0]!, { gold: 300n - (await available(twins[0]!, 'gold')) })
    }
    assert.deepEqual(outcomes[0], outcomes[1])
  }
})

test('what makes too many trades for one call is refused, and goes by itself', async () => {
  const [maker, taker] = [await newTrader(), await newTrader()]
  for (let n = 0; n < 3; n++)
    await batch(
      maker,
      Array.from({ length: 70 }, () => sell(1, 100)),
    )
  const results = await batch(taker, [buy(150, 100), buy(60, 100), buy(50, 100)])
  assert.deepEqual(
    results.map(({ order, refused }) => refused?.reason ?? order.fills.length),
    [150, 'trades of one call', 50],
  )
  await clear(maker, taker)
})

test('a batch that is refused whole changes nothing, and a repeated one is taken once', async () => {
  const trader = await newTrader()
  const refused = await batch(trader, [buy(0, 1), buy(1, 0)])
  assert.deepEqual([refused.length, refused.every((result) => result.refused)], [2, true])
  await assertRefused(
    deal(trader, 'create_orders', { instrument: 'gold/silver', orders: [withoutInstrument(buy(1, 1))] }),
    'policy_denied',
    'instrument unknown',
  )
  const input = { instrument, orders: [withoutInstrument(buy(1, 10)), withoutInstrument(buy(1, 11))] }
  const keyed = () =>
    stage.run('create_orders', input, { ...trader, in_tenant: venue, idempotency_key: 'batch one' })
  assert.deepEqual(await keyed(), await keyed())
  assert.equal((await deal(trader, 'query_orderbook', { instrument, mine: true })).my_orders.length, 2)
  await clear(trader)
})

test('a market whose organization is being wound up takes no orders and makes no trades for others', async () => {
  const [trader, maker] = [await newTrader(), await newTrader()]
  await batch(maker, [sell(1, 10)])
  standing = 'dissolving'
  try {
    const ways = [
      () => batch(trader, [buy(1, 10)]),
      () => deal(trader, 'create_order', buy(1, 10)),
      () => deal(trader, 'execute_trade', { instrument, side: 'buy', quantity: '1' }),
    ]
    for (const place of ways) await assertRefused(place(), 'policy_denied', 'organization dissolving')
  } finally {
    standing = 'active'
  }
  await clear(maker)
})

test('a name used in two order books at once names one order, and the other call is told', async () => {
  const trader = await newTrader()
  const named = buy(1, 10, { client_order_id: 'twice' })
  const calls: Promise<unknown>[] = []
  await stage.as(venue, async (db) => {
    // Both have read the names by the time they wait for the ledger.
    await availableTo(db, trader, ['coin'])
    calls.push(batch(trader, [named]), deal(trader, 'create_order', { ...named, instrument: 'gold/cent' }))
    await untilWaiting(stage.store.engine, 2)
  })
  const refusals = (await Promise.allSettled(calls)).filter((each) => each.status === 'rejected')
  assert.equal(refusals.length, 1)
  await assertRefused(Promise.reject(refusals[0]!.reason), 'policy_denied', 'client_order_id already used')
  await clear(trader)
})

test('an order that is over at the time of its order book is refused, so that none hides what stands behind it', async () => {
  const [maker, trader] = [await newTrader(), await newTrader()]
  const now_ms = stage.ports.clock.now_ms()
  await batch(maker, [sell(1, 100)])
  // Another engine's clock is ahead by a minute.
  await stage.store.engine_pool.query(
    'UPDATE market_book_seq SET at = $2 WHERE tenant_id = $1 AND instrument = $3',
    [venue, new Date(now_ms + 60_000), instrument],
  )
  const expires_at = new Date(now_ms + 30_000).toISOString()
  const results = await batch(trader, [sell(1, 99, { time_in_force: 'GTD', expires_at }), buy(1, 100)])
  assert.deepEqual(
    results.map(({ order, refused }) => refused?.reason ?? order.state),
    ['invalid order', 'FILLED'],
  )
  await clear(maker, trader)
})
