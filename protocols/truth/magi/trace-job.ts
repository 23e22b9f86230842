// The computation of a trace without I/O: in a worker thread if it is large.
import { conditionsOf, criticalPath, holds, type RootCause, rootCauses, type Work } from './but-for.ts'
import {
  type Clause,
  type DroppedEdge,
  link_bases,
  type Material,
  recordNode,
  type TraceEdge,
  type TraceGraph,
  type TraceNode,
} from './trace-node.ts'
import { reachFrom } from './trace-order.ts'
import { weave } from './trace-weaving.ts'

export interface TraceTask {
  readonly material: Material
  /** The queried node. */
  readonly target: string
  readonly direction: 'causes' | 'effects' | 'both'
  readonly max_depth: number
  readonly max_nodes: number
  /** Records to remove, by hash. */
  readonly counterfactual: readonly string[]
  readonly work_max: number
}

export interface Counterfactual {
  readonly removed: readonly string[]
  /** Whether all of them, or their calls, are in the graph: others have no effect. */
  readonly found: boolean
  readonly changed: boolean
  readonly basis: 'replayed' | 'assumed'
}

export interface TraceResult {
  readonly nodes: readonly TraceNode[]
  readonly edges: readonly TraceEdge[]
  readonly dropped: readonly DroppedEdge[]
  readonly root_causes: readonly RootCause[]
  readonly critical_path: readonly string[]
  readonly counterfactuals: readonly Counterfactual[]
  readonly confidence: number
  readonly truncated_by: readonly ('depth' | 'nodes' | 'work')[]
  readonly work: number
}

export function compute(task: TraceTask): TraceResult {
  const { target, counterfactual } = task
  const whole = weave(task.material)
  const { graph, distance, truncated_by } = cut(whole, task)
  const work: Work = { done: 0, max: task.work_max }
  const root_causes = rootCauses(graph, target, work)
  const was_cut = work.done >= work.max
  const counterfactuals = [
    ...counterfactual.map((hash) => takeAway(graph, target, [hash], work)),
    ...(counterfactual.length > 1 ? [takeAway(graph, target, counterfactual, work)] : []),
  ]
  const weights = graph.edges.map(({ basis }) => link_bases[basis])
  const path = criticalPath(graph, target, root_causes)
  return {
    nodes: graph.nodes,
    edges: graph.edges,
    dropped: graph.dropped,
    root_causes,
    critical_path: task.direction === 'effects' ? farthest(graph, target, distance) : path,
    counterfactuals,
    confidence: weights.reduce<number>((least, weight) => Math.min(least, weight), 1),
    truncated_by: was_cut ? [...truncated_by, 'work'] : truncated_by,
    work: work.done,
  }
}

function cut(whole: TraceGraph, { target, direction, max_depth, max_nodes }: TraceTask) {
  const [causes, effects] = [neighbours(whole.edges, 'from', 'to'), neighbours(whole.edges, 'to', 'from')]
  const ways = direction === 'both' ? [causes, effects] : [direction === 'causes' ? causes : effects]
  const reaches = ways.map((way) => reachFrom(target, (node) => way.get(node) ?? [], max_depth, max_nodes))
  const distance = new Map<string, number>()
  for (const reach of reaches) {
    for (const [node, steps] of reach.distance) {
      if (distance.size >= max_nodes) break
      distance.set(node, Math.min(steps, distance.get(node) ?? steps))
    }
  }
  const total = new Set(reaches.flatMap((reach) => [...reach.distance.keys()])).size
  const truncated_by: ('depth' | 'nodes')[] = []
  if (reaches.some(({ cut_by_depth }) => cut_by_depth)) truncated_by.push('depth')
  if (reaches.some(({ cut_by_nodes }) => cut_by_nodes) || total > distance.size) truncated_by.push('nodes')
  return { graph: keepOnly(whole, distance), distance, truncated_by }
}

function neighbours(
  edges: readonly TraceEdge[],
  here: 'from' | 'to',
  there: 'from' | 'to',
): Map<string, string[]> {
  const by_node = new Map<string, string[]>()
  for (const edge of edges) {
    const nodes = by_node.get(edge[here])
    if (nodes) nodes.push(edge[there])
    else by_node.set(edge[here], [edge[there]])
  }
  return by_node
}

function keepOnly(whole: TraceGraph, distances: ReadonlyMap<string, number>): TraceGraph {
  const isKept = ({ from, to }: { readonly from: string; readonly to: string }) =>
    distances.has(from) && distances.has(to)
  const nodes = whole.nodes
    .filter(({ id }) => distances.has(id))
    .sort((a, b) => distances.get(a.id)! - distances.get(b.id)! || (a.id < b.id ? -1 : 1))
  const clauses = Object.fromEntries(
    nodes.flatMap(({ id }) => {
      const left = (whole.clauses[id] ?? []).flatMap((clause) => cutClause(clause, distances) ?? [])
      return left.length > 0 ? [[id, left]] : []
    }),
  )
  return {
    nodes,
    edges: whole.edges.filter(isKept),
    dropped: whole.dropped.filter(isKept),
    clauses,
    acts: whole.acts,
  }
}

/** A truncated node cannot be removed: it always holds. */
function cutClause(clause: Clause, distances: ReadonlyMap<string, number>): Clause | undefined {
  const of = clause.of.filter((node) => distances.has(node))
  const least = clause.least - (clause.of.length - of.length)
  return least > 0 ? { ...clause, of, least } : undefined
}

/** Explicit and few: counted, but computed even if the search has used up the budget. */
function takeAway(graph: TraceGraph, target: string, hashes: readonly string[], work: Work): Counterfactual {
  const conditions = conditionsOf(graph, target)
  const ids = new Set(graph.nodes.map(({ id }) => id))
  const removed = hashes.map(recordNode)
  const { acts } = graph
  const shown = new Set([...ids].flatMap((id) => acts[id] ?? []))
  const is_shown = removed.every((node) => ids.has(node) || shown.has(acts[node] ?? ''))
  const replayed = !holds(conditions, removed, 'replayed', work)
  const changed = replayed || !holds(conditions, removed, 'all', work)
  return {
    removed: [...hashes],
    found: is_shown,
    changed,
    basis: replayed || !changed ? 'replayed' : 'assumed',
  }
}

/** The path to the most distant effect. */
function farthest(graph: TraceGraph, target: string, distance: ReadonlyMap<string, number>): string[] {
  const causes = neighbours(graph.edges, 'from', 'to')
  let [at] = [...distance.keys()].sort((a, b) => distance.get(b)! - distance.get(a)! || (a < b ? -1 : 1))
  const path: string[] = []
  while (at !== undefined) {
    path.push(at)
    const steps = distance.get(at)!
    at = at === target ? undefined : causes.get(at)?.find((cause) => distance.get(cause) === steps - 1)
  }
  return path.toReversed()
}
