// The analysis of a mesh, run in a worker thread.
import { hash } from 'node:crypto'
import {
  articulationPoints,
  betweennessOf,
  cheapestPath,
  componentsOf,
  type FoundPath,
  type GraphEdge,
  reachableFrom,
  type Score,
} from './mesh-graph.ts'

export const analyses = ['components', 'articulation', 'betweenness', 'reachability'] as const
export type Analysis = (typeof analyses)[number]

/** Shortest paths from all nodes take minutes in a large mesh; from this many they are fast. */
const sources_max = 400
const scores_max = 100

export interface PathTask {
  readonly path: {
    readonly nodes: readonly string[]
    readonly edges: readonly GraphEdge[]
    readonly from: string
    readonly to: string
  }
}

export interface AnalysisTask {
  readonly nodes: readonly string[]
  readonly edges: readonly (GraphEdge & { readonly kind: string })[]
  readonly root: string
  readonly wanted: readonly Analysis[]
}

export interface AnalysisResult {
  components?: string[][]
  articulation?: string[]
  betweenness?: Score[]
  /** The scores are based on paths from some of the nodes. */
  betweenness_estimated?: boolean
  reachability?: { id: string; hops: number }[]
}

export function compute(task: PathTask | AnalysisTask): AnalysisResult & { path?: FoundPath | undefined } {
  if ('path' in task)
    return { path: cheapestPath(task.path.nodes, task.path.edges, task.path.from, task.path.to) }
  const { nodes, edges, root, wanted } = task
  const result: AnalysisResult = {}
  if (wanted.includes('components')) result.components = componentsOf(nodes, edges)
  if (wanted.includes('articulation')) result.articulation = articulationPoints(nodes, edges)
  if (wanted.includes('betweenness')) {
    const sources = sourcesOf(nodes)
    result.betweenness = betweennessOf(nodes, edges, sources).slice(0, scores_max)
    result.betweenness_estimated = sources.length < nodes.length
  }
  if (wanted.includes('reachability')) result.reachability = reachableFrom(bothWaysWhereAgreed(edges), root)
  return result
}

/** Deterministic for the same mesh, and independent of names: ordered by each node's hash. */
function sourcesOf(nodes: readonly string[]): readonly string[] {
  if (nodes.length <= sources_max) return nodes
  const drawn = nodes.map((id) => ({ id, draw: hash('sha256', id) }))
  return drawn.sort((a, b) => (a.draw < b.draw ? -1 : 1)).slice(0, sources_max).map(({ id }) => id) // biome-ignore format: kept on one line
}

/** Treaties and mirrors count in both directions. */
function bothWaysWhereAgreed(edges: AnalysisTask['edges']) {
  const agreed = edges.filter(({ kind }) => kind === 'treaty' || kind === 'mirrors')
  return [...edges, ...agreed.map(({ from, to }) => ({ from: to, to: from }))]
}
