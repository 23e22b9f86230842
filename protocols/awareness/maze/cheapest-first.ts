// A priority queue, cheapest first: a binary heap.

export interface Entry<T> {
  readonly cost: number
  readonly value: T
}

export function openQueue<T>() {
  const entries: Entry<T>[] = []
  return {
    push(cost: number, value: T): void {
      let at = entries.push({ cost, value }) - 1
      for (let up = (at - 1) >> 1; at > 0 && entries[up]!.cost > cost; up = (at - 1) >> 1) {
        entries[at] = entries[up]!
        at = up
      }
      entries[at] = { cost, value }
    },
    pop(): Entry<T> | undefined {
      const cheapest = entries[0]
      const last = entries.pop()
      if (!last || entries.length === 0) return cheapest
      let at = 0
      for (let down = 1; down < entries.length; down = 2 * at + 1) {
        if (down + 1 < entries.length && entries[down + 1]!.cost < entries[down]!.cost) down++
        if (entries[down]!.cost >= last.cost) break
        entries[at] = entries[down]!
        at = down
      }
      entries[at] = last
      return cheapest
    },
  }
}
