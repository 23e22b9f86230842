import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type Mesh, mergeMesh, seenFrom, stepCosts, trustOf } from './mesh.ts'
import {
  articulationPoints,
  betweennessOf,
  cheapestPath,
  componentsOf,
  type GraphEdge,
  reachableFrom,
} from './mesh-graph.ts'

const graphs = fc.integer({ min: 1, max: 9 }).chain((count) => {
  const node = fc.integer({ min: 0, max: count - 1 }).map((i) => `n${i}`)
  const edge = fc.record({ from: node, to: node, cost: fc.integer({ min: 1, max: 9 }) })
  return fc.record({
    nodes: fc.constant(Array.from({ length: count }, (_, i) => `n${i}`)),
    edges: fc.array(edge, { maxLength: 16 }),
  })
})

/** Shortest distances by relaxing every edge until nothing changes (Bellman-Ford). */
function distances(nodes: readonly string[], edges: readonly GraphEdge[], from: string): Map<string, number> {
  const hops = new Map(nodes.map((node) => [node, node === from ? 0 : Infinity]))
  for (const _ of nodes)
    for (const { from: a, to: b, cost } of edges)
      for (const [one, other] of [[a, b], [b, a]] as const) hops.set(other, Math.min(hops.get(other)!, hops.get(one)! + cost)) // biome-ignore format: kept on one line
  return hops
}

const hopsOnly = (edges: readonly GraphEdge[]) => edges.map((edge) => ({ ...edge, cost: 1 }))
const without = (edges: readonly GraphEdge[], node: string) =>
  edges.filter(({ from, to }) => from !== node && to !== node)

test('components are connected, and removing an articulation point makes more of them', () => {
  fc.assert(
    fc.property(graphs, ({ nodes, edges }) => {
      const components = componentsOf(nodes, edges)
      assert.deepEqual(components.flat().sort(), [...nodes].sort())
      for (const component of components) {
        const near = distances(nodes, edges, component[0]!)
        assert.deepEqual(nodes.filter((node) => near.get(node)! < Infinity).sort(), component)
      }
      const cutting = nodes.filter((node) => {
        const others = nodes.filter((other) => other !== node)
        const alone = components.some((component) => component.length === 1 && component[0] === node)
        return componentsOf(others, without(edges, node)).length > components.length - (alone ? 1 : 0)
      })
      assert.deepEqual(articulationPoints(nodes, edges), cutting.sort())
    }),
    { numRuns: 300 },
  )
})

test('a path is connected and cheapest, and absent only if there is none', () => {
  fc.assert(
    fc.property(graphs, fc.nat(), ({ nodes, edges }, at) => {
      const [from, to] = [nodes[0]!, nodes[at % nodes.length]!]
      const best = distances(nodes, edges, from).get(to)!
      const path = cheapestPath(nodes, edges, from, to)
      assert.equal(path?.cost ?? Infinity, best)
      if (!path) return
      assert.deepEqual([path.nodes[0], path.nodes.at(-1)], [from, to])
      for (const [i, node] of path.nodes.slice(1).entries())
        assert.ok(edges.some((edge) => [edge.from, edge.to].sort().join() === [path.nodes[i]!, node].sort().join())) // biome-ignore format: kept on one line
    }),
    { numRuns: 200 },
  )
})

test('betweenness is the share of shortest paths through a node, by enumeration', () => {
  fc.assert(
    fc.property(graphs, ({ nodes, edges }) => {
      const links = hopsOnly(edges)
      const near = new Map(nodes.map((node) => [node, distances(nodes, links, node)]))
      const beside = (a: string, b: string) => near.get(a)!.get(b) === 1
      const ways = (a: string, b: string): number => {
        const hops = near.get(a)!.get(b)!
        if (hops === 0) return 1
        if (hops === Infinity) return 0
        const nearer = nodes.filter((node) => beside(node, b) && near.get(a)!.get(node) === hops - 1)
        return nearer.reduce((sum, node) => sum + ways(a, node), 0)
      }
      const pairs = Math.max(1, (nodes.length - 1) * (nodes.length - 2))
      for (const { id, score } of betweennessOf(nodes, edges)) {
        let expected = 0
        for (const a of nodes)
          for (const b of nodes) {
            const all = ways(a, b)
            if (new Set([a, b, id]).size < 3 || all === 0) continue
            const over = near.get(a)!.get(id)! + near.get(id)!.get(b)! === near.get(a)!.get(b)!
            if (over) expected += (ways(a, id) * ways(id, b)) / all
          }
        assert.ok(Math.abs(score - expected / pairs) < 1e-9, `${id} ${score} ${expected / pairs}`)
      }
    }),
    { numRuns: 100 },
  )
})

test('reachability follows the direction of edges', () => {
  const edges = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
    { from: 'd', to: 'a' },
  ]
  assert.deepEqual(reachableFrom(edges, 'a'), [
    { id: 'a', hops: 0 },
    { id: 'b', hops: 1 },
    { id: 'c', hops: 2 },
  ])
})

test('a line of ten thousand nodes needs no deeper recursion', () => {
  const nodes = Array.from({ length: 10_000 }, (_, i) => `n${i}`)
  const edges = nodes.slice(1).map((to, i) => ({ from: nodes[i]!, to, cost: 1 }))
  assert.equal(articulationPoints(nodes, edges).length, nodes.length - 2)
})

function meshOf(nodes: readonly string[], edges: readonly GraphEdge[]): Mesh {
  return mergeMesh([
    {
      nodes: nodes.map((id) => ({ id, kind: 'agent', label: id, state: 'LIVE', health: null })),
      edges: edges.map(({ from, to, cost }) => ({ from, to, kind: 'calls', weight: cost })),
    },
  ])
}

test('the visible part is within the given steps, the nearest if there are too many', () => {
  fc.assert(
    fc.property(
      graphs,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 12 }),
      (graph, depth, limit) => {
        // biome-ignore format: kept on one line
        const near = distances(graph.nodes, hopsOnly(graph.edges), 'n0')
        const all = graph.nodes.filter((node) => near.get(node)! <= depth)
        const mesh = seenFrom(meshOf(graph.nodes, graph.edges), { root: 'n0', depth, limit, also: [] })
        const with_path = seenFrom(meshOf(graph.nodes, graph.edges), {
          root: 'n0',
          depth,
          limit: 99,
          also: graph.nodes,
        })
        assert.equal(with_path.nodes.length, graph.nodes.length)
        assert.equal(mesh.nodes.length, Math.min(limit, all.length))
        assert.equal(mesh.truncated, all.length > limit)
        const farthest = Math.max(...mesh.nodes.map(({ id }) => near.get(id)!))
        for (const node of all)
          if (!mesh.nodes.some(({ id }) => id === node)) assert.ok(near.get(node)! >= farthest)
        const shown = new Set(mesh.nodes.map(({ id }) => id))
        for (const { from, to } of mesh.edges) assert.ok(shown.has(from) && shown.has(to))
      },
    ),
    { numRuns: 200 },
  )
})

test('trust falls with failures and an open circuit, and lower trust costs more', () => {
  const call = { from: 'a', to: 'b', kind: 'calls', weight: 1, calls_24h: 100 } as const
  const [good, bad] = [
    { ...call, error_rate: 0 },
    { ...call, error_rate: 0.5 },
  ] as const
  const open = { from: 'a', to: 'b', kind: 'hosts', weight: 1, breaker: 'OPEN' } as const
  assert.ok(trustOf(good) > trustOf(bad) && trustOf(bad) > trustOf(open) && trustOf(open) > 0)
  assert.ok(trustOf(good) < 1)
  const costs = stepCosts([good, bad, open], 'trust')
  assert.ok(0 < costs[0]! && costs[0]! < costs[1]! && costs[1]! < costs[2]!)
  const measured = { ...call, p50_ms: 12 }
  assert.deepEqual(stepCosts([measured, call, { ...call, p50_ms: 7 }], 'latency'), [12, 12, 7])
  assert.deepEqual(stepCosts([measured, open], 'hops'), [1, 1])
})
