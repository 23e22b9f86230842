// Expired orders are ended by the next call to their order book or by the sweep, through the same function.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import type { NewIds, Tick } from '@svc/contract/tick'
import { sql } from '@svc/database/sql'
import { type Journal, postJournals } from '../ledger/api.ts'
import { levelsEnded } from './book-levels.ts'
import { advanceBook, type BookState, type LoggedCommand, readBook, tryLockBook } from './market-store.ts'
import { reserveJournal } from './order-journals.ts'
import { endOrders, is_open, type Order, type OrderRow, order_columns, orderOf } from './order-store.ts'

/** Ended per call; other expired orders do not trade either, and later calls end them. */
const ended_max = 100
const books_max = 50

export interface Expiry {
  readonly orders: readonly Order[]
  readonly journals: readonly Journal[]
  readonly commands: readonly LoggedCommand[]
}

/** The expired orders of a locked order book. The caller posts the journals and logs the commands. */
export async function expireOrders(
  db: Database,
  tenant_id: string,
  book: BookState,
  ids: NewIds,
): Promise<Expiry> {
  const orders = book.has_expired ? await findExpired(db, tenant_id, book) : []
  const at = book.now.toISOString()
  const ended = orders.map(({ order_id }) => ({ order_id, state: 'EXPIRED' as const, because: 'expired' }))
  await endOrders(db, tenant_id, ended, book.now)
  for (const order of orders) await tellOwner(db, tenant_id, order, { id: ids.newId(), timestamp: at })
  return {
    orders,
    journals: orders.flatMap((order) => {
      const { correlation_id, reserved } = order
      return reserveJournal({ tenant_id, correlation_id, at }, book, order, -reserved)
    }),
    commands: orders.map((order, place) => endLogged(book.seq + place + 1, order)),
  }
}

/** An order that its owner cancelled, or that ended by itself, as the log has it. */
export function endLogged(seq: number, order: Order): LoggedCommand {
  const { order_id } = order
  return { seq, order_id, command: { kind: 'end', order_id }, levels: levelsEnded(order) }
}

async function findExpired(db: Database, tenant_id: string, { instrument, now }: BookState) {
  const rows = await sql<OrderRow>`
    SELECT ${order_columns} FROM market_orders
    WHERE tenant_id = ${tenant_id} AND instrument = ${instrument} AND ${is_open} AND expires_at <= ${now}
    ORDER BY expires_at, seq LIMIT ${ended_max}`.all(db)
  return rows.map(orderOf)
}

/** Only in its owner's audit log: the call that found it is unrelated. */
function tellOwner(
  db: Database,
  tenant_id: string,
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
      venue: tenant_id,
      state: 'EXPIRED',
      because: 'expired',
      cancelled: String(order.quantity - order.filled),
      released: String(order.reserved),
      ...(owner_tenant === tenant_id ? {} : { from_tenant: tenant_id }),
    },
  })
}

/** Ends a bounded number of expired orders per order book; returns how many. Runs as the engine's role. */
export async function sweepOrders(db: Database, tick: Tick): Promise<number> {
  const rows = await sql<{ tenant_id: string; instrument: string }>`
    SELECT DISTINCT tenant_id, instrument FROM (
      SELECT tenant_id, instrument FROM market_orders WHERE ${is_open} AND expires_at <= ${tick.now}
      ORDER BY expires_at LIMIT ${ended_max}) due LIMIT ${books_max}`.all(db)
  let ended = 0
  const failures: unknown[] = []
  for (const { tenant_id, instrument } of rows) {
    const sweep = (within: Database) => sweepBook(within, tenant_id, instrument, tick)
    try {
      ended += await db.transaction(sweep)
    } catch (error) {
      // One failing order book must not block the others.
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} books could not be swept`)
  return ended
}

async function sweepBook(db: Database, tenant_id: string, instrument: string, tick: Tick): Promise<number> {
  // Whoever has the lock also ends the expired orders.
  if (!(await tryLockBook(db, tenant_id, instrument))) return 0
  const book = await readBook(db, tenant_id, instrument, tick.now)
  if (!book) return 0
  const { orders, journals, commands } = await expireOrders(db, tenant_id, book, tick)
  await postJournals(db, journals)
  await advanceBook(db, { tenant_id, instrument, logged: commands, at: book.now })
  return orders.length
}
