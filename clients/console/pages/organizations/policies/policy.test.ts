import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { faultsOf, placeInText, versionAfter } from './policy.ts'

test('a position in a text leads back to exactly that part of it', () => {
  const piece = fc.constantFrom('forbid', ' ', '\n', '🦉', '"ß"')
  const parts = fc.tuple(fc.array(piece), fc.array(piece), fc.array(piece))
  fc.assert(
    fc.property(parts, ([head, middle, tail]) => {
      const [before, part] = [head.join(''), middle.join('')]
      const text = before + part + tail.join('')
      const place = placeInText(text, before.length, before.length + part.length)!
      const lines = text.split('\n')
      assert.equal(place.before + place.marked + place.after, lines[place.line - 1])
      const units = lines.slice(0, place.line - 1).reduce((sum, line) => sum + line.length + 1, 0)
      assert.equal(units + place.column - 1, before.length)
      assert.equal(place.marked, part.split('\n')[0])
    }),
  )
})

test('a position outside the text is undefined, and its end is valid', () => {
  assert.equal(placeInText('abc', 4, 5), undefined)
  assert.equal(placeInText('abc', 2, 1), undefined)
  assert.deepEqual(placeInText('a\nb', 3, 3), { line: 2, column: 2, before: 'b', marked: '', after: '' })
})

test('the next version is greater, and the first is 1.0.0', () => {
  assert.equal(versionAfter('1.2.7'), '1.3.0')
  assert.equal(versionAfter('1.9.0'), '1.10.0')
  assert.equal(versionAfter(undefined), '1.0.0')
})

test('faults are read from a refusal, and other refusals have none', () => {
  const fault = { pointer: '/policy_body', message: 'unexpected end', from: 3, to: 4 }
  assert.deepEqual(faultsOf({ faults: [fault, null, {}] }), [fault])
  assert.deepEqual(faultsOf({}), [])
})
