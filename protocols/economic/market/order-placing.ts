// Places a new order, resting or immediate.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { openLockedBook } from './instrument.ts'
import { sameTrader } from './market-rules.ts'
import { requireOpen } from './order-change.ts'
import { type Entered, enterOrder, type LockedBook, type MarketContext } from './order-entry.ts'
import { faulty, requireFitting, requireTrader, type Trader, type Wanted } from './order-input.ts'
import {
  advanceOrder,
  findByClientIds,
  findMakers,
  findOrder,
  incomingOf,
  type Order,
} from './order-store.ts'
import { inTurn } from './order-turns.ts'

export interface Taking {
  /** The one order to trade with. */
  readonly only?: string | undefined
  readonly min_quantity?: bigint | undefined
}

export interface Placed extends Entered {
  readonly book: LockedBook
}

export async function placeOrder(
  context: MarketContext,
  request: Wanted,
  taking: Taking = {},
): Promise<Placed> {
  const trader = requireTrader(context)
  return inTurn(context.engine, context.tenant_id, request.instrument, () =>
    placeInTurn(context, trader, request, taking),
  )
}

async function placeInTurn(
  context: MarketContext,
  trader: Trader,
  request: Wanted,
  { only, min_quantity }: Taking,
): Promise<Placed> {
  const book = await openLockedBook(context, request.instrument)
  requireFitting(request, book, only === undefined && min_quantity === undefined ? 'price' : 'limit_price')
  const { client_order_id } = request
  const names = client_order_id === null ? [] : [client_order_id]
  requireNewName(request, await findByClientIds(context.db, context.tenant_id, trader.owner_did, names))
  const order = newOrder(context, trader, request, book)
  const makers = await makersOf(context, book, order, only)
  return { book, ...(await enterOrder(context, book, { order, makers, only, min_quantity })) }
}

/** `names`: those that the trader gave to orders before, and the order that has each. */
export function requireNewName({ client_order_id }: Wanted, names: ReadonlyMap<string, string>): void {
  const order_id = client_order_id === null ? undefined : names.get(client_order_id)
  if (order_id === undefined) return
  throw refuse('policy_denied', `You have called another order ${client_order_id}; choose a new name.`, {
    reason: 'client_order_id already used',
    order_id,
  })
}

export function newOrder(
  context: OperationContext,
  trader: Trader,
  request: Wanted,
  book: LockedBook,
): Order {
  if (request.directed_to === trader.owner_did) throw faulty('directed_to', 'is yourself')
  return {
    order_id: context.newId(),
    ...request,
    ...trader,
    seq: 0,
    filled: 0n,
    filled_notional: 0n,
    reserved: 0n,
    state: 'OPEN',
    ended_because: null,
    placed_at: book.now,
    correlation_id: context.invoke.correlation_id,
  }
}

function makersOf(
  context: OperationContext,
  book: LockedBook,
  order: Order,
  only: string | undefined,
): Promise<Order[]> | Order[] {
  if (order.directed_to !== null) return []
  if (only !== undefined) return namedMaker(context, book, order, only)
  const same_trader = sameTrader(context, book, order)
  return findMakers(context.db, context.tenant_id, { ...book, same_trader }, incomingOf(order))
}

/** A quote is for its addressee; naming an order of the lit order book must not bypass priority. */
async function namedMaker(
  { db, tenant_id }: OperationContext,
  book: LockedBook,
  order: Order,
  only: string,
): Promise<Order[]> {
  const { instrument, now } = book
  const placed = await findOrder(db, tenant_id, only)
  const sides = [placed?.directed_to, placed?.owner_did]
  const is_hidden = placed?.directed_to != null && !sides.includes(order.owner_did)
  if (!placed || is_hidden || placed.instrument !== instrument) throw notFound('order', only)
  const maker = advanceOrder(placed, now)
  requireOpen(maker, 'execute_trade')
  if (maker.side === order.side) throw faulty('side', `is that of the order ${only} itself; take the other`)
  if (maker.directed_to !== null) return [maker]
  const anything = { ...incomingOf(order), price: null, remaining: 1n }
  const same_trader = sameTrader({ tenant_id }, book, order)
  const [best] = await findMakers(db, tenant_id, { ...book, same_trader }, anything)
  if (best?.order_id === only) return [maker]
  throw refuse(
    'policy_denied',
    `Others stand before the order ${only}, by price or by time; trade without naming one, or with the best.`,
    { reason: 'price-time priority' },
  )
}
