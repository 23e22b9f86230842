// Input of market operations, and checks that do not depend on the order book.

import { parseDid } from '@svc/contract/identity/did'
import { meetsLevel } from '@svc/contract/identity/identity'
import { isMoment } from '@svc/contract/moment'
import { Qty } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, Did, described, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { requireActor } from '../ledger/api.ts'
import type { BookState } from './market-store.ts'
import type { Side, TimeInForce } from './order-matching.ts'
import { amount_max, notionalOf } from './order-reservation.ts'
import type { OrderType } from './order-store.ts'

export const InstrumentName = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{1,63}/[a-z0-9][a-z0-9._-]{1,63}$',
  description: 'base/quote: the asset that is traded, and the one it is paid in.',
})
export const OrderSide = OneOf('buy', 'sell')

export const CreateOrderInput = Closed({
  action: Type.Optional(
    described(OneOf('cancel', 'replace'), 'Change the order order_id; absent means a new order.'),
  ),
  order_id: Type.Optional(described(Uuid, 'The order to cancel or replace.')),
  instrument: Type.Optional(InstrumentName),
  side: Type.Optional(described(OrderSide, 'Whether to buy or sell the base asset.')),
  type: Type.Optional(
    described(
      OneOf('limit', 'market'),
      'limit (default): at price or better; market: at the best prices there are.',
    ),
  ),
  quantity: Type.Optional(described(Qty, 'How much to trade, in minor units of the base asset.')),
  price: Type.Optional(described(Qty, 'Limit per lot, in minor units of the quote asset.')),
  time_in_force: Type.Optional(
    described(
      OneOf('GTC', 'IOC', 'FOK', 'GTD'),
      'GTC (default) until cancelled, GTD until expires_at, IOC at once, FOK at once and whole.',
    ),
  ),
  expires_at: Type.Optional(described(Timestamp, 'When it ends by itself; needed for GTD.')),
  post_only: Type.Optional(
    Type.Boolean({ description: 'Refuse the order if it would trade at once. Default false.' }),
  ),
  directed_to: Type.Optional(described(Did, 'The only one who may trade with it; absent means anyone.')),
  client_order_id: Type.Optional(Text(64, { description: 'Your own name for the order.' })),
})
export type CreateOrderInput = Static<typeof CreateOrderInput>

export const ExecuteTradeInput = Closed({
  instrument: InstrumentName,
  side: described(OrderSide, 'Whether to buy or sell the base asset.'),
  quantity: described(Qty, 'How much to trade, in minor units of the base asset.'),
  limit_price: Type.Optional(
    described(Qty, 'The worst price per lot you accept, in minor units of the quote asset.'),
  ),
  order_id: Type.Optional(described(Uuid, 'Trade with this order only.')),
  min_quantity: Type.Optional(described(Qty, 'Trade at least this much, or nothing.')),
})

/** An order as requested, before it enters an order book. */
export interface Wanted {
  readonly instrument: string
  readonly side: Side
  readonly type: OrderType
  readonly quantity: bigint
  readonly price: bigint | null
  readonly time_in_force: TimeInForce
  readonly expires_at: Date | null
  readonly post_only: boolean
  readonly directed_to: string | null
  readonly client_order_id: string | null
}

export function faulty(field: string, message: string) {
  return refuse('invalid_payload', `This order cannot be taken: /${field} ${message}.`, {
    reason: 'invalid order',
    faults: [{ pointer: `/${field}`, message }],
  })
}

export function wantedOf(input: CreateOrderInput): Wanted {
  const { instrument, side, quantity, price, expires_at, directed_to } = input
  if (input.order_id !== undefined) throw faulty('order_id', 'is given only to cancel or replace')
  if (instrument === undefined) throw faulty('instrument', 'is required')
  if (side === undefined) throw faulty('side', 'is required')
  if (quantity === undefined) throw faulty('quantity', 'is required')
  const { type = 'limit', time_in_force = 'GTC', post_only = false, client_order_id = null } = input
  if (type === 'limit' && price === undefined) throw faulty('price', 'is required for a limit order')
  const request: Wanted = {
    instrument,
    side,
    type,
    quantity: BigInt(quantity),
    price: price === undefined ? null : BigInt(price),
    time_in_force,
    expires_at: expires_at === undefined ? null : endOf(expires_at),
    post_only,
    directed_to: directed_to ?? null,
    client_order_id,
  }
  requireSense(request)
  return request
}

/** Contradictory fields are the caller's mistake; we do not choose between them. */
function requireSense(request: Wanted): void {
  const { type, price, time_in_force, expires_at, post_only, directed_to } = request
  if (type === 'market' && price !== null) throw faulty('price', 'does not go with a market order')
  if ((time_in_force === 'GTD') !== (expires_at !== null))
    throw faulty('expires_at', 'goes with time_in_force GTD, and only with it')
  const is_passing = type === 'market' || time_in_force === 'IOC' || time_in_force === 'FOK'
  if (type === 'market' && time_in_force === 'GTD')
    throw faulty('time_in_force', 'cannot be GTD for a market order, which never waits')
  if (is_passing && post_only) throw faulty('post_only', 'goes only with an order that may wait in the book')
  if (is_passing && directed_to !== null)
    throw faulty('directed_to', 'goes only with a limit order that may wait for its taker')
}

export function endOf(expires_at: string): Date {
  if (!isMoment(expires_at)) throw faulty('expires_at', 'is no moment that exists')
  return new Date(expires_at)
}

/** Whole lots at whole ticks, no more than an account can hold, and not over at the time of the order book. */
export function requireFitting(
  { quantity, price, expires_at }: Pick<Wanted, 'quantity' | 'price' | 'expires_at'>,
  { lot_size, tick_size, now }: Pick<BookState, 'lot_size' | 'tick_size' | 'now'>,
  price_field = 'price',
): void {
  if (expires_at !== null && expires_at <= now)
    throw faulty('expires_at', 'is over already; choose a later moment')
  if (quantity === 0n || quantity % lot_size !== 0n)
    throw faulty('quantity', `must be a multiple of the lot, which is ${lot_size}`)
  if (price === null) return
  if (price === 0n || price % tick_size !== 0n)
    throw faulty(price_field, `must be a multiple of the tick, which is ${tick_size}`)
  if (notionalOf(price, quantity, lot_size) > amount_max)
    throw faulty('quantity', `at this price comes to more than ${amount_max}`)
}

export interface Trader {
  readonly owner_tenant: string
  readonly owner_did: string
}

/** People trade through their agents; callers from other organizations need a higher conformance level. */
export function requireTrader({ caller, tenant_id }: OperationContext): Trader {
  requireActor(caller)
  const owner_tenant = parseDid(caller.did)!.namespace
  if (owner_tenant !== tenant_id && !meetsLevel(caller, 'L2'))
    throw refuse(
      'policy_denied',
      `Trading in another organization's market needs conformance level L2, and yours is ${caller.conformance_level}; ` +
        'ask an administrator what is missing.',
      { reason: 'conformance L2 required' },
    )
  return { owner_tenant, owner_did: caller.did }
}
