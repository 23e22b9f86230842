import assert from 'node:assert/strict'
import { test } from 'node:test'
import { progressOf, type Step, stepGraph } from './step-graph.ts'

const step = (path: string, more: Partial<Step> = {}) =>
  ({ path, kind: 'Protocol', depends_on: [], optional: false, state: 'pending', ...more }) satisfies Step

test('every dependency and nesting is an edge, and a step shows what it calls', () => {
  const { nodes, edges } = stepGraph([
    step('a', { protocol: 'MAX', operation: 'audit_query' }),
    step('b', { depends_on: ['a'] }),
    step('b.c', { within: 'b', branch: 'on_true' }),
  ])
  assert.deepEqual(
    nodes.map(({ label }) => label),
    ['a: MAX audit_query', 'b', 'b.c'],
  )
  assert.deepEqual(
    edges.map(({ from, to, label }) => [from, to, label]),
    [
      ['a', 'b', 'then'],
      ['b', 'b.c', 'on_true'],
    ],
  )
})

test('progress counts ended steps, and says if the total is unknown', () => {
  const progress = { running: 1, waiting: 0, succeeded: 2, failed: 1, skipped: 1, indeterminate: 0 }
  assert.deepEqual(progressOf({ progress: { ...progress, steps_total: 6 } }), { ended: 4, total: 6 })
  assert.deepEqual(progressOf({ progress }), { ended: 4, total: undefined })
})
