// The layout of a graph: nodes in layers, edges along right angles around them. Drawn by graph-view.tsx.
import type { ELK, ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js'

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

export interface Point {
  readonly x: number
  readonly y: number
}

export interface PlacedNode extends GraphNode, Point {
  readonly width: number
  readonly height: number
}

export interface PlacedEdge extends GraphEdge {
  readonly id: string
  readonly points: readonly Point[]
}

export interface PlacedGraph {
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly PlacedEdge[]
}

const letter_px = 7
const node_height = 44
const node_width_max = 240
const node_width_min = 90

/** Edges to missing nodes and self-loops are omitted. Numbers stand for ids, which may be any text. */
export async function placeGraph(
  engine: Pick<ELK, 'layout'>,
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
): Promise<PlacedGraph> {
  const unique = [...new Map(nodes.map((node) => [node.id, node])).values()]
  const numbers = new Map(unique.map(({ id }, index) => [id, `n${index}`]))
  const drawn = edges.filter(({ from, to }) => from !== to && numbers.has(from) && numbers.has(to))
  const placed = await engine.layout({
    id: 'graph',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'RIGHT',
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.spacing.nodeNode': '24',
      'elk.spacing.edgeNode': '14',
      'elk.layered.spacing.nodeNodeBetweenLayers': '70',
      'elk.layered.spacing.edgeNodeBetweenLayers': '18',
    },
    children: unique.map(({ id, label, kind, state = '' }) => ({
      id: numbers.get(id)!,
      width: widthOf(Math.max(label.length, kind.length + state.length + 3)),
      height: node_height,
    })),
    edges: drawn.map(({ from, to }, index) => ({
      id: `e${index}`,
      sources: [numbers.get(from)!],
      targets: [numbers.get(to)!],
    })),
  })
  return {
    nodes: unique.map((node, index) => ({ ...node, ...boxOf(placed.children?.[index]) })),
    edges: drawn.map((edge, index) => ({
      ...edge,
      id: `e${index}`,
      points: pointsOf(placed.edges?.[index]),
    })),
  }
}

function widthOf(letters: number): number {
  return Math.min(node_width_max, Math.max(node_width_min, 34 + letters * letter_px))
}

function boxOf({ x = 0, y = 0, width = 0, height = 0 }: Partial<ElkNode> = {}) {
  return { x, y, width, height }
}

function pointsOf(edge: ElkExtendedEdge | undefined): Point[] {
  return (edge?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) => [
    startPoint,
    ...bendPoints,
    endPoint,
  ])
}
