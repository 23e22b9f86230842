// The mesh as nodes and edges, and the part visible from one node. Pure.

export const node_kinds = [
  'organization',
  'engine',
  'protocol',
  'endpoint',
  'agent',
  'plugin',
  'tool',
  'device',
  'workflow',
] as const
export const edge_kinds = ['calls', 'treaty', 'delegates', 'hosts', 'mirrors'] as const

export interface MeshNode {
  readonly id: string
  readonly kind: (typeof node_kinds)[number]
  readonly label: string
  readonly state: string
  /** 0 to 1; null if unknown. */
  readonly health: number | null
}

export interface MeshEdge {
  readonly from: string
  readonly to: string
  readonly kind: (typeof edge_kinds)[number]
  readonly weight: number
  readonly calls_24h?: number
  readonly p50_ms?: number
  readonly error_rate?: number
  readonly breaker?: string
}

export interface Mesh {
  readonly nodes: readonly MeshNode[]
  readonly edges: readonly MeshEdge[]
  /** Set if nodes or edges were omitted. */
  readonly truncated?: boolean
}

/** Sorted by id, so output is stable. The first entry for a node wins; edges need both ends. */
export function mergeMesh(parts: readonly Mesh[]): Mesh {
  const nodes = new Map<string, MeshNode>()
  for (const part of parts) for (const node of part.nodes) if (!nodes.has(node.id)) nodes.set(node.id, node)
  const edges = new Map<string, MeshEdge>()
  for (const { edges: some } of parts)
    for (const edge of some) if (nodes.has(edge.from) && nodes.has(edge.to)) edges.set(keyOf(edge), edge)
  return {
    nodes: [...nodes.values()].sort((a, b) => order(a.id, b.id)),
    edges: [...edges.values()].sort((a, b) => order(keyOf(a), keyOf(b))),
    truncated: parts.some(({ truncated }) => truncated === true),
  }
}

function keyOf({ from, to, kind }: MeshEdge): string {
  return `${from}\n${to}\n${kind}`
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export interface Sight {
  readonly root: string
  readonly depth: number
  readonly limit: number
  /** Shown at any distance, such as the nodes of a path. */
  readonly also: readonly string[]
}

/** Nodes within this many steps of the root, in any edge direction; the nearest if there are too many. */
export function seenFrom(mesh: Mesh, { root, depth, limit, also }: Sight): Mesh {
  const beside = neighbours(mesh.edges)
  const visited = new Set([root])
  let edge_of_sight = [root]
  for (let step = 0; step < depth && edge_of_sight.length > 0; step++) {
    const next = edge_of_sight.flatMap((id) => beside.get(id) ?? []).filter((id) => !visited.has(id))
    edge_of_sight = [...new Set(next)].sort(order)
    for (const id of edge_of_sight) visited.add(id)
  }
  const ids = [...new Set([root, ...also, ...visited])]
  const shown = new Set(ids.slice(0, limit))
  return {
    nodes: mesh.nodes.filter(({ id }) => shown.has(id)),
    edges: mesh.edges.filter(({ from, to }) => shown.has(from) && shown.has(to)),
    truncated: mesh.truncated === true || ids.length > limit,
  }
}

function neighbours(edges: readonly MeshEdge[]): Map<string, string[]> {
  const beside = new Map<string, string[]>()
  const add = (from: string, to: string) => {
    const list = beside.get(from)
    if (list) list.push(to)
    else beside.set(from, [to])
  }
  for (const { from, to } of edges) {
    add(from, to)
    add(to, from)
  }
  return beside
}

/** Used if nothing is measured. */
const unmeasured_ms = 1
const breaker_trust: Readonly<Record<string, number>> = { OPEN: 0.01, HALF_OPEN: 0.3 }
const trust_by_kind: Readonly<Record<MeshEdge['kind'], number>> = {
  hosts: 0.99,
  mirrors: 0.99,
  treaty: 0.9,
  delegates: 0.95,
  calls: 0.5,
}

export type PathMeasure = 'hops' | 'latency' | 'trust'

/** The cost of each edge; a path minimizes the sum. An unmeasured edge counts as the slowest measured one. */
export function stepCosts(edges: readonly MeshEdge[], by: PathMeasure): number[] {
  if (by === 'hops') return edges.map(() => 1)
  if (by === 'trust') return edges.map((edge) => -Math.log(trustOf(edge)))
  const slowest_ms = edges.reduce((most, { p50_ms = 0 }) => Math.max(most, p50_ms), unmeasured_ms)
  return edges.map(({ p50_ms = slowest_ms }) => Math.max(p50_ms, 0.001))
}

/** In (0, 1): the smoothed share of successful calls, so that one good call is not full trust. */
export function trustOf({ kind, calls_24h, error_rate = 0, breaker }: MeshEdge): number {
  const by_breaker = breaker === undefined ? undefined : breaker_trust[breaker]
  if (by_breaker !== undefined) return by_breaker
  if (calls_24h === undefined) return trust_by_kind[kind]
  return (calls_24h * (1 - error_rate) + 1) / (calls_24h + 2)
}
