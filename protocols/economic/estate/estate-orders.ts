// Cancels the orders of an organization that is being wound up, and all orders in its own order books.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import { sql } from '@svc/database/sql'
import { postJournals } from '../ledger/api.ts'
import {
  advanceBook,
  endLogged,
  endOrders,
  is_open,
  lockBook,
  type Order,
  type OrderRow,
  order_columns,
  orderOf,
  readBook,
  reserveJournal,
} from '../market/api.ts'

/** The most orders of one order book per transaction; the next takes the rest. */
const cancelled_max = 200
const rounds_max = 1_000

/** Runs as the engine's role, one transaction per order book. Returns how many were cancelled. */
export async function cancelOrdersOf(db: Database, tenant_id: string, tick: Tick): Promise<number> {
  let cancelled = 0
  for (let round = 0; round < rounds_max; round++) {
    const order_book = await findOrderBook(db, tenant_id)
    if (!order_book) return cancelled
    cancelled += await db.transaction((transaction) => cancelInBook(transaction, order_book, tenant_id, tick))
  }
  return cancelled
}

export async function hasOpenOrders(db: Database, tenant_id: string): Promise<boolean> {
  return (await findOrderBook(db, tenant_id)) !== undefined
}

interface BookName {
  readonly venue: string
  readonly instrument: string
}

async function findOrderBook(db: Database, tenant_id: string): Promise<BookName | undefined> {
  return sql<BookName>`
    (SELECT tenant_id AS venue, instrument FROM market_orders
      WHERE owner_tenant = ${tenant_id} AND ${is_open} LIMIT 1)
    UNION ALL
    (SELECT tenant_id, instrument FROM market_orders WHERE tenant_id = ${tenant_id} AND ${is_open} LIMIT 1)
    LIMIT 1`.first(db)
}

async function cancelInBook(
  db: Database,
  { venue, instrument }: BookName,
  tenant_id: string,
  tick: Tick,
): Promise<number> {
  await lockBook(db, venue, instrument)
  const order_book = await readBook(db, venue, instrument, tick.now)
  if (!order_book) return 0
  const rows = await sql<OrderRow>`
    SELECT ${order_columns} FROM market_orders
    WHERE tenant_id = ${venue} AND instrument = ${instrument} AND ${is_open}
      AND (owner_tenant = ${tenant_id} OR tenant_id = ${tenant_id})
    ORDER BY seq LIMIT ${cancelled_max}`.all(db)
  const orders = rows.map(orderOf)
  const ended = orders.map(({ order_id }) => ({
    order_id,
    state: 'CANCELLED' as const,
    because: 'dissolution',
  }))
  await endOrders(db, venue, ended, order_book.now)
  const at = order_book.now.toISOString()
  for (const order of orders) await tellOwner(db, venue, order, { id: tick.newId(), timestamp: at })
  const posting = { tenant_id: venue, at }
  await postJournals(
    db,
    orders.flatMap((order) =>
      reserveJournal(
        { ...posting, correlation_id: order.correlation_id },
        order_book,
        order,
        -order.reserved,
      ),
    ),
  )
  const logged = orders.map((order, place) => endLogged(order_book.seq + place + 1, order))
  await advanceBook(db, { tenant_id: venue, instrument, logged, at: order_book.now })
  return orders.length
}

function tellOwner(
  db: Database,
  venue: string,
  order: Order,
  entry: Pick<AuditEntry, 'id' | 'timestamp'>,
): Promise<void> {
  const { order_id, instrument, seq, owner_tenant, owner_did, correlation_id } = order
  return leaveInOutbox(db, {
    ...entry,
    event_type: 'OrderCancelled',
    correlation_id,
    tenant_id: owner_tenant,
    caller_did: owner_did,
    protocol: 'MARKET',
    operation: 'create_order',
    outcome: 'success',
    latency_ms: 0,
    meta: {
      order_id,
      instrument,
      seq,
      venue,
      state: 'CANCELLED',
      because: 'dissolution',
      cancelled: String(order.quantity - order.filled),
      released: String(order.reserved),
      ...(owner_tenant === venue ? {} : { from_tenant: venue }),
    },
  })
}
