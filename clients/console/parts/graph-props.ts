// What a graph shows, for its drawing and for what stands there before.
import type { GraphEdge, GraphNode } from './graph-layout.ts'

export interface GraphProps {
  readonly title: string
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  onOpen?(id: string): void
}

/** As high before it is drawn as afterwards. */
export function canvasOf(nodes: readonly GraphNode[]): string {
  return nodes.length < 6 ? 'graph-canvas low' : 'graph-canvas'
}
