import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readViews, storedName, withView } from './saved-views.ts'

test('a saved view is read back; whatever else is stored there does no harm', () => {
  const view = { name: 'Refusals', query: { outcome: 'refused' } }
  assert.deepEqual(readViews(JSON.stringify(withView([], view))), [view])
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void readViews(text)))
  assert.deepEqual(readViews('[{"name":"x","query":{"a":"b","c":5}},{"name":7},null]'), [
    { name: 'x', query: { a: 'b' } },
  ])
})

test('a view of the same name is replaced, and their number is limited', () => {
  const one = { name: 'one', query: { a: '1' } }
  assert.deepEqual(withView([one], { name: 'one', query: {} }), [{ name: 'one', query: {} }])
  const many = Array.from({ length: 40 }, (_, index) => ({ name: String(index), query: {} }))
  assert.equal(withView(many, one).length, 30)
})

test('a name that the engine accepts is made of what was typed', () => {
  assert.equal(storedName('  Refusals of Märch, 2026! '), 'refusals-of-march-2026')
  assert.equal(storedName('拒绝'), '')
  const form = /^([a-z0-9][a-z0-9_-]{0,63})?$/
  fc.assert(fc.property(fc.string(), (typed) => form.test(storedName(typed))))
})
