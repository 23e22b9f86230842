// What was said just before and after: in a conversation the turn that answers a question often has none of its words,
// but the turn beside it has. So episodes close in time share some of each other's score.
import type { SearchIndex } from './search-index.ts'
import type { Ranked } from './search-words.ts'

/** Of what a neighbour has, less the nearer one is to the best by itself: nothing ever overtakes the best that way. */
const shared = 0.5
const apart_ms_max = 3_600_000
/** More than so many are sorted at once. */
const inserted_max = 64
/** Slots that are dead are passed over, but not for ever. */
const passed_max = 8

/** Best first, as it is given. What was not found by itself is not found through its neighbour. */
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
  const { kinds, namespaces, occurred_ms } = index.columns
  const slots = sortedLine(index, namespaces[slot]!)
  const at = placeOf(index, slots, slot)
  if (slots[at] !== slot) return []
  const neighbours: number[] = []
  for (const step of [-1, 1]) {
    for (let passed = 1; passed <= passed_max; passed++) {
      const beside = slots[at + step * passed]
      if (beside === undefined) break
      if (kinds[beside] === 0) continue
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

/** Where it stands, or would. */
function placeOf(index: SearchIndex, slots: readonly number[], slot: number): number {
  let [from, until] = [0, slots.length]
  while (from < until) {
    const middle = (from + until) >>> 1
    if (compare(index, slots[middle]!, slot) < 0) from = middle + 1
    else until = middle
  }
  return from
}

/** By when it happened, then by when it was stored: references are ordered by that. */
function compare({ columns: { occurred_ms }, refs }: SearchIndex, one: number, other: number): number {
  const apart = occurred_ms[one]! - occurred_ms[other]!
  if (apart !== 0) return apart
  if (refs[one] === refs[other]) return one - other
  return refs[one]! < refs[other]! ? -1 : 1
}
