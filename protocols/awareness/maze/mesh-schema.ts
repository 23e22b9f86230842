// Input and output of MAZE topology.
import { Closed, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
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
  include: Type.Optional(ListOf(OneOf(...parts), 1, parts.length)),
  at: Type.Optional(Timestamp),
  path: Type.Optional(
    Closed({ from: NodeId, to: NodeId, by: Type.Optional(OneOf('hops', 'latency', 'trust')) }),
  ),
  analysis: Type.Optional(ListOf(OneOf(...analyses), 1, analyses.length)),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: nodes_max, default: 1_000, description: 'Nodes at most.' }),
  ),
})
export type TopologyInput = Static<typeof TopologyInput>

const Node = Closed({
  id: NodeId,
  kind: OneOf(...node_kinds),
  label: Type.String(),
  state: Type.String(),
  health: Type.Union([Share, Type.Null()], { description: 'Null if it was never probed.' }),
})

const Edge = Closed({
  from: NodeId,
  to: NodeId,
  kind: OneOf(...edge_kinds),
  weight: Type.Number({
    minimum: 0,
    description: 'Calls, grants or capabilities; 1 where nothing is counted.',
  }),
  calls_24h: Type.Optional(Type.Integer({ minimum: 0 })),
  p50_ms: Type.Optional(Type.Number({ minimum: 0 })),
  error_rate: Type.Optional(Share),
  breaker: Type.Optional(Type.String()),
})

const Path = Closed({
  by: OneOf('hops', 'latency', 'trust'),
  reachable: Type.Boolean(),
  nodes: ListOf(NodeId, 0, nodes_max),
  hops: Type.Optional(Type.Integer({ minimum: 0 })),
  cost: Type.Optional(Type.Number({ minimum: 0, description: 'Hops, milliseconds, or minus the logarithm of trust.' })), // biome-ignore format: kept on one line
})

const Analysis = Closed({
  components: Type.Optional(ListOf(ListOf(NodeId, 1, nodes_max), 0, nodes_max)),
  articulation: Type.Optional(ListOf(NodeId, 0, nodes_max)),
  betweenness: Type.Optional(ListOf(Closed({ id: NodeId, score: Share }), 0, 100)),
  betweenness_estimated: Type.Optional(Type.Boolean()),
  reachability: Type.Optional(
    ListOf(Closed({ id: NodeId, hops: Type.Integer({ minimum: 0 }) }), 0, nodes_max),
  ),
})

export const TopologyOutput = Closed({
  nodes: ListOf(Node, 0, nodes_max),
  edges: ListOf(Edge, 0, edges_max),
  path: Type.Optional(Path),
  analysis: Type.Optional(Analysis),
  truncated: Type.Boolean(),
  as_of: Timestamp,
})
export type TopologyOutput = Static<typeof TopologyOutput>
