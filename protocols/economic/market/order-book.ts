// The whole order book of one instrument in memory: replays a log of orders, and benchmarks matching.
import {
  type Incoming,
  type Matching,
  matchOrder,
  mayRest,
  otherSide,
  type Resting,
  type SameTrader,
  type Side,
} from './order-matching.ts'

/** What changes an order book, in order of seq. Rejected orders are not logged. */
export type BookCommand =
  | {
      readonly kind: 'place'
      readonly order: Incoming
      /** A quote for one taker: it rests outside the order book. */
      readonly directed_to?: string | undefined
      /** Trades with this order only. */
      readonly only?: string | undefined
      /** 'organization' where absent. */
      readonly same_trader?: SameTrader | undefined
    }
  /** Cancelled by its owner, or expired. */
  | { readonly kind: 'end'; readonly order_id: string }
  /** Keeps its priority. */
  | {
      readonly kind: 'reduce'
      readonly order_id: string
      readonly remaining: bigint
      readonly expires_ms: number | null
    }

interface Place {
  order: Resting
  level: Level | null
  previous: Place | null
  next: Place | null
}

interface Level {
  readonly price: bigint
  first: Place | null
  last: Place | null
}

export interface Book {
  /** Levels from the worst price to the best, so that the best are removed at the end. */
  readonly levels: Readonly<Record<Side, Level[]>>
  readonly places: Map<string, Place>
}

export function openBook(): Book {
  return { levels: { buy: [], sell: [] }, places: new Map() }
}

/** The trades of a command; undefined for one that only removes. */
export function applyCommand(book: Book, command: BookCommand, now_ms: number): Matching | undefined {
  if (command.kind === 'place') return placeOrder(book, command, now_ms)
  const place = book.places.get(command.order_id)
  if (!place) return undefined
  if (command.kind === 'end') remove(book, place)
  else {
    const { remaining, expires_ms } = command
    place.order = { ...place.order, remaining, expires_ms }
  }
  return undefined
}

function placeOrder(
  book: Book,
  { order, directed_to, only, same_trader }: BookCommand & { kind: 'place' },
  now_ms: number,
): Matching {
  // A replaced order loses its priority first.
  const replaced = book.places.get(order.order_id)
  const named = only === undefined ? undefined : book.places.get(only)
  const makers =
    directed_to !== undefined
      ? []
      : only === undefined
        ? makersFor(book, order.side)
        : named
          ? [named.order]
          : []
  const matching = matchOrder(order, makers, now_ms, named?.level === null ? 'agent' : same_trader)
  if (matching.rejected) return matching
  if (replaced) remove(book, replaced)
  for (const { maker, quantity } of matching.fills) take(book, maker.order_id, quantity)
  const { left, cut } = matching
  if (left > 0n && cut === null && mayRest(order)) put(book, order, left, directed_to !== undefined)
  return matching
}

/** The opposite side, best price first, then lowest seq. */
function* makersFor(book: Book, side: Side): Generator<Resting> {
  const levels = book.levels[otherSide(side)]
  for (let at = levels.length - 1; at >= 0; at--) {
    for (let place = levels[at]!.first; place; place = place.next) yield place.order
  }
}

function take(book: Book, order_id: string, quantity: bigint): void {
  const place = book.places.get(order_id)!
  const remaining = place.order.remaining - quantity
  if (remaining === 0n) remove(book, place)
  else place.order = { ...place.order, remaining }
}

function put(book: Book, order: Incoming, remaining: bigint, is_directed: boolean): void {
  const { order_id, seq, owner_tenant, owner_did, side, expires_ms } = order
  const price = order.price!
  const resting = { order_id, seq, owner_tenant, owner_did, side, price, remaining, expires_ms }
  const place: Place = { order: resting, level: null, previous: null, next: null }
  book.places.set(order_id, place)
  if (is_directed) return
  const level = levelAt(book.levels[side], side, price)
  place.level = level
  place.previous = level.last
  if (level.last) level.last.next = place
  else level.first = place
  level.last = place
}

function remove(book: Book, place: Place): void {
  book.places.delete(place.order.order_id)
  const { level, previous, next } = place
  if (!level) return
  if (previous) previous.next = next
  else level.first = next
  if (next) next.previous = previous
  else level.last = previous
  if (level.first) return
  const levels = book.levels[place.order.side]
  levels.splice(positionOf(levels, place.order.side, level.price), 1)
}

function levelAt(levels: Level[], side: Side, price: bigint): Level {
  const at = positionOf(levels, side, price)
  const existing = levels[at]
  if (existing?.price === price) return existing
  const level = { price, first: null, last: null }
  levels.splice(at, 0, level)
  return level
}

/** The index of a price, existing or not, from worst to best. */
function positionOf(levels: readonly Level[], side: Side, price: bigint): number {
  let [low, high] = [0, levels.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const is_worse = side === 'buy' ? levels[middle]!.price < price : levels[middle]!.price > price
    if (is_worse) low = middle + 1
    else high = middle
  }
  return low
}

/** All resting orders of the lit order book, best first. */
export function restingOn(book: Book, side: Side): Resting[] {
  return [...makersFor(book, otherSide(side))]
}
