// Dominators: nodes on every path from a source. Lengauer and Tarjan, with path compression.

const none = -1

/** The immediate dominator of each node; the source is its own, unreachable nodes have -1. */
export function immediateDominators(
  successors: readonly (readonly number[])[],
  source: number,
): readonly number[] {
  const { order, parent, number } = depthFirst(successors, source)
  const predecessors = reversed(successors, number)
  const size = successors.length
  const semi = number.slice()
  const idom = new Array<number>(size).fill(none)
  const buckets: number[][] = Array.from({ length: size }, () => [])
  const forest = linkForest(size, semi)
  for (let place = order.length - 1; place > 0; place--) {
    const node = order[place]!
    for (const before of predecessors[node]!) {
      semi[node] = Math.min(semi[node]!, semi[forest.lowest(before)]!)
    }
    buckets[order[semi[node]!]!]!.push(node)
    const above = parent[node]!
    forest.link(above, node)
    for (const waiting of buckets[above]!.splice(0)) {
      const lowest = forest.lowest(waiting)
      idom[waiting] = semi[lowest]! < semi[waiting]! ? lowest : above
    }
  }
  for (const node of order.slice(1)) {
    if (idom[node] !== order[semi[node]!]) idom[node] = idom[idom[node]!]!
  }
  idom[source] = source
  return idom
}

/** From a node up to, but excluding, the source. */
export function dominatorsOf(idom: readonly number[], node: number, source: number): number[] {
  const chain: number[] = []
  for (let at = node; at !== source && at !== none; at = idom[at]!) chain.push(at)
  return chain
}

function depthFirst(successors: readonly (readonly number[])[], source: number) {
  const number = new Array<number>(successors.length).fill(none)
  const parent = new Array<number>(successors.length).fill(none)
  const order: number[] = []
  const open = [{ node: source, from: none }]
  while (open.length > 0) {
    const { node, from } = open.pop()!
    if (number[node] !== none) continue
    number[node] = order.length
    parent[node] = from
    order.push(node)
    for (const next of successors[node]!) if (number[next] === none) open.push({ node: next, from: node })
  }
  return { order, parent, number }
}

function reversed(successors: readonly (readonly number[])[], number: readonly number[]): number[][] {
  const predecessors: number[][] = successors.map(() => [])
  successors.forEach((nexts, node) => {
    if (number[node] !== none) for (const next of nexts) predecessors[next]!.push(node)
  })
  return predecessors
}

/** For each node the ancestor with the lowest semidominator among those linked so far. */
function linkForest(size: number, semi: readonly number[]) {
  const ancestor = new Array<number>(size).fill(none)
  const label = Array.from({ length: size }, (_, node) => node)
  const compress = (node: number) => {
    const path: number[] = []
    for (let at = node; ancestor[ancestor[at]!] !== none; at = ancestor[at]!) path.push(at)
    for (const at of path.toReversed()) {
      const above = ancestor[at]!
      if (semi[label[above]!]! < semi[label[at]!]!) label[at] = label[above]!
      ancestor[at] = ancestor[above]!
    }
  }
  return {
    link(above: number, node: number): void {
      ancestor[node] = above
    },
    lowest(node: number): number {
      if (ancestor[node] === none) return label[node]!
      compress(node)
      return label[node]!
    },
  }
}
