import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { isGrownFrom, rootOfRow } from '@svc/sdk/verify/paths'
import { platformPrimitives } from '@svc/sdk/verify/primitives'
import { rootOfPath } from '@svc/sdk/verify/tree'
import fc from 'fast-check'
import {
  appendLeaf,
  consistencyPath,
  type Frontier,
  grownPath,
  inclusionPath,
  leafHash,
  type NodeOf,
  packFrontier,
  rootAtSize,
  rootOf,
  type StoredNode,
  stored_levels,
  surroundingNodes,
  unpackFrontier,
} from './merkle.ts'

const small_sizes_max = 300

const sha256 = (...parts: Uint8Array[]) => hash('sha256', Buffer.concat(parts), 'buffer')

/** RFC 6962 2.1, literally. */
function naiveRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256()
  if (leaves.length === 1) return sha256(Buffer.of(0), leaves[0]!)
  let k = 1
  while (k * 2 < leaves.length) k *= 2
  return sha256(Buffer.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)))
}

function recordHashes(count: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => hash('sha256', `record ${i}`, 'buffer'))
}

/** The roots of these sizes; of all where none are named. */
function grow(hashes: readonly Buffer[], sizes?: readonly number[]) {
  const frontier: Frontier = []
  const nodes = new Map<string, Buffer>()
  const roots = [rootOf(frontier)]
  const needed = new Set(sizes)
  const keep = (node: StoredNode) => nodes.set(`${node.level}/${node.index}`, node.hash)
  for (const [i, record_hash] of hashes.entries()) {
    appendLeaf(frontier, i, leafHash(record_hash), keep)
    if (!sizes || needed.has(i + 1)) roots[i + 1] = rootOf(frontier)
  }
  const nodeOf: NodeOf = (level, index) => {
    const node = level === 0 ? leafHash(hashes[index]!) : nodes.get(`${level}/${index}`)
    assert.ok(node, `node ${level}/${index} is kept`)
    return node
  }
  return { frontier, kept: nodes, roots, nodeOf }
}

const hex = (path: readonly Buffer[]) => path.map((node) => node.toString('hex'))

test('a leaf that was just added is proved by the frontier before it, as by all nodes', () => {
  const hashes = recordHashes(40)
  const { nodeOf } = grow(hashes)
  for (let before = 0; before < hashes.length; before++)
    for (const size of [before + 1, before + 2, hashes.length].filter((to) => to <= hashes.length)) {
      const { frontier } = grow(hashes.slice(0, before))
      const leaves = hashes.slice(before, size).map(leafHash)
      for (let index = before; index < size; index++)
        assert.deepEqual(grownPath(frontier, before, leaves, index), inclusionPath(index, size, nodeOf))
    }
})

test('roots, proofs of leaves and proofs of growth of the smallest trees', async () => {
  const hashes = recordHashes(9)
  const { roots, nodeOf } = grow(hashes)
  const at = (size: number) => ({ size, root: roots[size]!.toString('hex') })
  for (let size = 0; size <= 9; size++) {
    assert.deepEqual(roots[size], naiveRoot(hashes.slice(0, size)))
    assert.deepEqual(rootAtSize(size, nodeOf), roots[size])
    for (let index = 0; index < size; index++) {
      const path = hex(inclusionPath(index, size, nodeOf))
      assert.equal(await rootOfPath(hashes[index]!.toString('hex'), { index, size }, path), at(size).root)
      assert.ok(await isGrownFrom(at(index + 1), at(size), hex(consistencyPath(index + 1, size, nodeOf))))
    }
  }
})

test('the growing root equals the recursion of RFC 6962 for every size', () => {
  const hashes = recordHashes(small_sizes_max)
  const { roots } = grow(hashes)
  for (let size = 0; size <= small_sizes_max; size++) {
    assert.deepEqual(roots[size], naiveRoot(hashes.slice(0, size)), `size ${size}`)
  }
})

test('every leaf of every small tree is proven, and no proof fits another position', async () => {
  const hashes = recordHashes(70)
  const { roots, nodeOf } = grow(hashes)
  for (let size = 1; size <= hashes.length; size++) {
    const root = roots[size]!.toString('hex')
    for (let index = 0; index < size; index++) {
      const record = hashes[index]!.toString('hex')
      const path = hex(inclusionPath(index, size, nodeOf))
      assert.equal(await rootOfPath(record, { index, size }, path), root)
      assert.notEqual(await rootOfPath(record, { index, size }, [...path, root]), root)
      if (size > 1) {
        assert.notEqual(await rootOfPath(record, { index: (index + 1) % size, size }, path), root)
        assert.notEqual(await rootOfPath(record, { index, size }, path.slice(1)), root)
      }
    }
  }
})

test('every small tree is a proven prefix of every larger one', async () => {
  const { roots, nodeOf } = grow(recordHashes(70))
  const at = (size: number) => ({ size, root: roots[size]!.toString('hex') })
  for (let to = 1; to <= 70; to++) {
    for (let from = 1; from <= to; from++) {
      const path = hex(consistencyPath(from, to, nodeOf))
      assert.ok(await isGrownFrom(at(from), at(to), path), `${from} in ${to}`)
      if (from === to) continue
      assert.ok(!(await isGrownFrom({ size: from, root: at(to).root }, at(to), path)))
      assert.ok(!(await isGrownFrom(at(from), { size: to, root: at(from).root }, path)))
      assert.ok(!(await isGrownFrom(at(from), at(to), [...path, at(to).root])))
    }
  }
})

test('the root at every size, and around every row of leaves, is found from stored nodes', async () => {
  const hashes = recordHashes(270)
  const { roots, nodeOf } = grow(hashes)
  for (const [size, root] of roots.entries()) assert.deepEqual(rootAtSize(size, nodeOf), root)
  const records = hex(hashes)
  for (const size of [1, 2, 7, 13]) {
    for (let first = 0; first < size; first++) {
      for (let past = first + 1; past <= size; past++) {
        const around = hex(surroundingNodes(first, past, size, nodeOf))
        const row = records.slice(first, past)
        const root = await rootOfRow(row, { index: first, size }, around, platformPrimitives())
        assert.equal(root, roots[size]!.toString('hex'), `${first} to ${past} of ${size}`)
      }
    }
  }
})

test('complete subtrees of every eighth level are stored, and no others', () => {
  for (const [levels, stored] of [
    [7, []],
    [8, [[8, 0]]],
    [
      24,
      [
        [8, 65_535],
        [16, 255],
        [24, 0],
      ],
    ],
    [
      33,
      [
        [8, 2 ** 25 - 1],
        [16, 2 ** 17 - 1],
        [24, 511],
        [32, 1],
      ],
    ],
  ] as const) {
    const frontier = recordHashes(levels)
    const places: number[][] = []
    appendLeaf(frontier, 2 ** levels - 1, leafHash(Buffer.alloc(32)), ({ level, index }) =>
      places.push([level, index]),
    )
    assert.deepEqual(places, stored)
    assert.equal(frontier.length, 1)
  }
})

test('proofs of a large tree look up only stored levels, and few nodes', () => {
  const levels = new Set<number>()
  let lookups = 0
  const nodeOf: NodeOf = (level) => {
    levels.add(level)
    assert.ok(++lookups < 2_000)
    return Buffer.alloc(32)
  }
  assert.equal(inclusionPath(5, 2 ** 26, nodeOf).length, 26)
  assert.deepEqual(
    [...levels].sort((a, b) => a - b),
    [0, 8, 16, 24],
  )
})

test('large trees are proven from stored subtrees and single blocks of leaves', async () => {
  const count = 70_000
  const hashes = recordHashes(count)
  const chosen = fc.sample(fc.integer({ min: 1, max: count }), 60)
  const sizes = [1, 255, 256, 257, 65_535, 65_536, 65_537, 65_792, count, ...chosen]
  const { roots, nodeOf, kept } = grow(hashes, sizes)
  assert.equal(kept.size, Math.floor(count / 256) + Math.floor(count / 65536))
  const one_of = fc.constantFrom(...sizes)
  await fc.assert(
    fc.asyncProperty(one_of, one_of, fc.nat(), async (one, other, a) => {
      const [from, size] = [Math.min(one, other), Math.max(one, other)]
      const index = a % size
      const root = roots[size]!.toString('hex')
      const path = hex(inclusionPath(index, size, nodeOf))
      assert.equal(await rootOfPath(hashes[index]!.toString('hex'), { index, size }, path), root)
      const older = { size: from, root: roots[from]!.toString('hex') }
      assert.ok(await isGrownFrom(older, { size, root }, hex(consistencyPath(from, size, nodeOf))))
    }),
    { numRuns: 120 },
  )
})

test('a changed node, leaf or root is detected', async () => {
  const hashes = recordHashes(300)
  const { roots, nodeOf } = grow(hashes)
  const flip = (text: string, at: number) => {
    const bytes = Buffer.from(text, 'hex')
    bytes[at % 32]! ^= 1 << (at % 8)
    return bytes.toString('hex')
  }
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 300 }), fc.nat(), fc.nat(), async (size, a, at) => {
      const index = a % size
      const record = hashes[index]!.toString('hex')
      const root = roots[size]!.toString('hex')
      const path = hex(inclusionPath(index, size, nodeOf))
      const changed = path.map((node, i) => (i === at % path.length ? flip(node, at) : node))
      assert.notEqual(await rootOfPath(record, { index, size }, changed), root)
      assert.notEqual(await rootOfPath(flip(record, at), { index, size }, path), root)
      const older = { size: index + 1, root: roots[index + 1]!.toString('hex') }
      const proof = hex(consistencyPath(index + 1, size, nodeOf))
      if (proof.length === 0) return
      const bent = proof.map((node, i) => (i === at % proof.length ? flip(node, at) : node))
      assert.ok(!(await isGrownFrom(older, { size, root }, bent)))
    }),
  )
})

test('a frontier survives its packed form and is refused for another size', () => {
  const { frontier } = grow(recordHashes(77))
  assert.deepEqual(unpackFrontier(packFrontier(frontier), 77), frontier)
  assert.throws(() => unpackFrontier(packFrontier(frontier), 79), {
    message: 'a tree of 79 leaves has another frontier than the 128 bytes stored',
  })
  assert.throws(() => unpackFrontier(packFrontier(frontier).subarray(0, 100), 77), /another frontier/)
  assert.deepEqual(stored_levels, [8, 16, 24, 32, 40])
})

test('what is not in the tree has no proof', () => {
  const nodeOf = () => Buffer.alloc(32)
  for (const index of [-1, 5, Number.NaN])
    assert.throws(
      () => inclusionPath(index, 5, nodeOf),
      new RangeError(`leaf ${index} is not in a tree of 5`),
    )
  for (const size of [0, -1, 6])
    assert.throws(
      () => consistencyPath(size, 5, nodeOf),
      new RangeError(`a tree of ${size} is no prefix of a tree of 5`),
    )
  for (const [first, past] of [
    [-1, 2],
    [2, 2],
    [3, 2],
    [4, 6],
  ] as const)
    assert.throws(
      () => surroundingNodes(first, past, 5, nodeOf),
      new RangeError(`leaves ${first} to ${past} are no part of a tree of 5`),
    )
})
