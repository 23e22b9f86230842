import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { isGrownFrom } from '@svc/sdk/verify/paths'
import { rootOfPath } from '@svc/sdk/verify/tree'
import fc from 'fast-check'
import {
  appendLeaf,
  consistencyPath,
  type Frontier,
  inclusionPath,
  leafHash,
  type NodeOf,
  packFrontier,
  rootOf,
  type StoredNode,
  stored_levels,
  unpackFrontier,
} from './merkle.ts'

const small_sizes_max = 300

/** RFC 6962 2.1, literally. */
function naiveRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return createHash('sha256').digest()
  if (leaves.length === 1) return createHash('sha256').update(Buffer.of(0)).update(leaves[0]!).digest()
  let k = 1
  while (k * 2 < leaves.length) k *= 2
  const left = naiveRoot(leaves.slice(0, k))
  const right = naiveRoot(leaves.slice(k))
  return createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest()
}

function recordHashes(count: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => createHash('sha256').update(`record ${i}`).digest())
}

function grow(hashes: readonly Buffer[]) {
  const frontier: Frontier = []
  const nodes = new Map<string, Buffer>()
  const roots = [rootOf(frontier)]
  const keep = (node: StoredNode) => nodes.set(`${node.level}/${node.index}`, node.hash)
  for (const [i, hash] of hashes.entries()) {
    appendLeaf(frontier, i, leafHash(hash), keep)
    roots.push(rootOf(frontier))
  }
  const nodeOf: NodeOf = (level, index) => {
    const node = level === 0 ? leafHash(hashes[index]!) : nodes.get(`${level}/${index}`)
    assert.ok(node, `node ${level}/${index} is kept`)
    return node
  }
  return { frontier, kept: nodes, roots, nodeOf }
}

const hex = (path: readonly Buffer[]) => path.map((node) => node.toString('hex'))

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

test('large trees are proven from stored subtrees and single blocks of leaves', async () => {
  const count = 70_000
  const hashes = recordHashes(count)
  const { roots, nodeOf, kept } = grow(hashes)
  assert.equal(kept.size, Math.floor(count / 256) + Math.floor(count / 65536))
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: count }), fc.nat(), fc.nat(), async (size, a, b) => {
      const index = a % size
      const from = (b % size) + 1
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
  assert.throws(() => unpackFrontier(packFrontier(frontier), 79), /another frontier/)
  assert.throws(() => inclusionPath(5, 5, () => Buffer.alloc(32)), RangeError)
  assert.throws(() => consistencyPath(6, 5, () => Buffer.alloc(32)), RangeError)
  assert.deepEqual(stored_levels, [8, 16, 24])
})
