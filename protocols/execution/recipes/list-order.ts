// The order of one list of steps. Reachability as bit rows: a hostile list of 500 linked steps stays cheap.

export interface ListOrder {
  isBefore(earlier: string, later: string): boolean
}

/** The topological order, or the steps of one cycle. */
export function orderList(
  parents_of: ReadonlyMap<string, readonly string[]>,
): { order: ListOrder } | { cycle: string[] } {
  const paths = [...parents_of.keys()]
  const place = new Map(paths.map((path, at) => [path, at]))
  const parents = paths.map((path) => (parents_of.get(path) ?? []).map((parent) => place.get(parent)!))
  const words = Math.ceil(paths.length / 32)
  const before = new Uint32Array(paths.length * words)
  const sorted = sortByParents(parents)
  if (sorted.length < paths.length) return { cycle: findCycle(parents, sorted).map((at) => paths[at]!) }
  for (const at of sorted) {
    for (const parent of parents[at]!) {
      for (let word = 0; word < words; word++) before[at * words + word]! |= before[parent * words + word]!
      before[at * words + (parent >> 5)]! |= 1 << (parent & 31)
    }
  }
  return {
    order: {
      isBefore(earlier, later) {
        const from = place.get(earlier)
        const to = place.get(later)
        if (from === undefined || to === undefined) return false
        return (before[to * words + (from >> 5)]! & (1 << (from & 31))) !== 0
      },
    },
  }
}

/** Kahn's algorithm: missing steps are on a cycle or behind one. */
function sortByParents(parents: readonly (readonly number[])[]): number[] {
  const children: number[][] = parents.map(() => [])
  const missing = parents.map((list) => list.length)
  for (const [at, list] of parents.entries()) for (const parent of list) children[parent]!.push(at)
  const sorted = [...missing.keys()].filter((at) => missing[at] === 0)
  // The list grows during the loop; each step is added once.
  for (const at of sorted) for (const child of children[at]!) if (--missing[child]! === 0) sorted.push(child)
  return sorted
}

/** Unsorted steps always have unsorted parents, so following them must reach a step twice. */
function findCycle(parents: readonly (readonly number[])[], sorted: readonly number[]): number[] {
  const done = new Set(sorted)
  const walked: number[] = []
  let at = [...parents.keys()].find((place) => !done.has(place))!
  while (!walked.includes(at)) {
    walked.push(at)
    at = parents[at]!.find((parent) => !done.has(parent))!
  }
  const cycle = walked.slice(walked.indexOf(at)).reverse()
  const first = cycle.indexOf(Math.min(...cycle))
  return [...cycle.slice(first), ...cycle.slice(0, first)]
}
