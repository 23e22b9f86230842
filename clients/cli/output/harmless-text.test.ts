import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { harmless, harmlessJson, harmlessLines } from './harmless-text.ts'

const controls = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u
const any_text = fc.string({
  unit: fc.oneof(fc.constantFrom('\x1b', '\x9b', '\u202e', '\x07', '\n'), fc.string()),
})

test('no control character is left in a text', () => {
  fc.assert(fc.property(any_text, (text) => !controls.test(harmless(text))))
  fc.assert(fc.property(any_text, (text) => harmlessLines(text).every((line) => !controls.test(line))))
})

test('an escape sequence is shown, not executed', () => {
  assert.equal(harmless('\x1b]0;title\x07\x1b[2J'), '\\e]0;title\\u0007\\e[2J')
  assert.equal(harmless('\x9b31m'), '\\u009b31m')
  assert.equal(harmless('a\nb'), 'a\\nb')
  assert.deepEqual(harmlessLines('a\r\nb\n\tc'), ['a', 'b', '  c'])
})

test('letters of any script are unchanged', () => {
  for (const text of ['Grüße', '日本語', 'नमस्ते', 'می‌خواهم', '👩‍🚀']) assert.equal(harmless(text), text)
})

test('sanitized JSON is the same JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      assert.deepEqual(JSON.parse(harmlessJson(text)), JSON.parse(text))
    }),
  )
  const hostile = { 'k\u202e': 'a\x9b2J\x7f\u2028' }
  const text = harmlessJson(JSON.stringify(hostile))
  assert.deepEqual(JSON.parse(text), hostile)
  assert.doesNotMatch(text, controls)
})
