import assert from 'node:assert/strict'
import { test } from 'node:test'
import ELK from 'elkjs/lib/elk.bundled.js'
import fc from 'fast-check'
import { type PlacedNode, type Point, placeGraph } from './graph-layout.ts'

const engine = new ELK()
const node = (id: string) => ({ id, label: id, kind: 'agent' })

/** Whether the straight line between two points of a right-angled edge runs through the inside of a node. */
function crosses(a: Point, b: Point, { x, y, width, height }: PlacedNode): boolean {
  const inside = 1
  const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)]
  const [top, below] = [Math.min(a.y, b.y), Math.max(a.y, b.y)]
  return right > x + inside && left < x + width - inside && below > y + inside && top < y + height - inside
}

test('nodes do not overlap and no edge runs through a node, whatever is connected', async () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(
      ids,
      fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { maxLength: 16 }),
      async (names, pairs) => {
        const edges = pairs.map(([a, b]) => ({ from: names[a] ?? 'nobody', to: names[b] ?? 'nobody' }))
        const placed = await placeGraph(engine, names.map(node), edges)
        assert.equal(placed.nodes.length, names.length)
        for (const { from, to, points } of placed.edges) {
          assert.notEqual(from, to)
          assert.ok(points.length >= 2)
          for (const [index, point] of points.slice(1).entries())
            for (const each of placed.nodes)
              assert.ok(!crosses(points[index]!, point, each), `${from} -> ${to} through ${each.id}`)
        }
        for (const [index, one] of placed.nodes.entries())
          for (const other of placed.nodes.slice(index + 1))
            assert.ok(
              one.x + one.width <= other.x ||
                other.x + other.width <= one.x ||
                one.y + one.height <= other.y ||
                other.y + other.height <= one.y,
            )
      },
    ),
    { numRuns: 25, examples: [[['valueOf', ' ', '__proto__'], [[0, 1]]]] },
  )
})
