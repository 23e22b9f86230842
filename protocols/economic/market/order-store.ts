// Orders and trades. Order books change only under their lock, so rows are read and written without races.
import type { Database } from '@svc/contract/database'
import { type Fragment, type NotNull, sql } from '@svc/database/sql'
import { rank_expression } from './market-migrations.ts'
import type { BookCommand } from './order-book.ts'
import {
  crosses,
  fills_max,
  type Incoming,
  isExpired,
  isSame,
  otherSide,
  type Resting,
  type SameTrader,
  type Side,
  type TimeInForce,
} from './order-matching.ts'

export type OrderState = 'OPEN' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELLED' | 'EXPIRED'
export type OrderType = 'limit' | 'market'

export interface Order {
  readonly order_id: string
  readonly instrument: string
  readonly seq: number
  readonly owner_tenant: string
  readonly owner_did: string
  readonly client_order_id: string | null
  readonly side: Side
  readonly type: OrderType
  readonly time_in_force: TimeInForce
  readonly post_only: boolean
  readonly directed_to: string | null
  readonly price: bigint | null
  readonly quantity: bigint
  readonly filled: bigint
  readonly filled_notional: bigint
  readonly reserved: bigint
  readonly state: OrderState
  readonly ended_because: string | null
  readonly expires_at: Date | null
  readonly placed_at: Date
  readonly correlation_id: string
}

/** The database returns amounts as text. */
export type OrderRow = Omit<
  Order,
  'seq' | 'price' | 'quantity' | 'filled' | 'filled_notional' | 'reserved'
> & {
  readonly seq: string
  readonly price: string | null
  readonly quantity: string
  readonly filled: string
  readonly filled_notional: string
  readonly reserved: string
}

/** Most orders match few others, or none. */
const first_page = 4
const makers_page = 64

export const order_columns = sql.raw(
  `order_id, instrument, seq, owner_tenant, owner_did, client_order_id, side, type, time_in_force, post_only,
   directed_to, price, quantity, filled, filled_notional, reserved, state, ended_because, expires_at, placed_at,
   correlation_id`,
)
/** As in the index of the lit order book. */
export const rank = sql.raw(`(${rank_expression})`)
export const is_open: Fragment<boolean> = sql.raw(`state IN ('OPEN', 'PARTIALLY_FILLED')`)

export function orderOf(row: OrderRow): Order {
  return {
    ...row,
    seq: Number(row.seq),
    price: row.price === null ? null : BigInt(row.price),
    quantity: BigInt(row.quantity),
    filled: BigInt(row.filled),
    filled_notional: BigInt(row.filled_notional),
    reserved: BigInt(row.reserved),
  }
}

export function isOpen({ state }: Pick<Order, 'state'>): boolean {
  return state === 'OPEN' || state === 'PARTIALLY_FILLED'
}

/** The order at a given time, even if its expiry is not stored yet. */
export function advanceOrder(order: Order, now: Date): Order {
  const expires_ms = order.expires_at?.getTime() ?? null
  if (!isOpen(order) || !isExpired({ expires_ms }, now.getTime())) return order
  return { ...order, state: 'EXPIRED', ended_because: 'expired', reserved: 0n }
}

/** As it rests in the order book. */
export function restingOf(order: Order): Resting {
  const { order_id, seq, owner_tenant, owner_did, side } = order
  const remaining = order.quantity - order.filled
  const expires_ms = order.expires_at?.getTime() ?? null
  return { order_id, seq, owner_tenant, owner_did, side, price: order.price!, remaining, expires_ms }
}

/** As it enters the order book, for the first time or again. */
export function incomingOf(order: Order): Incoming {
  const { price, time_in_force, post_only } = order
  return { ...restingOf(order), price, time_in_force, post_only }
}

export async function findOrder(
  db: Database,
  tenant_id: string,
  order_id: string,
): Promise<Order | undefined> {
  const row = await sql<OrderRow>`
    SELECT ${order_columns} FROM market_orders
    WHERE tenant_id = ${tenant_id} AND order_id = ${order_id}`.first(db)
  return row && orderOf(row)
}

/** Which of these names the owner gave to orders before, and the order that has each. */
export async function findByClientIds(
  db: Database,
  tenant_id: string,
  owner_did: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const rows = await sql<{ client_order_id: NotNull<string>; order_id: string }>`
    SELECT client_order_id, order_id FROM market_orders WHERE tenant_id = ${tenant_id}
      AND owner_did = ${owner_did} AND client_order_id = ANY(${names}::text[])`.all(db)
  return new Map(rows.map(({ client_order_id, order_id }) => [client_order_id, order_id]))
}

/** One page of one side of the lit order book, best first. */
export async function readMakers(
  db: Database,
  tenant_id: string,
  { instrument, now, side }: Pick<MakersOf, 'instrument' | 'now'> & { readonly side: Side },
  limit: number,
  offset: number,
): Promise<Order[]> {
  // No price condition: under row-level security it would filter the whole side instead of ending the scan.
  const rows = await sql<OrderRow>`
    SELECT ${order_columns} FROM market_orders
    WHERE tenant_id = ${tenant_id} AND instrument = ${instrument} AND side = ${side} AND ${is_open}
      AND directed_to IS NULL AND (expires_at IS NULL OR expires_at > ${now})
    ORDER BY ${rank}, seq LIMIT ${limit} OFFSET ${offset}`.all(db)
  return rows.map(orderOf)
}

export interface MakersOf {
  readonly instrument: string
  readonly now: Date
  readonly same_trader: SameTrader
}

/** The other side of an order book, best first, only as far as this order can reach. */
export async function findMakers(
  db: Database,
  tenant_id: string,
  { instrument, now, same_trader }: MakersOf,
  incoming: Pick<Incoming, 'side' | 'price' | 'remaining' | 'owner_tenant' | 'owner_did'>,
): Promise<Order[]> {
  const side = otherSide(incoming.side)
  const makers: Order[] = []
  let left = incoming.remaining
  // One more than the limit, so that the matcher sees that there are more.
  for (let page = first_page; makers.length <= fills_max; page = makers_page) {
    const rows = await readMakers(db, tenant_id, { instrument, now, side }, page, makers.length)
    for (const maker of rows) {
      if (!crosses(incoming, maker.price!)) return makers
      makers.push(maker)
      left -= maker.quantity - maker.filled
      if (left <= 0n || isSame(incoming, maker, same_trader)) return makers
    }
    if (rows.length < page) return makers
  }
  return makers
}

/** Part of a larger statement: an order book is written in one. */
export function ordersInserted(tenant_id: string, orders: readonly Order[]): Fragment {
  const rows = JSON.stringify(orders, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))
  return sql`
    INSERT INTO market_orders (tenant_id, ${order_columns}, updated_at)
    SELECT ${tenant_id}, o.*, o.placed_at FROM jsonb_to_recordset(${rows}::jsonb) AS o(order_id uuid,
      instrument text, seq bigint, owner_tenant text, owner_did text, client_order_id text, side text, type text,
      time_in_force text, post_only boolean, directed_to text, price numeric, quantity numeric, filled numeric,
      filled_notional numeric, reserved numeric, state text, ended_because text, expires_at timestamptz,
      placed_at timestamptz, correlation_id uuid)`
}

/** After its owner changed or cancelled it. */
export function orderUpdated(tenant_id: string, order: Order, at: Date): Fragment {
  const { price, quantity, filled, filled_notional, reserved } = order
  return sql`
    UPDATE market_orders SET seq = ${order.seq}, price = ${price === null ? null : String(price)},
      quantity = ${String(quantity)}, filled = ${String(filled)}, filled_notional = ${String(filled_notional)},
      reserved = ${String(reserved)}, state = ${order.state}, ended_because = ${order.ended_because},
      expires_at = ${order.expires_at}, correlation_id = ${order.correlation_id}, updated_at = ${at}
    WHERE tenant_id = ${tenant_id} AND order_id = ${order.order_id}`
}

export interface EndedOrder {
  readonly order_id: string
  readonly state: 'CANCELLED' | 'EXPIRED'
  readonly because: string
}

/** Many at once, such as all expired ones. The caller releases their reservations. */
export async function endOrders(
  db: Database,
  tenant_id: string,
  ended: readonly EndedOrder[],
  at: Date,
): Promise<void> {
  if (ended.length === 0) return
  await sql`
    UPDATE market_orders o SET state = e.state, ended_because = e.because, reserved = 0, updated_at = ${at}
    FROM jsonb_to_recordset(${JSON.stringify(ended)}::jsonb) AS e(order_id uuid, state text, because text)
    WHERE o.tenant_id = ${tenant_id} AND o.order_id = e.order_id`.execute(db)
}

/** A trade reduces a maker's remainder by its quantity, and its reservation by what it paid. */
export interface MakerChange {
  readonly order_id: string
  readonly filled: string
  readonly filled_notional: string
  readonly reserved: string
}

export function makersFilled(tenant_id: string, changes: readonly MakerChange[], at: Date): Fragment {
  return sql`
    UPDATE market_orders o SET filled = o.filled + c.filled, filled_notional = o.filled_notional + c.filled_notional,
      reserved = o.reserved - c.reserved, updated_at = ${at},
      state = CASE WHEN o.filled + c.filled = o.quantity THEN 'FILLED' ELSE 'PARTIALLY_FILLED' END
    FROM (SELECT order_id, sum(filled) AS filled, sum(filled_notional) AS filled_notional, sum(reserved) AS reserved
      FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        AS c(order_id uuid, filled numeric, filled_notional numeric, reserved numeric) GROUP BY order_id) c
    WHERE o.tenant_id = ${tenant_id} AND o.order_id = c.order_id`
}

/** A command as the log stores it. */
export function commandText(command: BookCommand): string {
  return JSON.stringify(command, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))
}

export function parseCommand(logged: Record<string, unknown>): BookCommand {
  if (logged.kind === 'end') return logged as BookCommand & { kind: 'end' }
  if (logged.kind === 'reduce')
    return { ...logged, remaining: BigInt(logged.remaining as string) } as BookCommand & { kind: 'reduce' }
  const order = logged.order as Record<string, unknown>
  const price = order.price === null ? null : BigInt(order.price as string)
  const remaining = BigInt(order.remaining as string)
  return { ...logged, order: { ...order, price, remaining } } as BookCommand & { kind: 'place' }
}
