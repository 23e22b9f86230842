// The part of an order book that a batch of orders can reach, in memory: read page by page, and changed by the orders
// of the batch in the order of their arrival. Nothing of it is stored before the batch is over.
import type { Database } from '@svc/contract/database'
import {
  crosses,
  type Fill,
  fills_max,
  isSame,
  otherSide,
  type SameTrader,
  type Side,
} from './order-matching.ts'
import { incomingOf, isOpen, type Order, readMakers } from './order-store.ts'

const page = 64

/** Where the open orders of one side are read from, best first. */
export type ReadSide = (side: Side, limit: number, offset: number) => Promise<readonly Order[]>

interface Window {
  /** Best first; also what the batch itself left waiting. */
  orders: Order[]
  loaded: number
  /** All that is stored was read. */
  is_whole: boolean
  /** The last that was read: what stands behind it may have others before it. */
  last: Order | undefined
}

// A class because it changes in place, for as long as its batch.
export class BookWindow {
  readonly #read: ReadSide
  readonly #sides: Record<Side, Window> = { buy: emptyWindow(), sell: emptyWindow() }

  constructor(read: ReadSide) {
    this.#read = read
  }

  /** The other side, best first, only as far as this order can reach. */
  async makersFor(order: Order, same_trader: SameTrader): Promise<readonly Order[]> {
    const window = this.#sides[otherSide(order.side)]
    for (;;) {
      const makers = reachable(window, order, same_trader)
      if (makers) return makers
      await this.#load(otherSide(order.side), window)
    }
  }

  /** The order as it was entered, and what it took. */
  enter(order: Order, fills: readonly Pick<Fill, 'maker' | 'quantity'>[]): void {
    const others = this.#sides[otherSide(order.side)]
    const taken = new Map(fills.map(({ maker, quantity }) => [maker.order_id, quantity]))
    others.orders = others.orders.flatMap((maker) => {
      const filled = maker.filled + (taken.get(maker.order_id) ?? 0n)
      return filled === maker.quantity ? [] : [{ ...maker, filled }]
    })
    if (order.directed_to !== null || !isOpen(order)) return
    const { orders } = this.#sides[order.side]
    orders.push(order)
    orders.sort(byPriority)
  }

  async #load(side: Side, window: Window): Promise<void> {
    const rows = await this.#read(side, page, window.loaded)
    window.loaded += rows.length
    window.is_whole = rows.length < page
    window.last = rows.at(-1) ?? window.last
    window.orders = [...window.orders, ...rows].sort(byPriority)
  }
}

export function storedSides(
  db: Database,
  tenant_id: string,
  book: { readonly instrument: string; readonly now: Date },
): ReadSide {
  return (side, limit, offset) => readMakers(db, tenant_id, { ...book, side }, limit, offset)
}

function emptyWindow(): Window {
  return { orders: [], loaded: 0, is_whole: false, last: undefined }
}

/** Undefined where more has to be read first. */
function reachable(window: Window, order: Order, same_trader: SameTrader): Order[] | undefined {
  const { orders, is_whole, last } = window
  const incoming = incomingOf(order)
  const makers: Order[] = []
  let left = incoming.remaining
  for (const maker of orders) {
    if (!is_whole && (last === undefined || byPriority(maker, last) > 0)) return undefined
    if (!crosses(incoming, maker.price!)) return makers
    makers.push(maker)
    left -= maker.quantity - maker.filled
    if (left <= 0n || makers.length > fills_max || isSame(incoming, maker, same_trader)) return makers
  }
  return is_whole ? makers : undefined
}

/** Of one side. */
function byPriority(one: Order, other: Order): number {
  const difference = one.side === 'buy' ? other.price! - one.price! : one.price! - other.price!
  return difference === 0n ? one.seq - other.seq : difference < 0n ? -1 : 1
}
