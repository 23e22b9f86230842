import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tooHeavy } from './weigh-json.ts'

test('ordinary answers are light, whatever their strings contain', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      assert.equal(tooHeavy(JSON.stringify(value)), undefined)
    }),
  )
  assert.equal(tooHeavy(JSON.stringify({ text: `"\\${'[{,:'.repeat(100_000)}\\` })), undefined)
})

test('brackets, values and keys are counted, up to their limits', () => {
  assert.equal(tooHeavy('['.repeat(128) + ']'.repeat(128)), undefined)
  assert.match(tooHeavy('['.repeat(5_000_000))!, /deeper than 128/)
  assert.match(tooHeavy(`[${'[],'.repeat(2_000_000)}[]]`)!, /more than 100000 values/)
  const keys = Array.from({ length: 20_001 }, (_, i) => `{"k${i}":0}`)
  assert.match(tooHeavy(`[${keys.join()}]`)!, /more than 20000 keys/)
  assert.equal(tooHeavy(`[${keys.slice(1).join()}]`), undefined)
})

test('invalid JSON is left to the parser', () => {
  for (const text of ['', '"', '"\\', ']]]]', '{"a', '\\"']) assert.equal(tooHeavy(text), undefined)
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void tooHeavy(text)))
})
