import assert from 'node:assert/strict'
import test from 'node:test'
import { compute } from './mesh-job.ts'
import { showTopology } from './topology.ts'

test('a caller without a verified lineage sees no other organization, even on request', async () => {
  const context = { caller: { conformance_level: 'L0' } } as never
  await assert.rejects(async () => showTopology({ include: ['treaties'] }, context), {
    code: 'policy_denied',
    details: { reason: 'verified lineage required', denying_policy: 'conformance L1' },
  })
})

test('betweenness of a large map is estimated from some nodes, reproducibly and closely', () => {
  // A star of stars: the centre is on nearly every path, its neighbours on those to their own leaves.
  const arms = Array.from({ length: 20 }, (_, i) => `arm ${i}`)
  const leaves = arms.flatMap((arm) =>
    Array.from({ length: 20 }, (_, i) => ({ arm, id: `${arm} leaf ${i}` })),
  )
  const nodes = ['middle', ...arms, ...leaves.map(({ id }) => id)]
  const edge = (from: string, to: string) => ({ from, to, cost: 1, kind: 'calls' })
  const edges = [...arms.map((arm) => edge('middle', arm)), ...leaves.map(({ arm, id }) => edge(arm, id))]
  const task = { nodes, edges, root: 'middle', wanted: ['betweenness'] } as const
  const { betweenness = [], betweenness_estimated } = compute(task)
  assert.equal(betweenness_estimated, true)
  assert.deepEqual(compute(task).betweenness, betweenness)
  assert.equal(betweenness.length, 100)
  assert.equal(betweenness[0]?.id, 'middle')
  const ways = nodes.length - 1
  const truth = (ways * ways - 20 * 21 * 21) / (ways * (ways - 1))
  assert.ok(Math.abs(betweenness[0].score - truth) < 0.05, `${betweenness[0].score} ${truth}`)
})
