import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countShapes } from './count-shapes.ts'

const shapesOf = (value: unknown) => countShapes(Buffer.from(JSON.stringify(value)), 100_000)

test('objects of one shape count once, whatever they hold', () => {
  const rows = Array.from({ length: 5000 }, (_, i) => ({ p: i / 7, outcome: `"}{\\${i}`, at: [{ x: i }] }))
  assert.equal(shapesOf(rows), 4)
})

test('other keys, or the same in another order, are other shapes', () => {
  assert.equal(shapesOf([{ a: 1 }, { b: 1 }]), 2)
  assert.equal(
    shapesOf([
      { a: 1, b: 1 },
      { b: 1, a: 1 },
    ]),
    4,
  )
  const each = Array.from({ length: 3000 }, (_, i) => ({ [`k${i}`]: 0 }))
  const counted = shapesOf(each)
  // Hash collisions happen: with 65,536 marks, for a few percent of these.
  assert.ok(counted > 2800 && counted <= 3000, `counted ${counted}`)
})

test('counting stops at the limit', () => {
  const each = Array.from({ length: 3000 }, (_, i) => ({ [`k${i}`]: 0 }))
  assert.equal(countShapes(Buffer.from(JSON.stringify(each)), 100), 100)
})

test('invalid JSON is counted to its end', () => {
  for (const text of ['', '"', '"\\', '}}}}:::', `${'['.repeat(500)}:`, '{"a":"', '\\\\\\"']) {
    assert.ok(countShapes(Buffer.from(text), 10) <= 10)
  }
})
