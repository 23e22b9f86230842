// A graph, drawn once the drawing's code is there: it is larger than most pages, and few of them need it.
import { lazy, Suspense } from 'react'
import type { GraphEdge, GraphNode } from './graph-layout.ts'

export interface GraphProps {
  readonly title: string
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  onOpen?(id: string): void
}

const Drawing = lazy(async () => ({ default: (await import('./graph-drawing.tsx')).GraphDrawing }))

/** As high before it is drawn as afterwards. */
export function canvasOf(nodes: readonly GraphNode[]): string {
  return nodes.length < 6 ? 'graph-canvas low' : 'graph-canvas'
}

export function GraphView(props: GraphProps) {
  return (
    <Suspense
      fallback={
        <figure className="graph">
          <figcaption>{props.title}</figcaption>
          <div className={canvasOf(props.nodes)} aria-busy="true" />
        </figure>
      }
    >
      <Drawing {...props} />
    </Suspense>
  )
}
