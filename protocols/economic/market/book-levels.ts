// What a change of an order book does to the price levels that everybody sees. The log stores it with each change,
// so that whoever follows the order book learns the same of it from any engine.
import { otherSide, type Side } from './order-matching.ts'

/** Added to what the level had; both may be negative. */
export interface LevelChange {
  readonly side: Side
  readonly price: bigint
  readonly quantity: bigint
  readonly orders: number
}

interface Waiting {
  readonly side: Side
  readonly price: bigint | null
  readonly quantity: bigint
  readonly filled: bigint
  readonly directed_to: string | null
}

interface Taken {
  readonly price: bigint
  readonly quantity: bigint
  /** The maker is filled, and leaves its level. */
  readonly is_whole: boolean
}

/** An order that leaves the order book: cancelled, expired, or replaced. A quote was never in it. */
export function levelsEnded(order: Waiting): LevelChange[] {
  const { side, price, quantity, filled, directed_to } = order
  if (directed_to !== null || price === null) return []
  return [{ side, price, quantity: filled - quantity, orders: -1 }]
}

/** An order that became smaller in its place. */
export function levelsReduced(before: Waiting, after: Waiting): LevelChange[] {
  const { side, price, directed_to } = after
  const quantity = after.quantity - after.filled - (before.quantity - before.filled)
  if (directed_to !== null || price === null || quantity === 0n) return []
  return [{ side, price, quantity, orders: 0 }]
}

/** An order that came: what it took from the other side, and what of it waits now. */
export function levelsPlaced(
  order: Waiting & { readonly is_waiting: boolean },
  taken: readonly Taken[],
  replaced?: Waiting,
): LevelChange[] {
  const { side, price, quantity, filled, directed_to, is_waiting } = order
  const waits = is_waiting && directed_to === null && price !== null
  return summed([
    ...(replaced ? levelsEnded(replaced) : []),
    ...taken.map(
      (fill): LevelChange => ({
        side: otherSide(side),
        price: fill.price,
        quantity: -fill.quantity,
        orders: fill.is_whole ? -1 : 0,
      }),
    ),
    ...(waits ? [{ side, price, quantity: quantity - filled, orders: 1 }] : []),
  ])
}

/** One change for each level, and none where nothing came of it. */
function summed(changes: readonly LevelChange[]): LevelChange[] {
  const levels = new Map<string, LevelChange>()
  for (const change of changes) {
    const level = `${change.side} ${change.price}`
    const sum = levels.get(level)
    levels.set(
      level,
      sum ? { ...sum, quantity: sum.quantity + change.quantity, orders: sum.orders + change.orders } : change,
    )
  }
  return [...levels.values()].filter(({ quantity, orders }) => quantity !== 0n || orders !== 0)
}

type Stored = readonly [side: Side, price: string, quantity: string, orders: number]

export function storedLevels(changes: readonly LevelChange[]): Stored[] {
  return changes.map(({ side, price, quantity, orders }) => [side, String(price), String(quantity), orders])
}

export function levelsOf(stored: readonly Stored[]): LevelChange[] {
  return stored.map(([side, price, quantity, orders]) => ({
    side,
    price: BigInt(price),
    quantity: BigInt(quantity),
    orders,
  }))
}
