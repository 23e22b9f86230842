import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rankFrom } from '../cells/memory-graph.ts'
import { fuseRanks } from './rank-fusion.ts'

const list = fc.record({
  weight: fc.constantFrom(0.5, 1),
  ranked: fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 20 }),
})

test('rankings are fused by rank only: between 0 and 1, independent of the order of the lists', () => {
  fc.assert(
    fc.property(fc.array(list, { minLength: 1, maxLength: 4 }), (lists) => {
      const fused = fuseRanks(lists)
      const turned = fuseRanks(lists.toReversed())
      for (const [id, score] of fused) {
        assert.ok(score > 0 && score <= 1 + 1e-12)
        assert.ok(Math.abs(score - turned.get(id)!) < 1e-12)
      }
      assert.equal(fused.size, new Set(lists.flatMap(({ ranked }) => ranked)).size)
    }),
  )
  const [first, second] = [
    ...fuseRanks([
      { weight: 1, ranked: ['a', 'b'] },
      { weight: 1, ranked: ['a'] },
    ]).values(),
  ]
  assert.equal(first, 1)
  assert.ok(Math.abs(second! - 61 / 62 / 2) < 1e-12)
})

const node = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const edge = fc.record({ one: node, other: node, weight: fc.double({ min: 0, max: 1, noNaN: true }) })

test('the shares of a walk sum to one, and unreachable nodes have none', () => {
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 12 }), (edges) => {
      const shares = rankFrom(['a'], edges)
      const sum = [...shares.values()].reduce((total, share) => total + share, 0)
      assert.ok(Math.abs(sum - 1) < 1e-9, `${sum}`)
      const reached = new Set(['a'])
      for (let round = 0; round < 5; round++)
        for (const { one, other, weight } of edges)
          if (weight > 0 && (reached.has(one) || reached.has(other))) reached.add(one).add(other)
      for (const [name, share] of shares) if (!reached.has(name)) assert.equal(share, 0)
    }),
  )
  const near = rankFrom(
    ['a'],
    [
      { one: 'a', other: 'b', weight: 1 },
      { one: 'b', other: 'c', weight: 1 },
    ],
  )
  assert.ok(near.get('b')! > near.get('c')!)
})
