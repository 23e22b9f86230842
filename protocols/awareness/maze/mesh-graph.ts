// Graph analysis of the mesh: paths, components and articulation points. Pure.
import { openQueue } from './cheapest-first.ts'

export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly cost: number
}

/** The neighbours of each node, with the cost of the step. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, number>>

/** Undirected; of parallel edges the cheapest counts. */
function graphOf(nodes: readonly string[], edges: readonly GraphEdge[]): Graph {
  const graph = new Map(nodes.map((node) => [node, new Map<string, number>()]))
  const beside = (node: string) => graph.get(node) ?? graph.set(node, new Map()).get(node)!
  for (const { from, to, cost } of edges) {
    if (from === to || cost >= (beside(from).get(to) ?? Infinity)) continue
    beside(from).set(to, cost)
    beside(to).set(from, cost)
  }
  return graph
}

export interface FoundPath {
  readonly nodes: readonly string[]
  readonly cost: number
}

/** Undefined if there is no path. */
export function cheapestPath(
  nodes: readonly string[],
  edges: readonly GraphEdge[],
  from: string,
  to: string,
): FoundPath | undefined {
  const graph = graphOf(nodes, edges)
  const costs = new Map([[from, 0]])
  const before = new Map<string, string>()
  const done = new Set<string>()
  const queue = openQueue<string>()
  queue.push(0, from)
  for (let next = queue.pop(); next && next.value !== to; next = queue.pop()) {
    const { cost, value: node } = next
    // Outdated: a cheaper path was found since.
    if (done.has(node)) continue
    done.add(node)
    for (const [other, step] of graph.get(node) ?? []) {
      if (cost + step >= (costs.get(other) ?? Infinity)) continue
      costs.set(other, cost + step)
      before.set(other, node)
      queue.push(cost + step, other)
    }
  }
  const cost = costs.get(to)
  if (cost === undefined) return undefined
  const path = [to]
  while (path.at(-1) !== from) path.push(before.get(path.at(-1)!)!)
  return { nodes: path.reverse(), cost }
}

/** Largest first. */
export function componentsOf(nodes: readonly string[], edges: readonly GraphEdge[]): string[][] {
  const graph = graphOf(nodes, edges)
  const components: string[][] = []
  const reached = new Set<string>()
  for (const start of graph.keys()) {
    if (reached.has(start)) continue
    // Iterating a set includes items added meanwhile.
    const component = new Set([start])
    for (const node of component) for (const other of graph.get(node)!.keys()) component.add(other)
    for (const node of component) reached.add(node)
    components.push([...component].sort())
  }
  return components.sort((a, b) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1))
}

interface Visit {
  readonly node: string
  readonly parent: string | undefined
  readonly beside: readonly string[]
  next: number
  children: number
}

/** Nodes whose removal disconnects others. Iterative: the mesh may be one long line. */
export function articulationPoints(nodes: readonly string[], edges: readonly GraphEdge[]): string[] {
  const graph = graphOf(nodes, edges)
  const entered = new Map<string, number>()
  const low = new Map<string, number>()
  const cutting = new Set<string>()
  const enter = (node: string, parent: string | undefined): Visit => {
    entered.set(node, entered.size)
    low.set(node, entered.get(node)!)
    return { node, parent, beside: [...graph.get(node)!.keys()], next: 0, children: 0 }
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

/** The share of shortest paths through each node, 0 to 1; estimated if `sources` are only some nodes. */
export function betweennessOf(
  nodes: readonly string[],
  edges: readonly GraphEdge[],
  sources: readonly string[] = nodes,
): Score[] {
  const graph = graphOf(nodes, edges)
  const scores = new Map(nodes.map((node) => [node, 0]))
  for (const source of sources) {
    const { visited, before, ways } = shortestWays(graph, source)
    const depends = new Map(visited.map((node) => [node, 0]))
    for (const node of visited.toReversed()) {
      const passed_on = (1 + depends.get(node)!) / ways.get(node)!
      for (const earlier of before.get(node)!)
        depends.set(earlier, depends.get(earlier)! + ways.get(earlier)! * passed_on)
      if (node !== source) scores.set(node, scores.get(node)! + depends.get(node)!)
    }
  }
  const pairs = Math.max(1, (nodes.length - 1) * (nodes.length - 2))
  const scale = nodes.length / Math.max(1, sources.length) / pairs
  return nodes
    .map((id) => ({ id, score: Math.min(1, scores.get(id)! * scale) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

/** Nodes by distance; for each, the number of shortest paths and its predecessors (Brandes, 2001). */
function shortestWays(graph: Graph, source: string) {
  const visited = [source]
  const distance = new Map([[source, 0]])
  const ways = new Map([[source, 1]])
  const before = new Map<string, string[]>([[source, []]])
  for (const node of visited) {
    const hops = distance.get(node)! + 1
    for (const other of graph.get(node)!.keys()) {
      if (!distance.has(other)) {
        visited.push(other)
        distance.set(other, hops)
        ways.set(other, 0)
        before.set(other, [])
      }
      if (distance.get(other) !== hops) continue
      ways.set(other, ways.get(other)! + ways.get(node)!)
      before.get(other)!.push(node)
    }
  }
  return { visited, before, ways }
}

/** Nodes reachable along the edges' direction, with the number of steps. */
export function reachableFrom(
  edges: readonly { readonly from: string; readonly to: string }[],
  start: string,
): { id: string; hops: number }[] {
  const onward = Map.groupBy(edges, ({ from }) => from)
  const hops_to = new Map([[start, 0]])
  // Iterating a map includes items added meanwhile.
  for (const [id, hops] of hops_to)
    for (const { to } of onward.get(id) ?? []) if (!hops_to.has(to)) hops_to.set(to, hops + 1)
  return [...hops_to].map(([id, hops]) => ({ id, hops }))
}
