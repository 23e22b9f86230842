// Trades within one organization where its rule allows them, and cancelling everything at once.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { localAdmin } from '@svc/contract/identity/identity'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { openBorders } from '../../../checks/scenes/test-treaty.ts'
import { balanceOf } from '../ledger/store.ts'
import { market } from './market.ts'
import { assertSound, buy, fund, instrument, issueAssets, replayed, sell, venue } from './test-venue.ts'

interface Trader {
  readonly tenant_id: string
  readonly did: string
}

const rich = { gold: 100_000n, coin: 1_000_000n, bulk: 100_000n }
let stage: Rehearsal
let [chair, ann, bob, guest]: readonly Trader[] = []

async function newTrader(tenant_id: string): Promise<Trader> {
  const { did } = newIdentity(tenant_id, 'agent')
  await fund(stage.store.engine, { tenant_id, did }, rich)
  return { tenant_id, did }
}

before(async () => {
  const resolve = (did: string) => ({ outcome: 'Resolved', identity: localAdmin(did) }) as const
  const treaties = openBorders('svc.market.*')
  stage = await rehearse(market, { ports: { treaties, identity: { resolve } }, tenants: [venue, 'operator'] })
  await issueAssets(stage.store.engine)
  await ensureTenant(stage.store.engine, 'elsewhere', 'elsewhere', 'sovereign')
  ;[chair, ann, bob] = [await newTrader(venue), await newTrader(venue), await newTrader(venue)]
  guest = await newTrader('elsewhere')
  await addMember(stage.store.engine, venue, chair.did, new Date(stage.ports.clock.now_ms()))
})
after(() => stage.close())
afterEach(async () => {
  for (const trader of [ann, bob, guest]) await deal(trader!, 'cancel_orders', {})
  await assertSound(stage.store.engine_pool)
})

const deal = (trader: Trader, operation: string, input: object) =>
  stage.run(operation, input, { ...trader, in_tenant: venue })
const place = (trader: Trader, input: object) => deal(trader, 'create_order', input)
const allow = (internal_trades: boolean) => deal(chair!, 'set_rules', { internal_trades })
const reserved = ({ tenant_id, did }: Trader, asset_id: string) =>
  balanceOf(stage.store.engine, { tenant_id, did, asset_id, type: 'reserved' })

test('agents of the organization trade with each other once its charter allows it, but never with themselves', async () => {
  await place(ann!, sell(5, 100))
  assert.equal((await place(bob!, buy(5, 100))).ended_because, 'self_trade')
  const book = () => deal(guest!, 'query_orderbook', { instrument })
  assert.equal((await book()).internal_trades, false)
  const set = await allow(true)
  assert.deepEqual([set.internal_trades, set.before, (await allow(true)).before], [true, false, true])
  assert.equal((await book()).internal_trades, true, 'whoever comes here can know it')
  const met = await place(bob!, buy(3, 100))
  assert.deepEqual([met.state, met.fills.length, met.fills[0].fee], ['FILLED', 1, '0'])
  const own = await place(ann!, buy(2, 100))
  assert.deepEqual([own.state, own.ended_because, own.filled], ['CANCELLED', 'self_trade', '0'])
  const taken = await deal(bob!, 'execute_trade', { instrument, side: 'buy', quantity: '2' })
  assert.equal(taken.filled, '2')
  await place(ann!, sell(1, 100))
  await allow(false)
  assert.equal((await place(bob!, buy(1, 100))).ended_because, 'self_trade')
  const { again, made } = await replayed(stage.store.engine_pool, instrument)
  assert.deepEqual(again, made, 'the log says by which rule each order was matched')
  assert.deepEqual(
    stage
      .records(venue)
      .flatMap(({ event_type, meta }) =>
        event_type === 'MarketRulesSet' ? [[meta.before, meta.internal_trades]] : [],
      ),
    [
      [false, true],
      [true, true],
      [true, false],
    ],
  )
})

test('the rule holds in the own market only, and looks past the own orders of nobody else', async () => {
  await allow(true)
  const mate = await newTrader('elsewhere')
  await place(guest!, sell(5, 100))
  assert.equal((await place(mate, buy(5, 100))).ended_because, 'self_trade')
  // More orders than one page of makers, all of the own organization.
  for (let n = 0; n < 6; n++) await place(ann!, sell(1, 99))
  const met = await place(bob!, buy(8, 100))
  assert.deepEqual([met.state, met.fills.length], ['FILLED', 7])
  await allow(false)
})

test('only the charter sets the rule, and a stranger cannot set it in another organization', async () => {
  for (const trader of [ann!, guest!])
    await assertRefused(
      deal(trader, 'set_rules', { internal_trades: true }),
      'policy_denied',
      'charter member required',
    )
})

test('all open orders of the caller are cancelled at once, and all they held back is returned', async () => {
  const in_bulk = { instrument: 'bulk/coin', quantity: '2000', price: '5' }
  await place(ann!, buy(10, 90))
  await place(ann!, sell(7, 110))
  await place(ann!, { ...in_bulk, side: 'sell' })
  await place(ann!, sell(3, 120, { directed_to: guest!.did }))
  await place(guest!, sell(4, 105))
  await place(ann!, buy(2, 105))
  await place(guest!, buy(1, 80))
  const done = await deal(ann!, 'cancel_orders', {})
  assert.deepEqual(
    done.cancelled.map((order: Record<string, string>) => [
      order.instrument,
      order.side,
      order.cancelled,
      order.released,
    ]),
    [
      ['bulk/coin', 'sell', '2000', '2000'],
      [instrument, 'buy', '10', '900'],
      [instrument, 'sell', '7', '7'],
      [instrument, 'sell', '3', '3'],
    ],
  )
  assert.deepEqual(done.released, [
    { asset_id: 'bulk', amount: '2000' },
    { asset_id: 'coin', amount: '900' },
    { asset_id: 'gold', amount: '10' },
  ])
  assert.equal(done.more, false)
  for (const asset_id of ['gold', 'coin', 'bulk']) assert.equal(await reserved(ann!, asset_id), 0n)
  const { bids, asks } = await deal(guest!, 'query_orderbook', { instrument })
  assert.deepEqual([bids.length, asks.length], [1, 1], 'the orders of others stay')
  const ids = new Set(done.cancelled.map((order: { order_id: string }) => order.order_id))
  const events = stage.records(venue).filter(({ event_type }) => event_type === 'OrderCancelled')
  assert.equal(events.filter(({ meta }) => ids.has(String(meta.order_id))).length, 4)
  assert.deepEqual(await deal(ann!, 'cancel_orders', {}), { cancelled: [], released: [], more: false })
  const misspelt = deal(ann!, 'cancel_orders', { instrument: 'gold/coim' })
  await assertRefused(misspelt, 'policy_denied', 'instrument unknown')
})

test('one side or one order book, and what does not fit one call is left to the next', async () => {
  for (let n = 0; n < 201; n++) await place(ann!, buy(1, 50))
  await place(ann!, sell(1, 150))
  const first = await deal(ann!, 'cancel_orders', { instrument, side: 'buy' })
  assert.deepEqual([first.cancelled.length, first.more], [200, true])
  const second = await deal(ann!, 'cancel_orders', { side: 'buy' })
  assert.deepEqual([second.cancelled.length, second.more], [1, false])
  assert.equal((await deal(ann!, 'query_orderbook', { instrument, mine: true })).my_orders.length, 1)
  assert.deepEqual((await deal(ann!, 'cancel_orders', { instrument: 'bulk/coin' })).cancelled, [])
})

test('two who cancel at once release each order once, and a repeated call answers the same', async () => {
  for (let n = 0; n < 5; n++) await place(ann!, buy(1, 50 + n))
  const [one, other] = await Promise.all([
    deal(ann!, 'cancel_orders', {}),
    deal(ann!, 'cancel_orders', { side: 'buy' }),
  ])
  assert.equal(one.cancelled.length + other.cancelled.length, 5)
  await place(ann!, buy(1, 50))
  const keyed = () =>
    stage.run('cancel_orders', {}, { ...ann!, in_tenant: venue, idempotency_key: 'all of them' })
  const once = await keyed()
  await place(ann!, buy(1, 51))
  assert.deepEqual([once.cancelled.length, await keyed()], [1, once])
})
