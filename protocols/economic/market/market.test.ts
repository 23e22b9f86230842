// Rules of orders and trades, with traders of several organizations at one venue.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { localAdmin, type ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import { Refusal, type RefusalCode } from '@svc/contract/refusal'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { openBorders } from '../../../checks/scenes/test-treaty.ts'
import { balanceOf } from '../ledger/store.ts'
import { market } from './market.ts'
import {
  assertSound,
  buy,
  countOrders,
  fund,
  instrument,
  issueAssets,
  replayed,
  sell,
  venue,
} from './test-venue.ts'

interface Trader {
  readonly tenant_id: string
  readonly did: string
}

const changed = new Map<string, Partial<ResolvedAgentIdentity>>()
let stage: Rehearsal
let books = 0

before(async () => {
  const resolve = (did: string) =>
    ({ outcome: 'Resolved', identity: { ...localAdmin(did), ...changed.get(did) } }) as const
  const treaties = openBorders('svc.market.*')
  stage = await rehearse(market, { ports: { treaties, identity: { resolve } }, tenants: [venue, 'operator'] })
  await issueAssets(stage.store.engine)
})
after(() => stage.close())
afterEach(() => assertSound(stage.store.engine_pool))

const rich = { gold: 1_000_000n, coin: 1_000_000n }
async function newTrader(tenant_id: string, funds: Record<string, bigint>): Promise<Trader> {
  const { engine } = stage.store
  await ensureTenant(engine, tenant_id, tenant_id, 'sovereign')
  const { did } = newIdentity(tenant_id, 'agent')
  await fund(engine, { tenant_id, did }, funds)
  return { tenant_id, did }
}
/** New organizations for each test, so that tests do not share an order book. */
async function traders(count: number, funds: Record<string, bigint> = rich): Promise<Trader[]> {
  books += 1
  return Promise.all(Array.from({ length: count }, (_, nth) => newTrader(`org-${books}-${nth}`, funds)))
}
const deal = (trader: Trader, operation: string, input: object) =>
  stage.run(operation, input, { ...trader, in_tenant: venue })
const place = (trader: Trader, input: object) => deal(trader, 'create_order', input)
const book = (trader: Trader, more: object = {}) => deal(trader, 'query_orderbook', { instrument, ...more })
async function refused(
  trader: Trader,
  operation: string,
  input: object,
  reason: string,
  code: RefusalCode = 'policy_denied',
): Promise<Refusal> {
  const refusal = await deal(trader, operation, input).then(
    () => assert.fail('not refused'),
    (error) => error,
  )
  assert.ok(refusal instanceof Refusal, String(refusal))
  assert.deepEqual([refusal.code, refusal.details.reason], [code, reason], refusal.message)
  assert.match(refusal.message, /^\S.*[.?]$/s)
  return refusal
}
const balance = ({ tenant_id, did }: Trader, asset_id: string, type: 'available' | 'reserved') =>
  balanceOf(stage.store.engine, { tenant_id, did, asset_id, type })
const holds = async (trader: Trader) => [
  await balance(trader, 'coin', 'available'),
  await balance(trader, 'coin', 'reserved'),
  await balance(trader, 'gold', 'available'),
  await balance(trader, 'gold', 'reserved'),
]
/** Cancels all open orders. */
async function clear(...all: Trader[]): Promise<void> {
  for (const trader of all)
    for (const { order_id, owner_did } of (await book(trader, { mine: true })).my_orders)
      if (owner_did === trader.did) await place(trader, { action: 'cancel', order_id })
}

test('a self-trade cancels the newest order; earlier fills stay', async () => {
  const [own, other] = (await traders(2)) as [Trader, Trader]
  const mate = await newTrader(own.tenant_id, rich)
  await place(other, sell(5, 100))
  const resting = await place(own, sell(5, 101))
  const met = await place(mate, buy(20, 105))
  assert.deepEqual(
    [met.state, met.filled, met.cancelled, met.ended_because, met.reserved],
    ['CANCELLED', '5', '15', 'self_trade', '0'],
  )
  assert.deepEqual((await book(own)).asks, [{ price: '101', quantity: '5', orders: 1 }])
  assert.equal((await book(own, { order_id: resting.order_id })).order.state, 'OPEN')
  const [cancelled] = stage.records(own.tenant_id).filter(({ event_type }) => event_type === 'OrderCancelled')
  assert.deepEqual([cancelled?.meta.because, cancelled?.meta.cancelled], ['self_trade', '15'])
  await clear(own)
})

test('an order that cannot be filled whole, would cross or is unaffordable leaves no trace', async () => {
  const [maker, taker] = (await traders(2)) as [Trader, Trader]
  const poor = await newTrader(`${taker.tenant_id}-poor`, { coin: 1005n })
  await place(maker, sell(10, 100))
  await place(maker, sell(1, 200))
  const before_all = [
    await holds(taker),
    await countOrders(stage.store.engine_pool, instrument),
    (await book(taker)).book_seq,
  ]
  await refused(taker, 'create_order', buy(11, 100, { time_in_force: 'FOK' }), 'no liquidity (FOK)')
  await refused(taker, 'create_order', buy(1, 100, { post_only: true }), 'post_only would cross')
  await refused(poor, 'create_order', buy(10, 101), 'insufficient funds')
  await refused(
    poor,
    'create_order',
    { ...buy(11, 1), price: undefined, type: 'market' },
    'insufficient funds',
  )
  await refused(poor, 'create_order', sell(1, 500), 'insufficient funds')
  const taking = { instrument, side: 'buy', quantity: '13', min_quantity: '12' }
  await refused(taker, 'execute_trade', taking, 'insufficient liquidity')
  assert.deepEqual(
    [
      await holds(taker),
      await countOrders(stage.store.engine_pool, instrument),
      (await book(taker)).book_seq,
    ],
    before_all,
  )
  assert.deepEqual(await holds(poor), [1005n, 0n, 0n, 0n])
  assert.deepEqual(stage.records(taker.tenant_id), [])
  assert.equal((await place(poor, buy(10, 100))).state, 'FILLED')
  assert.deepEqual(await holds(poor), [1005n - 1000n - 1n, 0n, 10n, 0n])
  await clear(maker)
})

test('IOC and market orders take what is available; the rest never stays', async () => {
  const [maker, taker] = (await traders(2)) as [Trader, Trader]
  await place(maker, sell(5, 100))
  await place(maker, sell(5, 103))
  const some = await place(taker, buy(7, 100, { time_in_force: 'IOC' }))
  assert.deepEqual([some.filled, some.cancelled, some.ended_because], ['5', '2', 'immediate_or_cancel'])
  const any = await place(taker, { instrument, side: 'buy', quantity: '9', type: 'market' })
  assert.deepEqual([any.filled, any.cancelled, any.state], ['5', '4', 'CANCELLED'])
  const none = await place(taker, { instrument, side: 'sell', quantity: '9', type: 'market' })
  assert.deepEqual(
    [none.filled, none.state, none.reserved, none.avg_price],
    ['0', 'CANCELLED', '0', undefined],
  )
  await place(maker, buy(4, 90))
  const sold = await deal(taker, 'execute_trade', {
    instrument,
    side: 'sell',
    quantity: '6',
    limit_price: '90',
  })
  assert.deepEqual([sold.filled, sold.unfilled, sold.notional, sold.fees], ['4', '2', '360', '0'])
  assert.equal(sold.trades[0].state, 'SETTLED')
  assert.equal(sold.journal_ids.length, 1)
  // 500 and 515 together cost a fee of one, which neither does alone.
  assert.deepEqual([some.fills[0].fee, any.fills[0].fee], ['0', '1'])
  assert.deepEqual(await holds(taker), [1_000_000n - 500n - 515n + 360n - 1n, 0n, 1_000_006n, 0n])
})

test('a smaller quantity at the same price keeps priority; any other change loses it, and may trade', async () => {
  const [owner, rival, taker] = (await traders(3)) as [Trader, Trader, Trader]
  const mine = await place(owner, sell(10, 100))
  const theirs = await place(rival, sell(10, 100))
  const less = await place(owner, { action: 'replace', order_id: mine.order_id, quantity: '4' })
  assert.deepEqual([less.seq, less.quantity, less.reserved], [mine.seq, '4', '4'])
  const one = await place(taker, buy(1, 100))
  assert.equal(one.fills[0].maker_order_id, mine.order_id)
  const more = await place(owner, { action: 'replace', order_id: mine.order_id, quantity: '6' })
  assert.ok(more.seq > theirs.seq)
  assert.deepEqual([more.filled, more.remaining, more.reserved], ['1', '5', '5'])
  const two = await place(taker, buy(1, 100))
  assert.equal(two.fills[0].maker_order_id, theirs.order_id)
  const replace = { action: 'replace', order_id: mine.order_id }
  await refused(owner, 'create_order', { ...replace, quantity: '1' }, 'quantity already filled')
  await refused(rival, 'create_order', { ...replace, quantity: '2' }, 'not order owner')
  const bid = await place(taker, buy(20, 95))
  const crossed = await place(taker, {
    action: 'replace',
    order_id: bid.order_id,
    price: '100',
    quantity: '12',
  })
  assert.deepEqual([crossed.state, crossed.fills.length], ['FILLED', 2])
  const rest = await place(owner, { action: 'cancel', order_id: mine.order_id })
  assert.deepEqual([rest.state, rest.filled, rest.cancelled, rest.reserved], ['CANCELLED', '4', '2', '0'])
  await refused(owner, 'create_order', replace, 'order is CANCELLED; replace needs OPEN, PARTIALLY_FILLED')
  await refused(
    owner,
    'create_order',
    { ...replace, action: 'cancel' },
    'order is CANCELLED; cancel needs OPEN, PARTIALLY_FILLED',
  )
})

test('only its addressee sees and takes a directed quote, off the order book', async () => {
  const [maker, addressee, stranger] = (await traders(3)) as [Trader, Trader, Trader]
  const quote = await place(maker, sell(10, 50, { directed_to: addressee.did }))
  const lit = await book(stranger)
  assert.deepEqual([lit.asks, lit.last_trade?.price === '50'], [[], false])
  const take = { instrument, side: 'buy', quantity: '4', order_id: quote.order_id }
  const hidden = await refused(stranger, 'execute_trade', take, 'not_found', 'invalid_payload')
  const missing = await refused(
    stranger,
    'execute_trade',
    { ...take, order_id: maker_of_nothing },
    'not_found',
    'invalid_payload',
  )
  assert.equal(hidden.message.replace(quote.order_id, ''), missing.message.replace(maker_of_nothing, ''))
  await refused(
    stranger,
    'query_orderbook',
    { instrument, order_id: quote.order_id },
    'not_found',
    'invalid_payload',
  )
  const [shown] = (await book(addressee, { mine: true })).my_orders
  assert.deepEqual([shown.order_id, shown.owner_did, shown.reserved], [quote.order_id, maker.did, undefined])
  const idle = await place(addressee, { instrument, side: 'buy', quantity: '3', type: 'market' })
  assert.equal(idle.filled, '0', 'the lit book does not reach it')
  const self = await deal(maker, 'execute_trade', take)
  assert.deepEqual([self.filled, self.ended_because], ['0', 'self_trade'])
  const taken = await deal(addressee, 'execute_trade', take)
  assert.deepEqual([taken.filled, taken.notional], ['4', '200'])
  const trades_of = {
    maker: (await book(maker, { trades_limit: 9 })).trades,
    stranger: (await book(stranger, { trades_limit: 500 })).trades,
  }
  const named = (list: { trade_id: string }[]) =>
    list.some(({ trade_id }) => trade_id === taken.trades[0].trade_id)
  assert.deepEqual([named(trades_of.maker), named(trades_of.stranger)], [true, false])
  const mate = await newTrader(maker.tenant_id, rich)
  const internal = await place(maker, sell(1000, 50, { directed_to: mate.did }))
  const inside = await deal(mate, 'execute_trade', { ...take, quantity: '1000', order_id: internal.order_id })
  assert.deepEqual([inside.filled, inside.fees], ['1000', '0'], 'inside one organization there is no fee')
  await clear(maker)
})
const maker_of_nothing = '00000000-0000-4000-8000-000000000000'

test('naming an order does not bypass priority', async () => {
  const [first, second, taker] = (await traders(3)) as [Trader, Trader, Trader]
  const best = await place(first, sell(5, 100))
  const next = await place(second, sell(5, 100))
  const take = { instrument, side: 'buy', quantity: '9' }
  await refused(taker, 'execute_trade', { ...take, order_id: next.order_id }, 'price-time priority')
  const taken = await deal(taker, 'execute_trade', { ...take, order_id: best.order_id })
  assert.deepEqual([taken.filled, taken.unfilled], ['5', '4'], 'only the one that was named')
  await refused(
    taker,
    'execute_trade',
    { ...take, order_id: best.order_id },
    'order is FILLED; execute_trade needs OPEN, PARTIALLY_FILLED',
  )
  await clear(second)
  const line: string[] = []
  for (const price of [102, 101, 103, 101, 102, 101]) line.push((await place(first, sell(1, price))).order_id)
  const { fills } = await place(taker, buy(6, 103))
  const met = fills.map(({ maker_order_id }: { maker_order_id: string }) => line.indexOf(maker_order_id))
  assert.deepEqual(met, [1, 3, 5, 0, 4, 2], 'however far it reaches')
})

test('an invalid order, or one from a caller that may not trade, is refused with its field or rule', async () => {
  const [trader] = (await traders(1, { ...rich, bulk: 10_000n })) as [Trader]
  const faults: [object, string][] = [
    [{ instrument, side: 'buy', quantity: '1' }, '/price'],
    [{ side: 'buy', quantity: '1', price: '1' }, '/instrument'],
    [buy(0, 1), '/quantity'],
    [buy(1, 0), '/price'],
    [sell(1500, 1, { instrument: 'bulk/coin' }), '/quantity'],
    [buy(1, 7, { instrument: 'gold/cent' }), '/price'],
    [buy(1, 1, { expires_at: '2030-01-01T00:00:00Z' }), '/expires_at'],
    [buy(1, 1, { time_in_force: 'GTD' }), '/expires_at'],
    [buy(1, 1, { time_in_force: 'GTD', expires_at: '2026-11-15T09:59:59Z' }), '/expires_at'],
    [buy(1, 1, { time_in_force: 'GTD', expires_at: '2027-02-30T00:00:00Z' }), '/expires_at'],
    [buy(1, 1, { type: 'market' }), '/price'],
    [buy(1, 1, { post_only: true, time_in_force: 'IOC' }), '/post_only'],
    [buy(1, 1, { directed_to: trader.did }), '/directed_to'],
    [buy(1, 1, { order_id: maker_of_nothing }), '/order_id'],
    [{ action: 'cancel' }, '/order_id'],
    [{ action: 'cancel', order_id: maker_of_nothing, quantity: '1' }, '/quantity'],
    [{ ...buy(1, 1), quantity: '9'.repeat(31), price: '9'.repeat(31) }, '/quantity'],
  ]
  for (const [input, pointer] of faults) {
    const { details } = await refused(trader, 'create_order', input, 'invalid order', 'invalid_payload')
    assert.equal(details.faults![0]!.pointer, pointer, JSON.stringify(input))
  }
  for (const unknown of ['gold/gold', 'gold/nothing', 'nothing/coin']) {
    await refused(trader, 'create_order', buy(1, 1, { instrument: unknown }), 'instrument unknown')
    await refused(trader, 'query_orderbook', { instrument: unknown }, 'instrument unknown')
  }
  await place(trader, buy(1, 1, { client_order_id: 'one' }))
  await refused(trader, 'create_order', buy(1, 1, { client_order_id: 'one' }), 'client_order_id already used')
  const bulk = await place(trader, sell(2000, 7, { instrument: 'bulk/coin' }))
  assert.equal(bulk.reserved, '2000')
  const person = await newTrader('people', rich)
  changed.set(person.did, { entity_kind: 'HumanRoot' })
  await refused(person, 'create_order', buy(1, 1), 'agent or autonomous org required')
  const low = await newTrader('lower', rich)
  changed.set(low.did, { conformance_level: 'L1' })
  await refused(low, 'execute_trade', { instrument, side: 'buy', quantity: '1' }, 'conformance L2 required')
  await clear(trader)
})

test('replaying the log of an order book gives the same trades', async () => {
  const { again, made } = await replayed(stage.store.engine_pool, instrument)
  assert.ok(made.length > 10)
  assert.deepEqual(again, made)
})
