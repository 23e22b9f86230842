// A graph that can be moved and zoomed, and the same as lists for screen readers and exact text.
import '@xyflow/react/dist/style.css'
import { Button, useComputedColorScheme } from '@mantine/core'
import {
  Background,
  Controls,
  type Edge,
  type EdgeProps,
  Handle,
  type Node,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
} from '@xyflow/react'
import { useEffect, useState } from 'react'
import { words } from '../words/en.ts'
import { DataTable } from './data-table.tsx'
import { type GraphNode, type PlacedGraph, type Point, placeGraph } from './graph-layout.ts'
import { canvasOf, type GraphProps } from './graph-props.ts'
import { layoutEngine } from './layout-worker.ts'
import { shortened, stateText } from './shorten.ts'
import { toneOf } from './tone.ts'

const text = words.graph
const label_chars = 26
const fit = { maxZoom: 1 }

export function GraphDrawing({ title, nodes, edges, onOpen }: GraphProps) {
  const [placed, setPlaced] = useState<PlacedGraph>()
  const [problem, setProblem] = useState<string>()
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  useEffect(() => {
    let is_left = false
    placeGraph(layoutEngine(), nodes, edges).then(
      (graph) => !is_left && setPlaced(graph),
      (error: Error) => !is_left && setProblem(error.message),
    )
    return () => {
      is_left = true
    }
  }, [nodes, edges])
  return (
    <figure className="graph">
      <figcaption>{title}</figcaption>
      {problem && <p role="alert">{problem}</p>}
      <section className={canvasOf(nodes)} aria-label={title} aria-busy={!placed}>
        {placed && (
          <ReactFlow
            nodes={placed.nodes.map(flowNode)}
            edges={placed.edges.map(flowEdge)}
            nodeTypes={node_types}
            edgeTypes={edge_types}
            colorMode={scheme}
            fitView
            fitViewOptions={fit}
            minZoom={0.1}
            maxZoom={2}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={onOpen !== undefined}
            onNodeClick={(_event, { id }) => onOpen?.(id)}
            proOptions={{ hideAttribution: true }}
            preventScrolling={false}
          >
            <Background gap={20} />
            <Controls showInteractive={false} />
            <Refit />
          </ReactFlow>
        )}
      </section>
      <GraphLists nodes={nodes} edges={edges} onOpen={onOpen} />
    </figure>
  )
}

/** When its place becomes wider or narrower, such as on a phone that is turned. */
function Refit() {
  const { fitView } = useReactFlow()
  const width = useStore((flow) => flow.width)
  useEffect(() => {
    if (width > 0) void fitView(fit)
  }, [fitView, width])
  return null
}

type FlowNode = Node<{ node: GraphNode }>
type FlowEdge = Edge<{ points: readonly Point[] }>

function flowNode({ x, y, width, height, ...node }: PlacedGraph['nodes'][number]): FlowNode {
  return { id: node.id, type: 'box', position: { x, y }, width, height, data: { node } }
}

function flowEdge({ id, from, to, points }: PlacedGraph['edges'][number]): FlowEdge {
  return { id, type: 'bent', source: from, target: to, data: { points } }
}

function Box({ data: { node } }: { data: FlowNode['data'] }) {
  const { label, kind, state } = node
  return (
    <div
      className={`graph-node ${toneOf(state ?? '')}`}
      title={`${kind} ${node.id}${state ? `, ${state}` : ''}`}
    >
      <Handle type="target" position={Position.Left} className="graph-handle" isConnectable={false} />
      <strong>{shortened(label, label_chars)}</strong>
      <span className="quiet">
        {state && state !== kind ? `${kind} · ${stateText(state).toLowerCase()}` : kind}
      </span>
      <Handle type="source" position={Position.Right} className="graph-handle" isConnectable={false} />
    </div>
  )
}

/** Along the points of the layout, so that it leads around the nodes; the tip is drawn at its end. */
function Bent({ data }: EdgeProps<FlowEdge>) {
  const points = data?.points ?? []
  const end = points.at(-1)
  return (
    <g>
      <polyline className="graph-edge" points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {end && (
        <path
          className="graph-tip"
          d={`M${end.x - 7} ${end.y - 4}L${end.x} ${end.y}L${end.x - 7} ${end.y + 4}z`}
        />
      )}
    </g>
  )
}

const node_types = { box: Box }
const edge_types = { bent: Bent }

function GraphLists({
  nodes,
  edges,
  onOpen,
}: Omit<GraphProps, 'title' | 'onOpen'> & { onOpen: GraphProps['onOpen'] | undefined }) {
  const labels = new Map(nodes.map(({ id, label }) => [id, label]))
  const nameOf = (id: string) => shortened(labels.get(id) ?? id, label_chars)
  return (
    <details>
      <summary>{words.as_lists}</summary>
      <DataTable
        caption={text.nodes}
        rows={nodes}
        keyOf={({ id }) => id}
        empty={text.no_nodes}
        columns={[
          {
            head: text.name,
            cell: ({ id, label }) =>
              onOpen ? (
                <Button variant="subtle" size="compact-sm" onClick={() => onOpen(id)}>
                  {label}
                </Button>
              ) : (
                label
              ),
          },
          { head: text.kind, cell: ({ kind }) => kind },
          { head: text.state, cell: ({ state }) => state ?? words.none },
        ]}
      />
      <DataTable
        caption={text.edges}
        rows={edges.map((edge, index) => ({ ...edge, index }))}
        keyOf={({ index }) => String(index)}
        empty={text.no_edges}
        columns={[
          { head: text.from, cell: ({ from }) => nameOf(from) },
          { head: text.to, cell: ({ to }) => nameOf(to) },
          { head: text.how, cell: ({ label, kind }) => label ?? kind ?? words.none },
        ]}
      />
    </details>
  )
}
