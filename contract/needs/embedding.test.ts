import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cosine } from './embedding.ts'

const vector = fc.int8Array({ minLength: 3, maxLength: 3 })

test('cosine is one for the same direction, minus one for the opposite, zero where there is none', () => {
  assert.equal(cosine(Int8Array.of(3, 4), Int8Array.of(6, 8)), 1)
  assert.equal(cosine(Int8Array.of(3, 4), Int8Array.of(-3, -4)), -1)
  assert.equal(cosine(Int8Array.of(1, 0), Int8Array.of(0, 1)), 0)
  assert.equal(cosine(Int8Array.of(0, 0), Int8Array.of(1, 1)), 0)
  assert.equal(cosine(Int8Array.of(1), Int8Array.of(1, 1)), 0)
})

test('cosine is symmetric and bounded', () => {
  fc.assert(
    fc.property(vector, vector, (a, b) => {
      const similarity = cosine(a, b)
      assert.ok(similarity >= -1 && similarity <= 1)
      assert.equal(similarity, cosine(b, a))
    }),
  )
})
