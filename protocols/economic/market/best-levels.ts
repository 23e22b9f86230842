// The best price levels of an order book for one who follows it: known down to some price, changed by what the log
// says, and compared before and after each change.
import type { LevelChange } from './book-levels.ts'
import type { Side } from './order-matching.ts'

export interface Level {
  readonly price: bigint
  readonly quantity: bigint
  readonly orders: number
}

/** Quantity 0: no longer among the best. */
export interface ShownChange extends Level {
  readonly side: Side
}

/** Levels of one side, best first, as read from the database. */
export interface StoredSide {
  readonly levels: readonly Level[]
  /** There are no others. */
  readonly is_whole: boolean
}

interface LoadedLevels {
  levels: Level[]
  /** The worst price that is known of; undefined where all are. */
  worst: bigint | undefined
}

const sides: readonly Side[] = ['buy', 'sell']

// A class because it changes in place: one for each stream, for as long as it lasts.
export class BestLevels {
  readonly #depth: number
  readonly #levels_max: number
  readonly #loaded: Record<Side, LoadedLevels>

  constructor(depth: number, levels_max: number, stored_sides: Readonly<Record<Side, StoredSide>>) {
    this.#depth = depth
    this.#levels_max = levels_max
    const openSide = ({ levels, is_whole }: StoredSide): LoadedLevels => ({
      levels: [...levels],
      worst: is_whole ? undefined : levels.at(-1)?.price,
    })
    this.#loaded = { buy: openSide(stored_sides.buy), sell: openSide(stored_sides.sell) }
  }

  best(side: Side): readonly Level[] {
    return this.#loaded[side].levels.slice(0, this.#depth)
  }

  /** False where so many levels went away that the best ones have to be read again. */
  get is_enough(): boolean {
    return sides.every((side) => {
      const { levels, worst } = this.#loaded[side]
      return worst === undefined || levels.length >= this.#depth
    })
  }

  /** What is different among the best of both sides. */
  apply(changes: readonly LevelChange[]): ShownChange[] {
    const before = { buy: this.best('buy'), sell: this.best('sell') }
    for (const change of changes) this.#change(change)
    return sides.flatMap((side) => differences(side, before[side], this.best(side)))
  }

  /** Back to before it happened. */
  undo(changes: readonly LevelChange[]): void {
    for (const change of changes)
      this.#change({ ...change, quantity: -change.quantity, orders: -change.orders })
  }

  #change({ side, price, quantity, orders }: LevelChange): void {
    const near = this.#loaded[side]
    if (near.worst !== undefined && isBetter(side, near.worst, price)) return
    const { levels } = near
    const place = placeOf(levels, side, price)
    const level = levels[place]?.price === price ? levels[place] : undefined
    const changed = {
      price,
      quantity: (level?.quantity ?? 0n) + quantity,
      orders: (level?.orders ?? 0) + orders,
    }
    levels.splice(place, level ? 1 : 0, ...(changed.quantity > 0n ? [changed] : []))
    if (levels.length <= this.#levels_max) return
    levels.length = this.#levels_max
    near.worst = levels.at(-1)!.price
  }
}

function isBetter(side: Side, one: bigint, other: bigint): boolean {
  return side === 'buy' ? one > other : one < other
}

/** Where a price is, or would be. */
function placeOf(levels: readonly Level[], side: Side, price: bigint): number {
  let [low, high] = [0, levels.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBetter(side, levels[middle]!.price, price)) low = middle + 1
    else high = middle
  }
  return low
}

function differences(side: Side, before: readonly Level[], now: readonly Level[]): ShownChange[] {
  const old = new Map(before.map((level) => [level.price, level]))
  const current = new Set(now.map(({ price }) => price))
  const gone = before.filter(({ price }) => !current.has(price))
  const changed = now.filter(({ price, quantity, orders }) => {
    const level = old.get(price)
    return level?.quantity !== quantity || level.orders !== orders
  })
  return [
    ...gone.map(({ price }) => ({ side, price, quantity: 0n, orders: 0 })),
    ...changed.map((level) => ({ side, ...level })),
  ]
}
