// What graph theory says of the mesh: paths, parts that hang together, and nodes without which they fall apart. Pure.
import { UndirectedGraph } from 'graphology'
import { connectedComponents } from 'graphology-components'
import { bidirectional } from 'graphology-shortest-path/dijkstra.js'
import { brandes } from 'graphology-shortest-path/unweighted.js'

export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly cost: number
}

/** Whichever way edges point; of several between two nodes the cheapest counts. */
function graphOf(nodes: readonly string[], edges: readonly GraphEdge[]): UndirectedGraph {
  const graph = new UndirectedGraph()
  for (const node of nodes) graph.addNode(node)
  for (const { from, to, cost } of edges) {
    if (from === to) continue
    const known = graph.hasEdge(from, to) ? Number(graph.getEdgeAttribute(from, to, 'cost')) : Infinity
    if (cost < known) graph.mergeEdge(from, to, { cost })
  }
  return graph
}

export interface FoundPath {
  readonly nodes: readonly string[]
  readonly cost: number
}

/** Undefined where no way leads there. */
export function cheapestPath(
  nodes: readonly string[],
  edges: readonly GraphEdge[],
  from: string,
  to: string,
): FoundPath | undefined {
  const graph = graphOf(nodes, edges)
  const found: readonly string[] | null = from === to ? [from] : bidirectional(graph, from, to, 'cost')
  if (!found) return undefined
  const steps = found.slice(1).map((node, i) => Number(graph.getEdgeAttribute(found[i]!, node, 'cost')))
  return { nodes: found, cost: steps.reduce((sum, cost) => sum + cost, 0) }
}

/** Largest first. */
export function componentsOf(nodes: readonly string[], edges: readonly GraphEdge[]): string[][] {
  const found = connectedComponents(graphOf(nodes, edges)).map((component) => component.sort())
  return found.sort((a, b) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1))
}

interface Visit {
  readonly node: string
  readonly parent: string | undefined
  readonly beside: readonly string[]
  next: number
  children: number
}

/** Nodes whose loss would cut some of the others off from each other. Without recursion: a mesh may be one long line. */
export function articulationPoints(nodes: readonly string[], edges: readonly GraphEdge[]): string[] {
  const graph = graphOf(nodes, edges)
  const entered = new Map<string, number>()
  const low = new Map<string, number>()
  const cutting = new Set<string>()
  const enter = (node: string, parent: string | undefined): Visit => {
    entered.set(node, entered.size)
    low.set(node, entered.get(node)!)
    return { node, parent, beside: graph.neighbors(node), next: 0, children: 0 }
  }
  const lower = (node: string, to: number) => low.set(node, Math.min(low.get(node)!, to))
  for (const start of nodes) {
    if (entered.has(start)) continue
    const stack = [enter(start, undefined)]
    while (stack.length > 0) {
      const visit = stack.at(-1)!
      const other = visit.beside[visit.next++]
      if (other === undefined) {
        stack.pop()
        const above = stack.at(-1)
        if (!above) continue
        lower(above.node, low.get(visit.node)!)
        above.children++
        const is_root = above.parent === undefined
        if (!is_root && low.get(visit.node)! >= entered.get(above.node)!) cutting.add(above.node)
        if (is_root && above.children > 1) cutting.add(above.node)
      } else if (!entered.has(other)) stack.push(enter(other, visit.node))
      else if (other !== visit.parent) lower(visit.node, entered.get(other)!)
    }
  }
  return [...cutting].sort()
}

export interface Score {
  readonly id: string
  readonly score: number
}

/** How much of all shortest ways between others leads over each node, 0 to 1. From some of the nodes only where `sources` are fewer. */
export function betweennessOf(
  nodes: readonly string[],
  edges: readonly GraphEdge[],
  sources: readonly string[] = nodes,
): Score[] {
  const graph = graphOf(nodes, edges)
  const scores = new Map(nodes.map((node) => [node, 0]))
  for (const source of sources) {
    const [visited, before, ways] = brandes(graph, source)
    const depends = new Map(visited.map((node) => [node, 0]))
    for (const node of visited.toReversed()) {
      const passed_on = (1 + depends.get(node)!) / ways[node]!
      for (const earlier of before[node]!)
        depends.set(earlier, depends.get(earlier)! + ways[earlier]! * passed_on)
      if (node !== source) scores.set(node, scores.get(node)! + depends.get(node)!)
    }
  }
  const pairs = Math.max(1, (nodes.length - 1) * (nodes.length - 2))
  const scale = nodes.length / Math.max(1, sources.length) / pairs
  return nodes
    .map((id) => ({ id, score: Math.min(1, scores.get(id)! * scale) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

/** What can be reached from a node the way edges point, with the steps it takes. */
export function reachableFrom(
  edges: readonly { readonly from: string; readonly to: string }[],
  start: string,
): { id: string; hops: number }[] {
  const onward = Map.groupBy(edges, ({ from }) => from)
  const found = new Map([[start, 0]])
  // A map goes on over what is added while it is walked.
  for (const [id, hops] of found)
    for (const { to } of onward.get(id) ?? []) if (!found.has(to)) found.set(to, hops + 1)
  return [...found].map(([id, hops]) => ({ id, hops }))
}
