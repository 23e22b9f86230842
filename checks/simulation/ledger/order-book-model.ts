// The plain order book: a list of orders, sorted by price and then by time for each order that arrives.
import { Violation } from '../world.ts'
import { requireFair } from './fee-model.ts'
import { lot_size, tier_fee_bps } from './organizations.ts'
import type { Input, Request } from './requests.ts'
import type { LogRow, OrderRow, Snapshot, TradeRow } from './snapshot.ts'

export interface PlainOrder {
  readonly order_id: string
  readonly request: Request
  readonly side: 'buy' | 'sell'
  readonly time_in_force: string
  readonly post_only: boolean
  readonly expires_ms: number
  seq: number
  price: number | undefined
  quantity: number
  filled: number
  state: string
}

export interface PlainTrade extends TradeRow {
  readonly taker_order: PlainOrder
  readonly maker_order: PlainOrder
}

export interface PlainOrderBook {
  readonly orders: ReadonlyMap<string, PlainOrder>
  readonly trades: readonly PlainTrade[]
}

const open_states = ['OPEN', 'PARTIALLY_FILLED']

export function isOpen({ state }: { readonly state: string }): boolean {
  return open_states.includes(state)
}

function notionalOf(price: number, quantity: number): number {
  return (price * quantity) / lot_size
}

/** Requests that happened, in the order of the order book's log; compared with the rows of orders and trades. */
export function replayOrderBook(requests: readonly Request[], snapshot: Snapshot): PlainOrderBook {
  const replay = new Replay(requests, snapshot.trades)
  for (const row of snapshot.log) replay.apply(row)
  replay.requireAllUsed()
  compare('orders', snapshot.orders.map(shownRow), [...replay.orders.values()].map(shownOrder).sort(byText))
  compare('trades', snapshot.trades, replay.trades.map(shownTrade))
  return replay
}

class Replay implements PlainOrderBook {
  readonly orders = new Map<string, PlainOrder>()
  readonly trades: PlainTrade[] = []
  readonly #unused: Set<Request>
  #seq = 0
  #at_ms = 0

  readonly #rows: readonly TradeRow[]

  constructor(requests: readonly Request[], rows: readonly TradeRow[]) {
    this.#unused = new Set(requests)
    this.#rows = rows
  }

  apply(row: LogRow): void {
    if (row.seq !== this.#seq + 1)
      throw new Violation(`the order book's log goes from ${this.#seq} to ${row.seq}`)
    if (row.at_ms < this.#at_ms) throw new Violation(`the order book went back in time at ${row.seq}`)
    this.#seq = row.seq
    this.#at_ms = row.at_ms
    const order = this.orders.get(row.order_id)
    if (row.kind === 'place') this.#place(row, order)
    else if (!order || !isOpen(order)) throw new Violation(`${row.kind} ${row.seq} of an order that is over`)
    else if (row.kind === 'end') this.#end(row, order)
    else this.#reduce(row, order)
  }

  /** Whatever was acknowledged or stored is in the log. */
  requireAllUsed(): void {
    for (const { key, input, done } of this.#unused)
      throw new Violation(
        `${key} (${input.action ?? 'place'} ${done?.order_id}) is missing in the order book`,
      )
  }

  #take(row: LogRow, fits: (request: Request) => boolean): Request | undefined {
    const request = [...this.#unused].find(
      (candidate) => candidate.done?.order_id === row.order_id && fits(candidate),
    )
    if (request) this.#unused.delete(request)
    return request
  }

  #place(row: LogRow, replaced: PlainOrder | undefined): void {
    const action = replaced ? 'replace' : undefined
    // Its answer names the order's place in the queue, as do those of later requests that only made it smaller.
    const request = this.#take(
      row,
      ({ input, done }) =>
        input.action === action &&
        done?.seq === row.seq &&
        (!replaced || makes(input, replaced, row.price, row.remaining)),
    )
    if (!request) throw new Violation(`nobody asked for what the order book did at ${row.seq}`)
    const order = replaced ? this.#again(replaced, request, row) : newOrder(request, row)
    this.orders.set(order.order_id, order)
    this.#match(order, row)
  }

  #again(order: PlainOrder, { input }: Request, { seq }: LogRow): PlainOrder {
    const price = input.price === undefined ? order.price : Number(input.price)
    const quantity = input.quantity === undefined ? order.quantity : Number(input.quantity)
    if (!isOpen(order)) throw new Violation(`an order that is over was replaced at ${seq}`)
    if (price === order.price && quantity <= order.quantity)
      throw new Violation(`an order that only became smaller lost its place at ${seq}`)
    return { ...order, price, quantity, seq }
  }

  #match(order: PlainOrder, { seq, at_ms }: LogRow): void {
    const is_buy = order.side === 'buy'
    const crosses = (price: number) =>
      order.price === undefined || (is_buy ? price <= order.price : price >= order.price)
    const makers = [...this.orders.values()]
      .filter((maker) => maker.side !== order.side && isOpen(maker) && maker.expires_ms > at_ms)
      .filter((maker) => maker !== order && crosses(maker.price!))
      .sort((one, other) => (is_buy ? 1 : -1) * (one.price! - other.price!) || one.seq - other.seq)
    if (order.post_only && makers.length > 0) throw new Violation(`a post_only order traded at ${seq}`)
    let is_cut = order.price === undefined || ['IOC', 'FOK'].includes(order.time_in_force)
    let place = 0
    for (const maker of makers) {
      if (order.filled === order.quantity) break
      if (maker.request.agent.tenant_id === order.request.agent.tenant_id) {
        is_cut = true
        break
      }
      this.#trade(order, maker, seq, place++)
    }
    const is_filled = order.filled === order.quantity
    if (!is_filled && order.time_in_force === 'FOK') throw new Violation(`a FOK order was cut at ${seq}`)
    order.state = is_filled ? 'FILLED' : is_cut ? 'CANCELLED' : order.filled > 0 ? 'PARTIALLY_FILLED' : 'OPEN'
  }

  #trade(taker_order: PlainOrder, maker_order: PlainOrder, seq: number, place: number): void {
    const quantity = Math.min(
      taker_order.quantity - taker_order.filled,
      maker_order.quantity - maker_order.filled,
    )
    const price = maker_order.price!
    const notional = notionalOf(price, quantity)
    const [taker, maker] = [taker_order.order_id, maker_order.order_id]
    const fee = this.#rows.find((row) => row.seq === seq && row.place === place)?.fee ?? 0
    requireFair({ amount: notional, fee, bps: tier_fee_bps })
    this.trades.push({
      ...{ seq, place, taker, maker, price, quantity, notional, fee },
      ...{ taker_order, maker_order },
    })
    for (const order of [taker_order, maker_order]) order.filled += quantity
    maker_order.state = maker_order.filled === maker_order.quantity ? 'FILLED' : 'PARTIALLY_FILLED'
  }

  #end(row: LogRow, order: PlainOrder): void {
    const is_cancelled = this.#take(row, ({ input }) => input.action === 'cancel') !== undefined
    if (!is_cancelled && order.expires_ms > row.at_ms)
      throw new Violation(`nobody cancelled the order that ended at ${row.seq}, and it is not over`)
    order.state = is_cancelled ? 'CANCELLED' : 'EXPIRED'
  }

  #reduce(row: LogRow, order: PlainOrder): void {
    const request = this.#take(
      row,
      ({ input, done }) =>
        input.action === 'replace' &&
        done?.seq === order.seq &&
        makes(input, order, order.price, row.remaining),
    )
    if (!request) throw new Violation(`nobody asked for what the order book did at ${row.seq}`)
    order.quantity = row.remaining! + order.filled
  }
}

/** Whether a replacement leaves the order with this price and rest. */
function makes(
  input: Input,
  { price, quantity, filled }: PlainOrder,
  new_price: number | null | undefined,
  rest: number | null,
): boolean {
  return Number(input.price ?? price) === new_price && Number(input.quantity ?? quantity) - filled === rest
}

function newOrder(request: Request, { order_id, seq }: LogRow): PlainOrder {
  const { input, operation } = request
  const price = input.price ?? input.limit_price
  return {
    ...{ order_id, request, seq },
    side: input.side!,
    time_in_force: operation === 'MARKET.execute_trade' ? 'IOC' : (input.time_in_force ?? 'GTC'),
    post_only: input.post_only ?? false,
    expires_ms: input.expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(input.expires_at),
    price: price === undefined ? undefined : Number(price),
    quantity: Number(input.quantity),
    filled: 0,
    state: 'OPEN',
  }
}

/** What stays reserved for an open order: the price of the rest, or the rest itself. */
export function reservedFor({ side, price, quantity, filled }: PlainOrder): number {
  return side === 'sell' ? quantity - filled : notionalOf(price!, quantity - filled)
}

function shownRow({ order_id, owner_did, seq, price, quantity, filled, reserved, state }: OrderRow): string {
  return [seq, order_id, owner_did, price, quantity, filled, reserved, state].join(' ')
}

function shownOrder(order: PlainOrder): string {
  const { order_id, request, seq, price, quantity, filled, state } = order
  const reserved = isOpen(order) ? reservedFor(order) : 0
  return [seq, order_id, request.agent.did, price, quantity, filled, reserved, state].join(' ')
}

function byText(one: string, other: string): number {
  return Number.parseInt(one, 10) - Number.parseInt(other, 10)
}

function shownTrade({ taker_order: _taker, maker_order: _maker, ...trade }: PlainTrade): TradeRow {
  return trade
}

function compare(what: string, actual: readonly unknown[], expected: readonly unknown[]): void {
  const [left, right] = [actual, expected].map((rows) => rows.map((row) => JSON.stringify(row)))
  const at = Array.from({ length: Math.max(left!.length, right!.length) }).findIndex(
    (_, i) => left![i] !== right![i],
  )
  if (at === -1) return
  throw new Violation(
    `the ${what} are not those of the plain order book: ${left![at]} instead of ${right![at]}`,
  )
}
