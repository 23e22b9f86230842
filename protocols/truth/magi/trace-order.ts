// Acyclic graphs in chain order, and reachability from a node.
import type { DroppedEdge, TraceEdge } from './trace-node.ts'

/** Groups edges by effect. */
export function byEffect<E extends { readonly from: string }>(edges: readonly E[]): Map<string, E[]> {
  const by_node = new Map<string, E[]>()
  for (const edge of edges) {
    const edges_of_node = by_node.get(edge.from)
    if (edges_of_node) edges_of_node.push(edge)
    else by_node.set(edge.from, [edge])
  }
  return by_node
}

/** A position in a chain: a record's own, or that of the record that made a thing. */
export interface ChainPlace {
  readonly tenant_id: string
  readonly seq: number
  readonly is_record: boolean
}

/** Drops edges that close a cycle, and those by which a later record would cause an earlier one. */
export function inChainOrder(
  edges: readonly TraceEdge[],
  placeOf: (node: string) => ChainPlace | undefined,
): { edges: TraceEdge[]; dropped: DroppedEdge[] } {
  const causes = byEffect(edges)
  const { closing, order } = walkCauses(causes)
  const against = new Map<TraceEdge, string>()
  for (const edge of closing) against.set(edge, 'it would make something its own cause')
  // For each node the latest record of each chain at or behind it.
  const latest = new Map<string, Map<string, number>>()
  for (const node of order) {
    const place = placeOf(node)
    const behind = new Map<string, number>()
    for (const edge of causes.get(node) ?? []) {
      if (against.has(edge)) continue
      const last = latest.get(edge.to)
      const seq = place && last?.get(place.tenant_id)
      if (seq !== undefined && (seq > place!.seq || (seq === place!.seq && place!.is_record))) {
        against.set(edge, `#${seq} came after #${place!.seq}`)
        continue
      }
      for (const [tenant_id, at] of last ?? [])
        behind.set(tenant_id, Math.max(at, behind.get(tenant_id) ?? 0))
    }
    if (place) behind.set(place.tenant_id, Math.max(place.seq, behind.get(place.tenant_id) ?? 0))
    latest.set(node, behind)
  }
  const dropped = [...against].map(([{ from, to, relation }, why]) => ({ from, to, relation, why }))
  return { edges: edges.filter((edge) => !against.has(edge)), dropped }
}

/** All nodes, causes before effects, and the back edges. */
function walkCauses(causes: ReadonlyMap<string, readonly TraceEdge[]>) {
  const state = new Map<string, 'open' | 'done'>()
  const closing = new Set<TraceEdge>()
  const order: string[] = []
  for (const start of causes.keys()) {
    if (state.has(start)) continue
    const path = [{ node: start, next: 0 }]
    state.set(start, 'open')
    while (path.length > 0) {
      const at = path.at(-1)!
      const edge = causes.get(at.node)?.[at.next++]
      if (!edge) {
        state.set(at.node, 'done')
        order.push(at.node)
        path.pop()
      } else if (state.get(edge.to) === 'open') closing.add(edge)
      else if (!state.has(edge.to)) {
        state.set(edge.to, 'open')
        path.push({ node: edge.to, next: 0 })
      }
    }
  }
  return { closing, order }
}

export interface Reach {
  /** Steps from the start, nearest first. */
  readonly distance: ReadonlyMap<string, number>
  readonly cut_by_depth: boolean
  readonly cut_by_nodes: boolean
}

/** Nearest first, then by name, so that a limit cuts deterministically. */
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
