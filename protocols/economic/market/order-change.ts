// Owners cancel or change their open orders.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { postJournals } from '../ledger/api.ts'
import { levelsEnded, levelsReduced } from './book-levels.ts'
import { tellFollowers } from './book-topic.ts'
import { openLockedBook } from './instrument.ts'
import { sameTrader } from './market-rules.ts'
import { advanceBook, type LoggedCommand } from './market-store.ts'
import { tellCancelled } from './order-cancelling.ts'
import { type Entered, enterOrder, type LockedBook, type MarketContext } from './order-entry.ts'
import { type CreateOrderInput, endOf, faulty, requireFitting, requireTrader } from './order-input.ts'
import { reserveJournal } from './order-journals.ts'
import { reservationOf } from './order-reservation.ts'
import {
  advanceOrder,
  findMakers,
  findOrder,
  incomingOf,
  isOpen,
  type Order,
  orderUpdated,
} from './order-store.ts'

type Action = NonNullable<CreateOrderInput['action']>

const changeable: Readonly<Record<Action, readonly string[]>> = {
  cancel: ['action', 'order_id'],
  replace: ['action', 'order_id', 'quantity', 'price', 'expires_at'],
}

export interface Changed extends Entered {
  readonly lot_size: bigint
}

export async function changeOrder(input: CreateOrderInput, context: MarketContext): Promise<Changed> {
  const action = input.action!
  requireTrader(context)
  for (const field of Object.keys(input))
    if (!changeable[action].includes(field)) throw faulty(field, `does not go with action ${action}`)
  if (input.order_id === undefined) throw faulty('order_id', `is required to ${action}`)
  const { order, book } = await openOwnOrder(context, input.order_id, action)
  const { lot_size } = book
  if (action === 'cancel') return { lot_size, ...(await cancelOrder(context, book, order)) }
  const changed = replacementOf(input, order)
  requireFitting(changed, book)
  const change = keepsPlace(order, changed) ? reduceOrder : replaceOrder
  return { lot_size, ...(await change(context, book, order, changed)) }
}

/** Read once to find its order book, and again under the lock. */
async function openOwnOrder(
  context: OperationContext,
  order_id: string,
  action: Action,
): Promise<{ order: Order; book: LockedBook }> {
  const placed = await findOrder(context.db, context.tenant_id, order_id)
  const { did } = context.caller
  const is_hidden = placed?.directed_to != null && placed.directed_to !== did && placed.owner_did !== did
  if (!placed || is_hidden) throw notFound('order', order_id)
  if (placed.owner_did !== did)
    throw refuse(
      'policy_denied',
      `${order_id} is not your order, so you cannot ${action} it; name one of yours (query_orderbook with mine).`,
      {
        reason: 'not order owner',
      },
    )
  const book = await openLockedBook(context, placed.instrument)
  const order = advanceOrder((await findOrder(context.db, context.tenant_id, order_id))!, book.now)
  requireOpen(order, action)
  return { order, book }
}

export function requireOpen({ order_id, state }: Order, what: string): void {
  if (isOpen({ state })) return
  throw refuse(
    'policy_denied',
    `The order ${order_id} is ${state}; ${what} needs one that is OPEN or PARTIALLY_FILLED.`,
    { reason: `order is ${state}; ${what} needs OPEN, PARTIALLY_FILLED` },
  )
}

async function cancelOrder(context: MarketContext, book: LockedBook, order: Order): Promise<Entered> {
  const ended: Order = { ...order, state: 'CANCELLED', ended_because: 'cancelled', reserved: 0n }
  const { order_id } = order
  await keepChange(context, book, order, ended, {
    command: { kind: 'end', order_id },
    levels: levelsEnded(order),
  })
  tellCancelled(context, order)
  return { order: ended, trades: [], journal_ids: [] }
}

function replacementOf({ quantity, price, expires_at }: CreateOrderInput, order: Order): Order {
  if (quantity === undefined && price === undefined && expires_at === undefined)
    throw faulty('action', 'replace needs a quantity, a price or an expires_at')
  if (expires_at !== undefined && order.time_in_force !== 'GTD')
    throw faulty('expires_at', 'goes with time_in_force GTD, and only with it')
  const request = {
    ...order,
    quantity: quantity === undefined ? order.quantity : BigInt(quantity),
    price: price === undefined ? order.price : BigInt(price),
    expires_at: expires_at === undefined ? order.expires_at : endOf(expires_at),
  }
  if (request.quantity > order.filled) return request
  throw refuse(
    'policy_denied',
    `${order.filled} of the order ${order.order_id} is filled already, so ${request.quantity} in all is not possible; ` +
      'ask for more, or cancel the rest.',
    { reason: 'quantity already filled', filled: String(order.filled) },
  )
}

/** A smaller quantity at the same price takes nothing from the orders behind. */
function keepsPlace(order: Order, changed: Order): boolean {
  return changed.price === order.price && changed.quantity <= order.quantity
}

async function reduceOrder(
  context: MarketContext,
  book: LockedBook,
  order: Order,
  changed: Order,
): Promise<Entered> {
  const { order_id, quantity, filled, expires_at, side } = changed
  const remaining = quantity - filled
  const reserved = reservationOf({ side, price: changed.price!, remaining }, book.lot_size)
  const updated = { ...changed, reserved, correlation_id: context.invoke.correlation_id }
  const expires_ms = expires_at?.getTime() ?? null
  const command = { kind: 'reduce' as const, order_id, remaining, expires_ms }
  await keepChange(context, book, order, updated, { command, levels: levelsReduced(order, updated) })
  tellReduced(context, updated, order.reserved - reserved)
  return { order: updated, trades: [], journal_ids: [] }
}

function tellReduced(context: OperationContext, order: Order, released: bigint): void {
  const { order_id, instrument, seq, side, type, time_in_force, state } = order
  const amounts = { quantity: String(order.quantity), price: String(order.price), released: String(released) }
  const meta = { order_id, instrument, seq, venue: context.tenant_id, side, type, time_in_force, state }
  context.audit('OrderAccepted', { ...meta, ...amounts, replaced: true }, { also: [context.tenant_id] })
}

/** Released reservations are part of the same posting that ends expired orders. */
async function keepChange(
  context: MarketContext,
  book: LockedBook,
  before: Order,
  after: Order,
  change: Pick<LoggedCommand, 'command' | 'levels'>,
): Promise<void> {
  const { db, tenant_id, invoke } = context
  const { instrument, now, expiry } = book
  const posting = { tenant_id, correlation_id: invoke.correlation_id, at: now.toISOString() }
  const release = reserveJournal(posting, book, before, after.reserved - before.reserved)
  await postJournals(db, [...expiry.journals, ...release])
  await orderUpdated(tenant_id, after, now).execute(db)
  const logged = { seq: book.seq + expiry.commands.length + 1, order_id: before.order_id, ...change }
  await advanceBook(db, { tenant_id, instrument, logged: [...expiry.commands, logged], at: now })
  tellFollowers(context, instrument)
}

/** Enters the order book as a new order, behind all that rest there. */
async function replaceOrder(
  context: MarketContext,
  book: LockedBook,
  order: Order,
  changed: Order,
): Promise<Entered> {
  const { db, tenant_id, invoke } = context
  const replacement: Order = { ...changed, reserved: 0n, correlation_id: invoke.correlation_id }
  const same_trader = sameTrader(context, book, order)
  const makers =
    order.directed_to === null
      ? await findMakers(db, tenant_id, { ...book, same_trader }, incomingOf(replacement))
      : []
  return enterOrder(context, book, { order: replacement, makers, replaced: order })
}
