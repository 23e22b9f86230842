// Market depth: quantities summed from the best price outwards, with exact integers of any size.

export interface Level {
  readonly price: string
  readonly quantity: string
  readonly orders: number
}

export interface DeepLevel extends Level {
  readonly total: string
  /** Relative to the deeper side, for drawing only. */
  readonly share: number
}

export function depthOf(
  bids: readonly Level[],
  asks: readonly Level[],
): { bids: readonly DeepLevel[]; asks: readonly DeepLevel[] } {
  const [deep_bids, deep_asks] = [addedUp(bids), addedUp(asks)]
  const deepest = [deep_bids, deep_asks].reduce((most, side) => {
    const last = side.at(-1)?.total ?? 0n
    return last > most ? last : most
  }, 0n)
  const shown = (side: ReturnType<typeof addedUp>) =>
    side.map((level) => ({
      ...level,
      total: String(level.total),
      share: deepest === 0n ? 0 : Number((level.total * 10_000n) / deepest) / 10_000,
    }))
  return { bids: shown(deep_bids), asks: shown(deep_asks) }
}

function addedUp(levels: readonly Level[]): (Level & { total: bigint })[] {
  let total = 0n
  return levels.map((level) => {
    total += BigInt(level.quantity)
    return { ...level, total }
  })
}
