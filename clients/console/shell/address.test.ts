import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashOf, readPlace } from './address.ts'

test('a written place is read back unchanged', () => {
  const word = fc.string({ minLength: 1, maxLength: 20 })
  const query = fc.dictionary(
    word.filter((name) => name !== '__proto__'),
    word,
  )
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 3 }), query, (page, rest, search) => {
      assert.deepEqual(readPlace(hashOf(page, rest, search)), { page, rest, query: { ...search } })
    }),
  )
})

test('an empty or hand-typed address still leads to a page', () => {
  assert.deepEqual(readPlace(''), { page: 'overview', rest: [], query: {} })
  assert.deepEqual(readPlace('#/audit-log/%E0%A4%A?x=1'), {
    page: 'audit-log',
    rest: ['%E0%A4%A'],
    query: { x: '1' },
  })
})
