// Orders per second: the bare matcher in memory, and the same orders through the whole pipeline into one
// order book.
import type { Credential } from '@svc/engine/call'
import { applyCommand, openBook } from '@svc/protocols/economic/market/order-book'
import type { Incoming, Side } from '@svc/protocols/economic/market/order-matching'
import { openMarketScene, venue } from '../conformance/economic/market-scene.ts'
import type { Addresses } from '../engines/running-engine.ts'
import { openChance } from '../faults/scene/chance.ts'

const matched = 300_000
const dispatched = 600
const callers = 8
const seed = 6

export async function measureMarket(): Promise<Record<string, unknown>> {
  matchOrders(matched / 10)
  const matcher_per_s = matchOrders(matched)
  const { dispatch_per_s, p50_ms, p99_ms } = await dispatchOrders()
  const ratio = matcher_per_s / dispatch_per_s
  console.log(
    `\nmarket: bare matcher ${matcher_per_s.toFixed(0)} orders/s, dispatch into one book ` +
      `${dispatch_per_s.toFixed(0)} orders/s (p50 ${p50_ms.toFixed(1)} ms, p99 ${p99_ms.toFixed(1)} ms, ` +
      `${callers} callers); ratio ${ratio.toFixed(0)}`,
  )
  return { matcher_per_s, dispatch_per_s, p50_ms, p99_ms, callers, ratio }
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

async function dispatchOrders() {
  const scene = await openMarketScene({ check_outputs: false })
  try {
    const traders: Addresses[] = []
    const funds = { gold: 10n ** 12n, coin: 10n ** 15n }
    const { engine, audit_log } = scene.service.service
    for (let place = 0; place < callers; place++) {
      traders.push(await scene.newTrader(`bench-${place}`, funds))
      await audit_log.ready(`bench-${place}`)
    }
    const chance = openChance(seed)
    const times: number[] = []
    const place = async ({ agent_did: did, tenant_id }: Addresses, count: number) => {
      const credential: Credential = { key_id: 'bench', did, tenant_id, tier: 'sovereign', capabilities: [] }
      for (let done = 0; done < count; done++) {
        const side = chance.pick(['buy', 'sell'])
        const price = String(1000 + chance.below(100) + (side === 'buy' ? -40 : 0))
        const input = { instrument: 'gold/coin', side, price, quantity: String(1 + chance.below(50)) }
        const begun = performance.now()
        const outcome = await engine.dispatch({
          request: { protocol: 'MARKET', version: 'v1', operation: 'create_order', tenant_id: venue, input },
          credential,
          origin: 'internal',
        })
        times.push(performance.now() - begun)
        if (outcome.kind !== 'success') throw new Error(`an order was not taken: ${JSON.stringify(outcome)}`)
      }
    }
    await Promise.all(traders.map((trader) => place(trader, 10)))
    times.length = 0
    const begun = performance.now()
    await Promise.all(traders.map((trader) => place(trader, dispatched / callers)))
    const dispatch_per_s = (times.length / (performance.now() - begun)) * 1000
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.floor(times.length * share)]!
    return { dispatch_per_s, p50_ms: at(0.5), p99_ms: at(0.99) }
  } finally {
    await scene.service.stop()
  }
}
