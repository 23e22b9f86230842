// Orders per second: the bare matcher in memory, and the same orders through the whole pipeline into one
// order book.
import { readFileSync } from 'node:fs'
import type { Credential } from '@svc/engine/call'
import { applyCommand, openBook } from '@svc/protocols/economic/market/order-book'
import type { Incoming, Side } from '@svc/protocols/economic/market/order-matching'
import { type MarketScene, openMarketScene, venue } from '../conformance/economic/market-scene.ts'
import type { Addresses } from '../engines/running-engine.ts'
import { openChance } from '../faults/scene/chance.ts'

const instrument = 'gold/coin'
const matched = 300_000
const dispatched = 400
const batched = 4_000
const batch_sizes = [10, 50, 100] as const
const callers = 8
const seed = 6

export async function measureMarket(): Promise<Record<string, unknown>> {
  matchOrders(matched / 10)
  const matcher_per_s = matchOrders(matched)
  const scene = await openMarketScene({ check_outputs: false })
  try {
    const traders = await openTraders(scene)
    await dispatchOrders(scene, traders, callers * 10, 1)
    const single = await dispatchOrders(scene, traders, dispatched, 1)
    console.log(
      `\nmarket: bare matcher ${matcher_per_s.toFixed(0)} orders/s, dispatch into one book ${shown(single)}, ` +
        `${callers} callers; ratio ${(matcher_per_s / single.per_s).toFixed(0)}`,
    )
    const batches: Record<number, Rate> = {}
    for (const size of batch_sizes) {
      const rate = await dispatchOrders(scene, traders, batched, size)
      batches[size] = rate
      const ratio = (rate.per_s / single.per_s).toFixed(1)
      console.log(`market: ${size} orders a call ${shown(rate)}; ${ratio} times one order a call`)
    }
    return { matcher_per_s, single, batches, callers }
  } finally {
    await scene.service.stop()
  }
}

interface Rate {
  readonly per_s: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** Busy time of one order, in this process and in the database: also true where others use the machine. */
  readonly own_us: number
  readonly database_us: number
}

const tick_us = 10_000

/** Of the connections to this database, where it runs on this machine; NaN elsewhere. */
async function databaseUs({ service }: MarketScene): Promise<number> {
  const { rows } = await service.service.store.engine_pool.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database()',
  )
  try {
    const ticks = rows.map(({ pid }) => {
      const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .split(') ')[1]!
        .split(' ')
        .slice(11, 13)
      return Number(user) + Number(system)
    })
    return ticks.reduce((sum, each) => sum + each, 0) * tick_us
  } catch {
    return Number.NaN
  }
}

function ownUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

function shown({ per_s, p50_ms, p99_ms, own_us, database_us }: Rate): string {
  const calls = `a call p50 ${p50_ms.toFixed(1)} ms, p99 ${p99_ms.toFixed(1)} ms`
  const busy = `busy for an order: ${own_us.toFixed(0)} µs here, ${database_us.toFixed(0)} µs in the database`
  return `${per_s.toFixed(0)} orders/s (${calls}; ${busy})`
}

/** Mostly resting orders around one price, of a hundred owners; one in ten is cancelled. */
function matchOrders(count: number): number {
  const chance = openChance(seed)
  const orders = Array.from({ length: count }, (_, seq): Incoming => {
    const owner = `t${chance.below(100)}`
    const side: Side = chance.pick(['buy', 'sell'])
    const price = BigInt(1000 + chance.below(100) + (side === 'buy' ? -40 : 0))
    const facts = { order_id: `o${seq}`, seq, owner_tenant: owner, owner_did: owner, side, price }
    const remaining = BigInt(1 + chance.below(50))
    return { ...facts, remaining, expires_ms: null, time_in_force: 'GTC', post_only: false }
  })
  const book = openBook()
  const begun = performance.now()
  for (const order of orders) {
    applyCommand(book, { kind: 'place', order }, 0)
    if (order.seq % 10 === 0) applyCommand(book, { kind: 'end', order_id: `o${order.seq >> 1}` }, 0)
  }
  return (count / (performance.now() - begun)) * 1000
}

async function openTraders(scene: MarketScene): Promise<Addresses[]> {
  const traders: Addresses[] = []
  const funds = { gold: 10n ** 12n, coin: 10n ** 15n }
  const { audit_log } = scene.service.service
  for (let place = 0; place < callers; place++) {
    traders.push(await scene.newTrader(`bench-${place}`, funds))
    await audit_log.ready(`bench-${place}`)
  }
  return traders
}

/** All callers at once, each with one call after the other, into one order book. */
async function dispatchOrders(
  scene: MarketScene,
  traders: readonly Addresses[],
  count: number,
  size: number,
): Promise<Rate> {
  const { engine } = scene.service.service
  const chance = openChance(seed)
  const newOrder = () => {
    const side = chance.pick(['buy', 'sell'])
    const price = String(1000 + chance.below(100) + (side === 'buy' ? -40 : 0))
    return { side, price, quantity: String(1 + chance.below(50)) }
  }
  const times: number[] = []
  let taken = 0
  const place = async ({ agent_did: did, tenant_id }: Addresses) => {
    const credential: Credential = { key_id: 'bench', did, tenant_id, tier: 'sovereign', capabilities: [] }
    for (let done = 0; done < count / callers; done += size) {
      const orders = Array.from({ length: size }, newOrder)
      const [operation, input] =
        size === 1
          ? ['create_order', { instrument, ...orders[0] }]
          : ['create_orders', { instrument, orders }]
      const begun = performance.now()
      const outcome = await engine.dispatch({
        request: { protocol: 'MARKET', version: 'v1', operation, tenant_id: venue, input },
        credential,
        origin: 'internal',
      })
      times.push(performance.now() - begun)
      if (outcome.kind !== 'success') throw new Error(`an order was not taken: ${JSON.stringify(outcome)}`)
      taken += size === 1 ? 1 : takenOf(outcome)
    }
  }
  const before = { own: ownUs(), database: await databaseUs(scene) }
  const begun = performance.now()
  await Promise.all(traders.map(place))
  const per_s = (taken / (performance.now() - begun)) * 1000
  const own_us = (ownUs() - before.own) / taken
  const database_us = ((await databaseUs(scene)) - before.database) / taken
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)]!
  return { per_s, p50_ms: at(0.5), p99_ms: at(0.99), own_us, database_us }
}

/** Only orders that were taken count. */
function takenOf(outcome: { readonly output_text: string }): number {
  const { results } = JSON.parse(outcome.output_text) as { results: { order?: unknown }[] }
  return results.filter(({ order }) => order !== undefined).length
}
