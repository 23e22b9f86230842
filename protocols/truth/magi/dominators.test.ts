import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { dominatorsOf, immediateDominators } from './dominators.ts'

const nodes_max = 9

const graphs = fc
  .integer({ min: 1, max: nodes_max })
  .chain((size) =>
    fc.array(fc.array(fc.nat(size - 1), { maxLength: 4 }), { minLength: size, maxLength: size }),
  )

function reachedWithout(successors: readonly (readonly number[])[], removed: number): Set<number> {
  const reached = new Set<number>()
  const open = removed === 0 ? [] : [0]
  while (open.length > 0) {
    const node = open.pop()!
    if (node === removed || reached.has(node)) continue
    reached.add(node)
    open.push(...successors[node]!)
  }
  return reached
}

describe('dominators', () => {
  it('are the nodes without which a node cannot be reached', () => {
    fc.assert(
      fc.property(graphs, (successors) => {
        const idom = immediateDominators(successors, 0)
        const all = reachedWithout(successors, -1)
        for (let node = 0; node < successors.length; node++) {
          if (!all.has(node)) {
            assert.equal(idom[node], -1)
            continue
          }
          const expected = [...all].filter((other) => !reachedWithout(successors, other).has(node))
          const dominator_ids = [...dominatorsOf(idom, node, 0), 0]
          assert.deepEqual(new Set(dominator_ids), new Set(expected))
        }
      }),
      { numRuns: 200 },
    )
  })

  it('work on deep graphs without recursion', () => {
    const length = 50_000
    const chain = Array.from({ length }, (_, node) => (node + 1 < length ? [node + 1] : []))
    const idom = immediateDominators(chain, 0)
    assert.equal(dominatorsOf(idom, length - 1, 0).length, length - 1)
  })
})
