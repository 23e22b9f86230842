// Graphs in which nothing causes itself: finding and cutting cycles, and what is reached from a node.
import type { DroppedEdge, TraceEdge } from './trace-node.ts'

/** By their effect. */
export function byEffect<E extends { readonly from: string }>(edges: readonly E[]): Map<string, E[]> {
  const found = new Map<string, E[]>()
  for (const edge of edges) {
    const known = found.get(edge.from)
    if (known) known.push(edge)
    else found.set(edge.from, [edge])
  }
  return found
}

/** Honest chains make no cycle; of what was rewritten, the edges that close one are dropped. */
export function withoutCycles(edges: readonly TraceEdge[]): {
  edges: TraceEdge[]
  dropped: DroppedEdge[]
} {
  const causes = byEffect(edges)
  const state = new Map<string, 'open' | 'done'>()
  const closing = new Set<TraceEdge>()
  for (const start of causes.keys()) {
    if (state.has(start)) continue
    const path = [{ node: start, next: 0 }]
    state.set(start, 'open')
    while (path.length > 0) {
      const at = path.at(-1)!
      const edge = causes.get(at.node)?.[at.next++]
      if (!edge) {
        state.set(at.node, 'done')
        path.pop()
      } else if (state.get(edge.to) === 'open') closing.add(edge)
      else if (!state.has(edge.to)) {
        state.set(edge.to, 'open')
        path.push({ node: edge.to, next: 0 })
      }
    }
  }
  const dropped = [...closing].map(({ from, to, relation }) => {
    return { from, to, relation, why: 'it would make something its own cause' }
  })
  return { edges: edges.filter((edge) => !closing.has(edge)), dropped }
}

export interface Reach {
  /** Steps from the start, nearest first. */
  readonly distance: ReadonlyMap<string, number>
  readonly cut_by_depth: boolean
  readonly cut_by_nodes: boolean
}

/** Nearest first, and those of one distance by name, so that a limit cuts the same for everybody. */
export function reachFrom(
  start: string,
  nextOf: (node: string) => readonly string[],
  depth_max: number,
  nodes_max: number,
): Reach {
  const distance = new Map([[start, 0]])
  let [cut_by_depth, cut_by_nodes] = [false, false]
  let level = [start]
  for (let step = 1; level.length > 0; step++) {
    const next = new Set<string>()
    for (const node of level) for (const other of nextOf(node)) if (!distance.has(other)) next.add(other)
    if (next.size > 0 && step > depth_max) {
      cut_by_depth = true
      break
    }
    level = []
    for (const node of [...next].sort()) {
      if (distance.size >= nodes_max) {
        cut_by_nodes = true
        break
      }
      distance.set(node, step)
      level.push(node)
    }
  }
  return { distance, cut_by_depth, cut_by_nodes }
}
