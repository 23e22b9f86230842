// A graph as a drawing, and as lists for screen readers and exact text.
import { useMemo } from 'react'
import { DataTable } from './data-table.tsx'
import { type GraphEdge, type GraphNode, placeGraph } from './graph-layout.ts'
import { shortened } from './shorten.ts'

interface Props {
  readonly title: string
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly direction?: 'LR' | 'TB'
}

const label_chars = 30

export function GraphView({ title, nodes, edges, direction = 'LR' }: Props) {
  const placed = useMemo(() => placeGraph(nodes, edges, direction), [nodes, edges, direction])
  return (
    <figure className="graph">
      <figcaption>{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
      <section className="scroll" tabIndex={0} aria-label={title}>
        <svg width={placed.width} height={placed.height} role="img" aria-label={title}>
          <defs>
            <marker
              id="tip"
              viewBox="0 0 8 8"
              refX="8"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              orient="auto"
            >
              <path d="M0 0L8 4L0 8z" className="tip" />
            </marker>
          </defs>
          {placed.edges.map(({ id, kind = '', points }) => (
            <polyline
              key={id}
              className={`edge edge-${kind}`}
              points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
              markerEnd="url(#tip)"
            />
          ))}
          {placed.nodes.map(({ id, label, kind, state, x, y, width, height }) => (
            <g key={id} transform={`translate(${x - width / 2} ${y - height / 2})`}>
              <title>{`${kind} ${id}${state ? `, ${state}` : ''}`}</title>
              <rect
                width={width}
                height={height}
                rx={6}
                className={`node node-${kind} state-${state ?? ''}`}
              />
              <text x={width / 2} y={16} textAnchor="middle">
                {shortened(label, label_chars)}
              </text>
              <text x={width / 2} y={31} textAnchor="middle" className="small">
                {state ?? kind}
              </text>
            </g>
          ))}
        </svg>
      </section>
      <GraphLists nodes={nodes} edges={edges} />
    </figure>
  )
}

function GraphLists({ nodes, edges }: Pick<Props, 'nodes' | 'edges'>) {
  return (
    <details>
      <summary>As lists</summary>
      <DataTable
        caption="Nodes"
        rows={nodes}
        keyOf={({ id }) => id}
        empty="Nothing."
        columns={[
          { head: 'Name', cell: ({ label }) => label },
          { head: 'Kind', cell: ({ kind }) => kind },
          { head: 'State', cell: ({ state }) => state ?? '–' },
        ]}
      />
      <DataTable
        caption="Edges"
        rows={edges.map((edge, index) => ({ ...edge, index }))}
        keyOf={({ index }) => String(index)}
        empty="No edges."
        columns={[
          { head: 'From', cell: ({ from }) => shortened(from, label_chars) },
          { head: 'To', cell: ({ to }) => shortened(to, label_chars) },
          { head: 'How', cell: ({ label, kind }) => label ?? kind ?? '–' },
        ]}
      />
    </details>
  )
}
