// Cancels all open orders of the caller, in one order book or in all of a venue, at once or not at all.

import { Qty } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, described, ListOf, Uuid } from '@svc/contract/schema'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'
import { type Journal, postJournals } from '../ledger/api.ts'
import { tellFollowers } from './book-topic.ts'
import { findInstrument, openLockedBook } from './instrument.ts'
import { advanceBook } from './market-store.ts'
import type { LockedBook } from './order-entry.ts'
import { endLogged } from './order-expiry.ts'
import { InstrumentName, OrderSide, requireTrader } from './order-input.ts'
import { assetPutAside, reserveJournal } from './order-journals.ts'
import { endOrders, is_open, type Order, type OrderRow, order_columns, orderOf } from './order-store.ts'

/** Each is an event in two audit logs, and a call may record a thousand. */
const cancelled_max = 200
/** All of them are locked until the end. */
const books_max = 20
/** Of one posting. */
const journals_max = 500

export const CancelOrdersInput = Closed({
  instrument: Type.Optional(
    described(InstrumentName, 'Only orders of this order book; all of this market where absent.'),
  ),
  side: Type.Optional(described(OrderSide, 'Only orders of this side; both where absent.')),
})

const Sum = Type.String({ pattern: '^(0|[1-9]\\d{0,79})$', description: 'Whole minor units, added up.' })

export const CancelOrdersAnswer = Closed({
  cancelled: described(
    ListOf(
      Closed({
        order_id: described(Uuid, 'Names the order.'),
        instrument: InstrumentName,
        side: described(OrderSide, 'Whether it bought or sold the base asset.'),
        cancelled: described(Qty, 'How much of it was withdrawn untraded.'),
        released: described(Qty, 'What it gave back to your balance, in minor units of what it held back.'),
      }),
      0,
      cancelled_max,
    ),
    'The orders, by order book and then in their order of arrival.',
  ),
  released: described(
    ListOf(
      Closed({
        asset_id: Type.String({ description: 'The asset.' }),
        amount: Sum,
      }),
      0,
      2 * books_max,
    ),
    'What all of them gave back to your balance, by asset.',
  ),
  more: Type.Boolean({
    description: 'True: open orders are left, because one call has a limit; call again.',
  }),
})

type Input = Static<typeof CancelOrdersInput>

interface OwnOrders {
  readonly book: LockedBook
  readonly orders: readonly Order[]
}

export async function cancelOrders(
  input: Input,
  context: OperationContext<'change_notifications'>,
): Promise<Static<typeof CancelOrdersAnswer>> {
  requireTrader(context)
  // A misspelt one must not be answered as if nothing were left.
  if (input.instrument !== undefined) await findInstrument(context.db, input.instrument)
  const names = await booksWithOrders(context, input)
  const books: OwnOrders[] = []
  let [left, more] = [cancelled_max, names.length > books_max]
  // All are locked, in the order of their names, before anything is posted: whoever posts holds the venue's ledger.
  for (const instrument of names.slice(0, books_max)) {
    if (left === 0) {
      more = true
      break
    }
    const book = await openLockedBook(context, instrument)
    const orders = await ownOrders(context, book, input, left + 1)
    if (orders.length > left) more = true
    const taken = orders.slice(0, left)
    left -= taken.length
    books.push({ book, orders: taken })
  }
  await release(context, books)
  for (const each of books) await end(context, each)
  return answerOf(books, more)
}

async function booksWithOrders(
  { db, tenant_id, caller }: OperationContext,
  { instrument, side }: Input,
): Promise<string[]> {
  const rows = await sql<{ instrument: string }>`
    SELECT DISTINCT instrument FROM market_orders
    WHERE tenant_id = ${tenant_id} AND owner_did = ${caller.did} AND ${is_open}
      ${instrument === undefined ? sql`` : sql`AND instrument = ${instrument}`}
      ${side === undefined ? sql`` : sql`AND side = ${side}`}
    ORDER BY instrument LIMIT ${books_max + 1}`.all(db)
  return rows.map((row) => row.instrument)
}

/** What has expired by now was ended as such when the order book was opened, or trades no more: that is left to the next call. */
async function ownOrders(
  { db, tenant_id, caller }: OperationContext,
  { instrument, now }: LockedBook,
  { side }: Input,
  limit: number,
): Promise<Order[]> {
  const rows = await sql<OrderRow>`
    SELECT ${order_columns} FROM market_orders
    WHERE tenant_id = ${tenant_id} AND owner_did = ${caller.did} AND instrument = ${instrument} AND ${is_open}
      AND (expires_at IS NULL OR expires_at > ${now})
      ${side === undefined ? sql`` : sql`AND side = ${side}`}
    ORDER BY seq LIMIT ${limit}`.all(db)
  return rows.map(orderOf)
}

async function release({ db, tenant_id, invoke }: OperationContext, books: readonly OwnOrders[]) {
  const journals: Journal[] = books.flatMap(({ book, orders }) => {
    const posting = { tenant_id, correlation_id: invoke.correlation_id, at: book.now.toISOString() }
    return [
      ...book.expiry.journals,
      ...orders.flatMap((order) => reserveJournal(posting, book, order, -order.reserved)),
    ]
  })
  for (let at = 0; at < journals.length; at += journals_max)
    await postJournals(db, journals.slice(at, at + journals_max))
}

async function end(context: OperationContext<'change_notifications'>, { book, orders }: OwnOrders) {
  const { db, tenant_id } = context
  const { instrument, now, expiry } = book
  const ended = orders.map(({ order_id }) => ({
    order_id,
    state: 'CANCELLED' as const,
    because: 'cancelled',
  }))
  await endOrders(db, tenant_id, ended, now)
  const next_seq = book.seq + expiry.commands.length + 1
  const logged = [...expiry.commands, ...orders.map((order, place) => endLogged(next_seq + place, order))]
  await advanceBook(db, { tenant_id, instrument, logged, at: now })
  for (const order of orders) tellCancelled(context, order)
  if (logged.length > 0) tellFollowers(context, instrument)
}

export function tellCancelled(context: OperationContext, order: Order): void {
  const { order_id, instrument, seq, quantity, filled, reserved } = order
  context.audit(
    'OrderCancelled',
    {
      order_id,
      instrument,
      seq,
      venue: context.tenant_id,
      state: 'CANCELLED',
      because: 'cancelled',
      cancelled: String(quantity - filled),
      released: String(reserved),
    },
    { also: [context.tenant_id] },
  )
}

function answerOf(books: readonly OwnOrders[], more: boolean): Static<typeof CancelOrdersAnswer> {
  const released = new Map<string, bigint>()
  for (const { book, orders } of books)
    for (const { side, reserved } of orders) {
      const asset_id = assetPutAside(side, book)
      released.set(asset_id, (released.get(asset_id) ?? 0n) + reserved)
    }
  return {
    cancelled: books.flatMap(({ orders }) =>
      orders.map(({ order_id, instrument, side, quantity, filled, reserved }) => ({
        order_id,
        instrument,
        side,
        cancelled: String(quantity - filled),
        released: String(reserved),
      })),
    ),
    released: [...released].map(([asset_id, amount]) => ({ asset_id, amount: String(amount) })),
    more,
  }
}
