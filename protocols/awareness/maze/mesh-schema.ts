// Input and output of MAZE topology.
import { Closed, described, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { edge_kinds, node_kinds } from './mesh.ts'
import { analyses } from './mesh-job.ts'

const nodes_max = 5_000
export const edges_max = 20_000

export const parts = [
  'protocols',
  'endpoints',
  'agents',
  'treaties',
  'plugins',
  'tools',
  'devices',
  'workflows',
] as const
export type Part = (typeof parts)[number]

const NodeId = Text(2_200, {
  description: 'A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name.',
})
const Share = Type.Number({ minimum: 0, maximum: 1 })

export const TopologyInput = Closed({
  root: Type.Optional(NodeId),
  depth: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 6, default: 2, description: 'Steps from the root.' }),
  ),
  include: Type.Optional(
    described(
      ListOf(OneOf(...parts), 1, parts.length),
      'Parts of the mesh to show. Default all; treaties only with verified lineage (L1).',
    ),
  ),
  at: Type.Optional(described(Timestamp, 'The mesh as it stood then; default now.')),
  path: Type.Optional(
    Closed(
      {
        from: NodeId,
        to: NodeId,
        by: Type.Optional(
          described(
            OneOf('hops', 'latency', 'trust'),
            'What to minimize: hops (default), latency, or distrust.',
          ),
        ),
      },
      { description: 'Find the best path between two nodes.' },
    ),
  ),
  analysis: Type.Optional(
    described(ListOf(OneOf(...analyses), 1, analyses.length), 'What to compute over the shown mesh.'),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: nodes_max, default: 1_000, description: 'Nodes at most.' }),
  ),
})
export type TopologyInput = Static<typeof TopologyInput>

const Node = Closed({
  id: NodeId,
  kind: described(OneOf(...node_kinds), 'What the node stands for.'),
  label: Type.String({ description: 'Name to show.' }),
  state: Type.String({ description: 'Its current state, in words of its kind.' }),
  health: Type.Union([Share, Type.Null()], { description: 'Null if it was never probed.' }),
})

const Edge = Closed({
  from: NodeId,
  to: NodeId,
  kind: described(
    OneOf(...edge_kinds),
    'calls; treaty; delegates capabilities; hosts; mirrors: endpoints of the same protocol.',
  ),
  weight: Type.Number({
    minimum: 0,
    description: 'Calls, grants or capabilities; 1 where nothing is counted.',
  }),
  calls_24h: Type.Optional(Type.Integer({ minimum: 0, description: 'Calls in the last 24 hours.' })),
  p50_ms: Type.Optional(
    Type.Number({ minimum: 0, description: 'Median latency of those calls, in milliseconds.' }),
  ),
  error_rate: Type.Optional(described(Share, 'Share of those calls that failed.')),
  breaker: Type.Optional(
    Type.String({ description: 'State of the circuit breaker between the two: CLOSED, OPEN or HALF_OPEN.' }),
  ),
})

const Path = Closed({
  by: described(OneOf('hops', 'latency', 'trust'), 'What was minimized.'),
  reachable: Type.Boolean({ description: 'Whether there is a path at all.' }),
  nodes: described(ListOf(NodeId, 0, nodes_max), 'Nodes of the path in order; empty where there is none.'),
  hops: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of edges of the path.' })),
  cost: Type.Optional(Type.Number({ minimum: 0, description: 'Hops, milliseconds, or minus the logarithm of trust.' })), // biome-ignore format: kept on one line
})

const Analysis = Closed({
  components: Type.Optional(
    described(
      ListOf(ListOf(NodeId, 1, nodes_max), 0, nodes_max),
      'Groups of nodes that are connected among themselves, by node id.',
    ),
  ),
  articulation: Type.Optional(
    described(ListOf(NodeId, 0, nodes_max), 'Nodes without which the mesh falls into parts.'),
  ),
  betweenness: Type.Optional(
    described(
      ListOf(
        Closed({ id: NodeId, score: described(Share, 'Share of the shortest paths that pass through it.') }),
        0,
        100,
      ),
      'Nodes on the most shortest paths, highest first.',
    ),
  ),
  betweenness_estimated: Type.Optional(
    Type.Boolean({ description: 'The mesh is large: scores come from a sample of the nodes.' }),
  ),
  reachability: Type.Optional(
    described(
      ListOf(
        Closed({ id: NodeId, hops: Type.Integer({ minimum: 0, description: 'Edges from the root.' }) }),
        0,
        nodes_max,
      ),
      'Nodes that can be reached from the root.',
    ),
  ),
})

export const TopologyOutput = Closed({
  nodes: described(ListOf(Node, 0, nodes_max), 'Nodes within reach of the root, sorted by id.'),
  edges: described(ListOf(Edge, 0, edges_max), 'Relations between the shown nodes.'),
  path: Type.Optional(described(Path, 'The path that was asked for.')),
  analysis: Type.Optional(described(Analysis, 'The analyses that were asked for.')),
  truncated: Type.Boolean({ description: 'Nodes or edges were left out because of a limit.' }),
  as_of: described(Timestamp, 'The time that the answer describes.'),
})
export type TopologyOutput = Static<typeof TopologyOutput>
