import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyRoot, isGrownFrom, rootOfRow } from './paths.ts'
import { platformPrimitives } from './primitives.ts'
import { rootOver, splitOf, testHashes } from './test-export.ts'

const primitives = platformPrimitives()
const records = testHashes(13)
const rootAt = (size: number) => rootOver(records.slice(0, size)).toString('hex')
const over = (from: number, to: number) => rootOver(records.slice(from, to)).toString('hex')
const other = 'ab'.repeat(32)

/** RFC 6962 2.1.2, literally. */
function consistencyPath(size: number, from: number, to: number, whole = true): string[] {
  if (size === to) return whole ? [] : [over(from, to)]
  const split = splitOf(from, to)
  return size <= split
    ? [...consistencyPath(size, from, split, whole), over(split, to)]
    : [...consistencyPath(size, split, to, false), over(from, split)]
}

function around(first: number, past: number, from: number, to: number): string[] {
  if (to <= first || from >= past) return [over(from, to)]
  if (to - from === 1) return []
  const split = splitOf(from, to)
  return [...around(first, past, from, split), ...around(first, past, split, to)]
}

test('every small tree has grown out of every smaller one, and out of no other', async () => {
  const at = (size: number) => ({ size, root: rootAt(size) })
  assert.equal(await emptyRoot(primitives), rootAt(0))
  for (let to = 0; to <= records.length; to++) {
    assert.equal(await isGrownFrom(at(0), at(to), []), true)
    assert.equal(await isGrownFrom({ size: 0, root: other }, at(to), []), false)
    assert.equal(await isGrownFrom(at(0), at(to), [other]), false)
    for (let from = 1; from <= to; from++) {
      const path = consistencyPath(from, 0, to)
      assert.equal(await isGrownFrom(at(from), at(to), path), true)
      assert.equal(await isGrownFrom(at(from), at(to), [...path, other]), false)
      assert.equal(await isGrownFrom({ size: from, root: other }, at(to), path), false)
      assert.equal(await isGrownFrom(at(from), { size: to, root: other }, path), false)
      if (path.length > 0) assert.equal(await isGrownFrom(at(from), at(to), path.slice(0, -1)), false)
      if (from < to) assert.equal(await isGrownFrom(at(to), at(from), path), false)
    }
  }
  const path = consistencyPath(3, 0, 7)
  for (const size of [3.5, '3', -3, Number.NaN]) {
    assert.equal(await isGrownFrom({ ...at(3), size } as never, at(7), path), false)
    assert.equal(await isGrownFrom(at(3), { ...at(7), size } as never, path), false)
  }
  for (const wrong of [null, 'x', [...path.slice(1), 7]])
    assert.equal(await isGrownFrom(at(3), at(7), wrong), false)
  // Sizes and roots of different trees, with the nodes between them.
  const mixed = (first: number, second: number, of: number, nodes: string[]) =>
    isGrownFrom({ ...at(first) }, { size: second, root: rootAt(of) }, nodes)
  assert.equal(await mixed(1, 2, 4, consistencyPath(1, 0, 4)), false)
  assert.equal(await mixed(1, 4, 2, consistencyPath(1, 0, 2)), false)
  assert.equal(await mixed(2, 1, 2, []), false)
  assert.equal(await mixed(3, 4, 4, []), false)
  for (const size of [7.5, '7']) assert.equal(await mixed(3, size as number, 7, path), false)
  // Two sizes below zero would be equal.
  assert.equal(await isGrownFrom({ size: -1, root: other }, { size: -1, root: other }, []), false)
  assert.equal(await isGrownFrom({ size: 7, root: other }, { size: 7, root: other }, [other]), false)
})

test('a row of records and the nodes around it give the root, and nothing else does', async () => {
  for (const size of [1, 2, 3, 7, 8, 13]) {
    for (let first = 0; first < size; first++) {
      for (let past = first + 1; past <= size; past++) {
        const row = records.slice(first, past)
        const nodes = around(first, past, 0, size)
        const place = { index: first, size }
        assert.equal(await rootOfRow(row, place, nodes, primitives), rootAt(size))
        assert.equal(await rootOfRow(row, place, [...nodes, other], primitives), undefined)
        if (nodes.length > 0) assert.equal(await rootOfRow(row, place, nodes.slice(1), primitives), undefined)
      }
    }
  }
  const [row, nodes] = [records.slice(1, 3), around(1, 3, 0, 5)]
  const place = { index: 1, size: 5 }
  for (const wrong of [{ index: -1 }, { index: 0.5 }, { size: 5.5 }, { size: 2 }, { size: -1 }])
    assert.equal(await rootOfRow(row, { ...place, ...wrong }, nodes, primitives), undefined)
  for (const wrong of [null, 'x', [7], Array.from({ length: 129 }, () => other)])
    assert.equal(await rootOfRow(row, place, wrong, primitives), undefined)
  // A record past the end is in no tree.
  assert.equal(await rootOfRow(records.slice(0, 3), { index: 0, size: 2 }, [], primitives), undefined)
  assert.equal(await rootOfRow([], { index: 0, size: 1 }, [rootAt(1)], primitives), undefined)
  assert.equal(await rootOfRow([], { index: 0, size: 0 }, [], primitives), undefined)
  assert.equal(await rootOfRow([row[0]!.toUpperCase(), row[1]!], place, nodes, primitives), undefined)
})
