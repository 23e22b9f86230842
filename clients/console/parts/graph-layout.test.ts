import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { placeGraph } from './graph-layout.ts'

const node = (id: string) => ({ id, label: id, kind: 'agent' })

test('every node is placed inside the drawing, whatever is connected', () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(ids, fc.array(fc.tuple(fc.nat(15), fc.nat(15)), { maxLength: 20 }), (names, pairs) => {
      const edges = pairs.map(([a, b]) => ({ from: names[a] ?? 'nobody', to: names[b] ?? 'nobody' }))
      const placed = placeGraph(names.map(node), edges)
      assert.equal(placed.nodes.length, names.length)
      for (const { x, y, width, height } of placed.nodes) {
        assert.ok(x - width / 2 >= 0 && x + width / 2 <= placed.width + 1)
        assert.ok(y - height / 2 >= 0 && y + height / 2 <= placed.height + 1)
      }
      for (const { from, to, points } of placed.edges) {
        assert.notEqual(from, to)
        assert.ok(points.length >= 2)
      }
    }),
    { numRuns: 50, examples: [[['valueOf', ' ', '__proto__'], [[0, 1]]]] },
  )
})
