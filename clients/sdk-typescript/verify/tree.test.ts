import assert from 'node:assert/strict'
import { test } from 'node:test'
import { platformPrimitives } from './primitives.ts'
import { rootOver, splitOf, testHashes } from './test-export.ts'
import { GrowingTree, isCount, isPath, rootOfPath } from './tree.ts'

const primitives = platformPrimitives()
const records = testHashes(21)
const rootAt = (size: number) => rootOver(records.slice(0, size)).toString('hex')
const over = (from: number, to: number) => rootOver(records.slice(from, to)).toString('hex')
const other = 'ab'.repeat(32)

/** RFC 6962 2.1.1, literally. */
function inclusionPath(index: number, from: number, to: number): string[] {
  if (to - from === 1) return []
  const split = splitOf(from, to)
  return index < split
    ? [...inclusionPath(index, from, split), over(split, to)]
    : [...inclusionPath(index, split, to), over(from, split)]
}

test('every leaf of every small tree leads to its root, and by no other path or place', async () => {
  for (let size = 1; size <= records.length; size++) {
    for (let index = 0; index < size; index++) {
      const [record, path] = [records[index]!, inclusionPath(index, 0, size)]
      assert.equal(await rootOfPath(record, { index, size }, path), rootAt(size))
      assert.equal(await rootOfPath(record, { index, size }, [...path, other]), undefined)
      if (path.length > 0) assert.equal(await rootOfPath(record, { index, size }, path.slice(1)), undefined)
    }
  }
})

test('what is no place, path or hash leads nowhere', async () => {
  const [record, path] = [records[1]!, inclusionPath(1, 0, 3)]
  const place = { index: 1, size: 3 }
  for (const wrong of [{ index: -1 }, { index: 3 }, { index: 0.5 }, { size: 3.5 }, { size: Number.NaN }])
    assert.equal(await rootOfPath(record, { ...place, ...wrong }, path), undefined)
  for (const wrong of [null, 'x', [...path.slice(1), 7], [path[0], path[1]!.toUpperCase()], { length: 2 }])
    assert.equal(await rootOfPath(record, place, wrong), undefined)
  for (const wrong of [record.toUpperCase(), `${record}0`, `0${record}`, ''])
    assert.equal(await rootOfPath(wrong, place, path), undefined)
  const nodes = (length: number) => Array.from({ length }, () => other)
  assert.deepEqual([isPath(nodes(64)), isPath(nodes(65)), isPath(nodes(65), 65)], [true, false, true])
  assert.deepEqual([isPath([`${other}0`]), isPath([`0${other}`]), isPath([[other]])], [false, false, false])
  assert.deepEqual([0, 1, 2 ** 53, -1, '1', 0.5].map(isCount), [true, true, false, false, false, false])
})

test('a growing tree has each root once, and the ones that were asked for at any time', async () => {
  const tree = new GrowingTree(primitives, [3, 5])
  assert.equal(await tree.rootAt(0), undefined)
  const smallest = new GrowingTree(primitives, [])
  smallest.add(records[0]!)
  assert.equal(await smallest.rootAt(1), rootAt(1))
  for (const record of records) tree.add(record)
  assert.equal(await tree.rootAt(7), rootAt(7))
  assert.equal(await tree.rootAt(7), rootAt(7))
  assert.deepEqual([await tree.rootAt(3), await tree.rootAt(5)], [rootAt(3), rootAt(5)])
  assert.equal(await tree.rootAt(4), undefined)
  assert.equal(await tree.rootAt(22), undefined)
  assert.equal(await tree.rootAt(21), rootAt(21))
})

test('a growing tree holds more hashes than one chunk', async () => {
  const many = testHashes(4_097)
  const tree = new GrowingTree(primitives, [])
  for (const record of many) tree.add(record)
  assert.equal(await tree.rootAt(4_097), rootOver(many).toString('hex'))
})
