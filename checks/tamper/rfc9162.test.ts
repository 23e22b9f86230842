import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import {
  appendLeaf,
  consistencyPath,
  inclusionPath,
  type NodeOf,
  rootAtSize,
  surroundingNodes,
} from '@svc/audit/tree/merkle'
import fc from 'fast-check'
import { is_long } from '../faults/scene/chance.ts'
import { hashOfLeaf, treeHash, verifiesConsistency, verifiesInclusion } from './rfc9162.ts'

const size_max = is_long ? 200 : 40
const mutations = is_long ? 20_000 : 300

// The reference entries of Certificate Transparency, with the roots and proofs its implementations agree on.
const reference_entries = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map((hex) => Buffer.from(hex, 'hex')) // biome-ignore format: one row each
const reference_roots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const [n0, n1, n4] = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
]
const [n01, n23, n45, n67] = [
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
  '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
  'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
]
const [n0123, n4567] = [
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
]
const reference_inclusions: readonly [index: number, size: number, path: readonly string[]][] = [
  [0, 1, []],
  [0, 8, [n1, n23, n4567]],
  [5, 8, [n4, n67, n0123]],
  [2, 3, [n01]],
  [1, 5, [n0, n23, n4]],
]
const reference_consistencies: readonly [first: number, second: number, path: readonly string[]][] = [
  [1, 1, []],
  [1, 8, [n1, n23, n4567]],
  [6, 8, [n45, n67, n0123]],
  [2, 5, [n23, n4]],
]

const hex = (nodes: readonly Buffer[]) => nodes.map((node) => node.toString('hex'))
const bytes = (nodes: readonly string[]) => nodes.map((node) => Buffer.from(node, 'hex'))

/** Nodes in our tree's format, over any entries. */
function nodesOver(entries: readonly Uint8Array[]): NodeOf {
  const leaves = entries.map(hashOfLeaf)
  const nodes = new Map<string, Buffer>()
  const frontier: Buffer[] = []
  for (const [i, leaf] of leaves.entries())
    appendLeaf(frontier, i, leaf, (node) => nodes.set(`${node.level}/${node.index}`, node.hash))
  return (level, index) => (level === 0 ? leaves[index]! : nodes.get(`${level}/${index}`)!)
}

test('the published roots and proofs are created and accepted, byte for byte', () => {
  const nodeOf = nodesOver(reference_entries)
  for (const [size, root] of reference_roots.entries()) {
    assert.equal(rootAtSize(size, nodeOf).toString('hex'), root)
    assert.equal(treeHash(reference_entries.slice(0, size)).toString('hex'), root)
  }
  const at = (size: number) => ({ size, root: Buffer.from(reference_roots[size]!, 'hex') })
  for (const [index, size, path] of reference_inclusions) {
    assert.deepEqual(hex(inclusionPath(index, size, nodeOf)), path)
    assert.ok(verifiesInclusion(hashOfLeaf(reference_entries[index]!), index, at(size), bytes(path)))
  }
  for (const [first, second, path] of reference_consistencies) {
    assert.deepEqual(hex(consistencyPath(first, second, nodeOf)), path)
    assert.ok(verifiesConsistency(at(first), at(second), bytes(path)))
  }
})

const entries = Array.from({ length: 200 }, (_, i) => createHash('sha256').update(`entry ${i}`).digest())
const nodeOf = nodesOver(entries)
const roots = Array.from({ length: entries.length + 1 }, (_, size) => treeHash(entries.slice(0, size)))
const leafAt = (index: number) => hashOfLeaf(entries[index]!)
const treeAt = (size: number) => ({ size, root: roots[size]! })

test(`every inclusion and consistency proof up to ${size_max} verifies, and every root matches the definition`, () => {
  for (let size = 0; size <= entries.length; size++)
    assert.deepEqual(rootAtSize(size, nodeOf), roots[size], `root of ${size}`)
  for (let size = 1; size <= size_max; size++) {
    for (let at = 0; at < size; at++) {
      const inclusion = inclusionPath(at, size, nodeOf)
      assert.ok(verifiesInclusion(leafAt(at), at, treeAt(size), inclusion), `${at} in ${size}`)
      const consistency = consistencyPath(at + 1, size, nodeOf)
      assert.ok(verifiesConsistency(treeAt(at + 1), treeAt(size), consistency), `${at + 1} to ${size}`)
    }
  }
})

type Path = readonly Buffer[]
const changed = (node: Uint8Array, at: number) => {
  const copy = Buffer.from(node)
  copy[at % copy.length]! ^= 1 + (at % 255)
  return copy
}
/** Undefined if there is nothing to change. */
const path_changes: readonly ((path: Path, at: number) => Path | undefined)[] = [
  (path, at) => (path.length ? path.with(at % path.length, changed(path[at % path.length]!, at)) : undefined),
  (path, at) => (path.length ? path.toSpliced(at % path.length, 1) : undefined),
  (path, at) => path.toSpliced(at % (path.length + 1), 0, leafAt(at % entries.length)),
  (path) => (path.length > 1 ? path.toReversed() : undefined),
]
const numbers = fc.record({
  size: fc.integer({ min: 1, max: entries.length }),
  at: fc.nat(),
  other: fc.nat(),
  change: fc.nat(),
})

test('no proof verifies with another path, root, position or size', () => {
  fc.assert(
    fc.property(numbers, ({ size, at, other, change }) => {
      const index = at % size
      const path = inclusionPath(index, size, nodeOf)
      const bad_path = path_changes[change % path_changes.length]!(path, other)
      if (bad_path) assert.ok(!verifiesInclusion(leafAt(index), index, treeAt(size), bad_path))
      assert.ok(!verifiesInclusion(leafAt(index), index, { size, root: changed(roots[size]!, other) }, path))
      const elsewhere = other % size
      if (elsewhere !== index) {
        assert.ok(!verifiesInclusion(leafAt(index), elsewhere, treeAt(size), path))
        assert.ok(!verifiesInclusion(leafAt(elsewhere), index, treeAt(size), path))
      }
      const grown = 1 + (other % entries.length)
      // A size alone is in no hash: the checkpoint ties it to its root.
      if (grown !== size) assert.ok(!verifiesInclusion(leafAt(index), index, treeAt(grown), path))
    }),
    { numRuns: mutations },
  )
})

test('no consistency proof verifies with another path, root or size', () => {
  fc.assert(
    fc.property(numbers, ({ size, at, other, change }) => {
      const first = 1 + (at % size)
      const path = consistencyPath(first, size, nodeOf)
      const bad_path = path_changes[change % path_changes.length]!(path, other)
      if (bad_path) assert.ok(!verifiesConsistency(treeAt(first), treeAt(size), bad_path))
      const forged = { size: first, root: changed(roots[first]!, other) }
      assert.ok(!verifiesConsistency(forged, treeAt(size), path))
      assert.ok(!verifiesConsistency(treeAt(first), { size, root: changed(roots[size]!, other) }, path))
      const elsewhere = 1 + (other % entries.length)
      if (elsewhere !== first) assert.ok(!verifiesConsistency(treeAt(elsewhere), treeAt(size), path))
      if (elsewhere !== size) assert.ok(!verifiesConsistency(treeAt(first), treeAt(elsewhere), path))
    }),
    { numRuns: mutations },
  )
})

test('a range of leaves is proved by its edges, and a range of one by its path', () => {
  fc.assert(
    fc.property(numbers, ({ size, at, other }) => {
      const first = at % size
      const past = first + 1 + (other % (size - first))
      const around = surroundingNodes(first, past, size, nodeOf)
      assert.ok(around.length <= 2 * Math.ceil(Math.log2(size + 1)), `${around.length} nodes`)
      if (past === first + 1)
        assert.deepEqual(hex(around).sort(), hex(inclusionPath(first, size, nodeOf)).sort())
    }),
    { numRuns: 100 },
  )
})
