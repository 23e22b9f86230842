// In a conversation the turn that answers a question often shares none of its words, but the turn next to it
// does. So episodes close in time share part of each other's score.
import type { SearchIndex } from './search-index.ts'
import type { Ranked } from './search-words.ts'

/** The share taken from a neighbour, less for a higher own score: nothing overtakes the best this way. */
const shared = 0.5
const apart_ms_max = 3_600_000
/** More than this many are sorted at once. */
const inserted_max = 64
/** How many dead slots are skipped at most. */
const passed_max = 8

/** Best first, as given. A neighbour's score alone does not make something a hit. */
export function shareAmongNeighbours(index: SearchIndex, ranked: readonly Ranked[]): Ranked[] {
  const own = new Map(ranked.map(({ slot, score }) => [slot, score]))
  const best = ranked[0]?.score ?? 0
  const together = ranked.map(({ slot, score }) => {
    let near = 0
    for (const beside of neighboursOf(index, slot)) near = Math.max(near, own.get(beside) ?? 0)
    return { slot, score: score > 0 ? score + shared * near * (1 - score / best) : score }
  })
  return together.sort((one, other) => other.score - one.score || one.slot - other.slot)
}

function neighboursOf(index: SearchIndex, slot: number): number[] {
  const { kinds, namespaces, readers, occurred_ms } = index.columns
  const slots = sortedLine(index, namespaces[slot]!)
  const at = placeOf(index, slots, slot)
  if (slots[at] !== slot) return []
  const neighbours: number[] = []
  for (const step of [-1, 1]) {
    for (let passed = 1; passed <= passed_max; passed++) {
      const beside = slots[at + step * passed]
      if (beside === undefined) break
      // What others keep for themselves changes nobody else's order.
      if (kinds[beside] === 0 || readers[beside] !== readers[slot]) continue
      if (Math.abs(occurred_ms[beside]! - occurred_ms[slot]!) <= apart_ms_max) neighbours.push(beside)
      break
    }
  }
  return neighbours
}

function sortedLine(index: SearchIndex, namespace: number): readonly number[] {
  const line = index.lines.get(namespace)
  if (!line) return []
  if (line.sorted === line.slots.length) return line.slots
  const added = line.slots.splice(line.sorted)
  if (added.length > inserted_max) {
    const alive = [...line.slots, ...added].filter((slot) => index.columns.kinds[slot] !== 0)
    line.slots = alive.sort((one, other) => compare(index, one, other))
  } else for (const slot of added) line.slots.splice(placeOf(index, line.slots, slot), 0, slot)
  line.sorted = line.slots.length
  return line.slots
}

/** The position it has, or would have. */
function placeOf(index: SearchIndex, slots: readonly number[], slot: number): number {
  let [from, until] = [0, slots.length]
  while (from < until) {
    const middle = (from + until) >>> 1
    if (compare(index, slots[middle]!, slot) < 0) from = middle + 1
    else until = middle
  }
  return from
}

/** By time of the event, then by time of storage, which is the order of references. */
function compare({ columns: { occurred_ms }, refs }: SearchIndex, one: number, other: number): number {
  const apart = occurred_ms[one]! - occurred_ms[other]!
  if (apart !== 0) return apart
  if (refs[one] === refs[other]) return one - other
  return refs[one]! < refs[other]! ? -1 : 1
}
