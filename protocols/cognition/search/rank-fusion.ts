// Merges several rankings: what ranks high in many of them ranks high. Uses ranks, not scores.

export interface RankedList<Id> {
  readonly weight: number
  /** Best first, without duplicates. */
  readonly ranked: readonly Id[]
}

const rank_offset = 60

/** Reciprocal rank fusion: Σ weight / (60 + rank), divided by the maximum: 0 to 1. */
export function fuseRanks<Id>(lists: readonly RankedList<Id>[]): Map<Id, number> {
  const sums = new Map<Id, number>()
  for (const { weight, ranked } of lists)
    for (const [place, id] of ranked.entries())
      sums.set(id, (sums.get(id) ?? 0) + weight / (rank_offset + place + 1))
  const most = lists.reduce((sum, { weight }) => sum + weight / (rank_offset + 1), 0)
  for (const [id, sum] of sums) sums.set(id, sum / most)
  return sums
}
