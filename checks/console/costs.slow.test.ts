// Money in a real browser: spend, a statement down to its records, envelopes, and an order book with its depth.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { type MarketScene, openMarketScene, venue } from '../conformance/economic/market-scene.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { type ConsoleScene, openConsoleOver, type SignedIn, seriousFaults } from './console-scene.ts'

let market: MarketScene
let scene: ConsoleScene
let trader: Addresses
let ann: SignedIn

const done = async (caller: Addresses, protocol: string, operation: string, input: unknown) => {
  const answer = await dispatch(caller, { protocol, operation, input, tenant_id: venue })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.output
}
const order = (caller: Addresses, side: 'buy' | 'sell', price: string, quantity: string) =>
  done(caller, 'MARKET', 'create_order', { instrument: 'gold/coin', side, type: 'limit', price, quantity })

before(async () => {
  market = await openMarketScene()
  scene = await openConsoleOver(market.service)
  trader = await market.newTrader(venue, { gold: 1_000n, coin: 100_000n })
  const other = await market.newTrader('rival', { gold: 1_000n, coin: 100_000n })
  await addMember(market.service.service.store.engine, venue, trader.agent_did, new Date())
  await order(other, 'sell', '12', '5')
  await order(other, 'sell', '13', '7')
  await order(trader, 'buy', '12', '2')
  await order(trader, 'buy', '9', '4')
  await done(trader, 'MANA', 'allocate', {
    envelope: {
      department: 'research',
      max_per_day_usd: '5.000000',
      max_per_month_usd: '100.000000',
      members: [],
    },
    capabilities_granted: [],
    authority: 'mace://sole-member',
  })
  ann = await scene.signIn({ caller: trader })
})
after(() => scene?.close())

test('the order book shows its levels with their depth, its trades, and an order that is cancelled', async () => {
  const { page, goTo, picture } = ann
  await goTo('costs/market?instrument=gold%2Fcoin', 'Costs')
  const asks = page.getByRole('region', { name: 'Asks, best first' })
  await asks.getByRole('row', { name: /^12 3 1 3/ }).waitFor()
  await asks.getByRole('row', { name: /^13 7 1 10/ }).waitFor()
  await page
    .getByRole('region', { name: /last 50 trades/ })
    .getByRole('row', { name: /12 2 buy/ })
    .waitFor()
  await picture('money-market')
  assert.deepEqual(await seriousFaults(page), [])
  const own = page.getByRole('region', { name: 'Your open orders, newest first' })
  await own.getByRole('button', { name: 'Cancel it' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click()
  await own.getByText('You have no open order here.').waitFor()
  await market.assertSound()
})

test('a statement sums to what the engine reports, and each line links to its records', async () => {
  const { page, goTo, picture } = ann
  await goTo('costs/statement', 'Costs')
  const lines = page.getByRole('region', { name: 'Lines, each with its records' })
  await lines.getByRole('row', { name: /^MARKET create_order \d+ / }).waitFor()
  await picture('money-statement')
  await lines.getByRole('link', { name: 'Records of MARKET create_order' }).click()
  await page.getByRole('heading', { name: 'Audit log', exact: true }).waitFor()
  assert.match(page.url(), /protocol=MARKET&operation=create_order/)
})

test('spend is charted by dimension with its numbers, and envelopes are listed', async () => {
  const { page, goTo, picture, faults } = ann
  await goTo('costs/spend', 'Costs')
  for (const name of ['Tokens', 'Time of calls', 'Energy', 'Cost'])
    await page.getByRole('img', { name: `${name}, by day` }).waitFor()
  const budget = await done(trader, 'MANA', 'budget', { tenant_id: venue, dimension: 'usd' })
  await page
    .getByRole('region', { name: 'Runway' })
    .getByTitle(`${budget.credit_line} USD`, { exact: true })
    .first()
    .waitFor()
  await picture('money-spend')
  assert.deepEqual(await seriousFaults(page), [])
  await goTo('costs/envelopes', 'Costs')
  await page.getByRole('row', { name: /^research ACTIVE .*of \$5\.00 .*of \$100\.00/ }).waitFor()
  await goTo('costs/contracts', 'Costs')
  await page.getByRole('row', { name: /^gold/ }).first().waitFor()
  assert.deepEqual(faults, [])
})
