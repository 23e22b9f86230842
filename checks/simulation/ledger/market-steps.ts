// Orders and trades of agents of three organizations in one order book.
import type { Random } from '../random.ts'
import { isOpen } from './order-book-model.ts'
import { lot_size } from './organizations.ts'
import type { Input } from './requests.ts'
import { agentsOf, ask, type LedgerState } from './state.ts'

function instrumentOf({ organizations: { gold, coin } }: LedgerState): string {
  return `${gold}/${coin}`
}

function quantityOf(random: Random): string {
  return String(lot_size * random.between(1, 6))
}

/** Few prices, so that orders meet, and stand behind each other. */
function priceOf(random: Random): string {
  return String(random.between(97, 103))
}

export function placeOrders(state: LedgerState, random: Random): void {
  for (let count = random.between(1, 3); count > 0; count--) placeOrder(state, random)
}

function placeOrder(state: LedgerState, random: Random): void {
  const agent = random.pick(agentsOf(state))
  const input = { instrument: instrumentOf(state), ...newOrder(state, random) }
  ask(state, random, agent, state.organizations.operator, 'MARKET.create_order', input)
}

/** Of one agent, which also meets its own. */
export function placeBatch(state: LedgerState, random: Random): void {
  const orders = Array.from({ length: random.between(2, 6) }, () => newOrder(state, random))
  const agent = random.pick(agentsOf(state))
  const input = { instrument: instrumentOf(state), orders }
  ask(state, random, agent, state.organizations.operator, 'MARKET.create_orders', input)
}

export function cancelAll(state: LedgerState, random: Random): void {
  const agent = random.pick(agentsOf(state))
  const input: Input = random.chance(0.5) ? {} : { side: random.pick(['buy', 'sell']) }
  ask(state, random, agent, state.organizations.operator, 'MARKET.cancel_orders', input)
}

function newOrder({ world }: LedgerState, random: Random): Input {
  const kind = random.pick(['GTC', 'GTC', 'GTC', 'GTD', 'GTD', 'IOC', 'FOK', 'post_only', 'market'])
  return {
    side: random.pick(['buy', 'sell']),
    quantity: quantityOf(random),
    ...(kind === 'market' ? { type: 'market' as const } : { price: priceOf(random) }),
    ...(kind === 'post_only' && { post_only: true }),
    ...(kind.length === 3 && { time_in_force: kind }),
    ...(kind === 'GTD' && {
      expires_at: new Date(world.now_ms + random.between(1, 8) * 1_800_000).toISOString(),
    }),
  }
}

export function executeTrade(state: LedgerState, random: Random): void {
  const input: Input = {
    instrument: instrumentOf(state),
    side: random.pick(['buy', 'sell']),
    quantity: quantityOf(random),
    ...(random.chance(0.6) && { limit_price: priceOf(random) }),
  }
  const agent = random.pick(agentsOf(state))
  ask(state, random, agent, state.organizations.operator, 'MARKET.execute_trade', input)
}

/** Also orders that have ended since: they are refused. */
export function changeOrder(state: LedgerState, random: Random): void {
  const { orders = [] } = state.model.snapshot ?? {}
  const open = orders.filter(isOpen)
  const [order] = [random.chance(0.9) ? open : orders].map((all) =>
    all.length > 0 ? random.pick(all) : undefined,
  )
  if (!order) return
  const { order_id } = order
  const agent = state.organizations.agents.get(order.owner_did)!
  const is_cancelled = random.chance(0.4)
  const input: Input = is_cancelled
    ? { action: 'cancel', order_id }
    : {
        ...{ action: 'replace', order_id, quantity: quantityOf(random) },
        ...(random.chance(0.5) && { price: priceOf(random) }),
      }
  ask(state, random, agent, state.organizations.operator, 'MARKET.create_order', input)
}
