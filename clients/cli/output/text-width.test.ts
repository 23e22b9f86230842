import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cutToWidth, padToWidth, widthOf, wrapToWidth } from './text-width.ts'

const letters = fc.string({ unit: fc.constantFrom('a', 'é', '日', '👍', ' ', 'z') })

test('wide letters take two columns, combining marks none', () => {
  assert.deepEqual(['abc', '日本', 'e\u0301', '👍'].map(widthOf), [3, 4, 1, 2])
})

test('cut text fits, and fitting text is not cut', () => {
  fc.assert(
    fc.property(letters, fc.integer({ min: 0, max: 30 }), (text, width) => {
      const cut = cutToWidth(text, width)
      assert.ok(widthOf(cut) <= width)
      assert.equal(cut === text, widthOf(text) <= width)
      assert.equal(widthOf(padToWidth(cut, width)), width)
    }),
  )
})

test('wrapped lines fit and lose no word', () => {
  fc.assert(
    fc.property(letters, fc.integer({ min: 10, max: 40 }), (text, width) => {
      const lines = wrapToWidth(text, width)
      const words = (sentence: string) => sentence.split(' ').filter((word) => word !== '')
      assert.deepEqual(lines.flatMap(words), words(text))
      for (const line of lines) assert.ok(widthOf(line) <= width || words(line).length === 1, line)
    }),
  )
})

test('a hash stays whole, so that it can be copied; an endless text is broken', () => {
  const hash = 'a'.repeat(64)
  assert.deepEqual(wrapToWidth(`hash ${hash}`, 20), ['hash', hash])
  assert.deepEqual(
    wrapToWidth('b'.repeat(300), 100).map((line) => line.length),
    [100, 100, 100],
  )
})
