// A graph, drawn once the drawing's code is there: it is larger than most pages, and few of them need it.
import { lazy, Suspense } from 'react'
import { canvasOf, type GraphProps } from './graph-props.ts'

const Drawing = lazy(async () => ({ default: (await import('./graph-drawing.tsx')).GraphDrawing }))

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
