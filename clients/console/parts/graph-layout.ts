// The layout of a graph, top to bottom; graph-view.tsx draws it.
import { Graph, layout } from '@dagrejs/dagre'

export interface GraphNode {
  readonly id: string
  readonly label: string
  readonly kind: string
  readonly state?: string
}

export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly label?: string
  readonly kind?: string
}

export interface PlacedNode extends GraphNode {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface PlacedEdge extends GraphEdge {
  readonly id: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

export interface PlacedGraph {
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly PlacedEdge[]
  readonly width: number
  readonly height: number
}

const letter_width = 7
const node_height = 40
const margin = 16

/** Edges to missing nodes and self-loops are omitted. */
export function placeGraph(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  direction: 'LR' | 'TB' = 'LR',
): PlacedGraph {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: direction, nodesep: 20, ranksep: 60, marginx: margin, marginy: margin })
  graph.setDefaultEdgeLabel(() => ({}))
  const nodes_by_id = new Map(nodes.map((node) => [node.id, node]))
  // The library looks ids up in plain objects, where an id such as `valueOf` would collide; numbers do not.
  const numbers = new Map([...nodes_by_id.keys()].map((id, index) => [id, String(index)]))
  const nameOf = (id: string) => numbers.get(id)!
  for (const { id, label } of nodes_by_id.values()) {
    const width = Math.min(240, 24 + label.length * letter_width)
    graph.setNode(nameOf(id), { width, height: node_height })
  }
  const drawn = edges.filter(({ from, to }) => from !== to && nodes_by_id.has(from) && nodes_by_id.has(to))
  drawn.forEach((edge, index) => {
    graph.setEdge(nameOf(edge.from), nameOf(edge.to), {}, String(index))
  })
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return {
    nodes: [...nodes_by_id.values()].map((node) => ({
      ...node,
      ...(graph.node(nameOf(node.id)) as PlacedNode),
      ...node,
    })),
    edges: drawn.map((edge, index) => ({
      ...edge,
      id: String(index),
      points: (graph.edge(nameOf(edge.from), nameOf(edge.to), String(index)) as PlacedEdge).points,
    })),
    width,
    height,
  }
}
