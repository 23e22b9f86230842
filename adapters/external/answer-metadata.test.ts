import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { moduleMetadata, tokensIn } from './answer-metadata.ts'

test('tokens are whole numbers within the limit of one call, whatever is claimed', () => {
  assert.deepEqual(tokensIn({ usage: { tokens_in: 3, tokens_out: 4 } }), [3, 4])
  assert.deepEqual(tokensIn({ usage: { tokens_in: 1e15, tokens_out: -4 } }), [1_000_000, 0])
  fc.assert(
    fc.property(fc.anything(), (usage) => {
      for (const count of [...tokensIn({ usage }), ...tokensIn(usage)])
        assert.ok(Number.isSafeInteger(count) && count >= 0 && count <= 1_000_000)
    }),
  )
})

test('metadata is kept without its usage, or only its size if it is too large', () => {
  assert.deepEqual(moduleMetadata({ model: 'm', usage: { tokens_in: 1 } }), { model: 'm' })
  for (const nothing of [undefined, null, 'text', 7, [1]]) assert.deepEqual(moduleMetadata(nothing), {})
  assert.deepEqual(moduleMetadata({ a: 'x'.repeat(4_089) }), { metadata_chars: 4_097 })
  assert.ok('a' in moduleMetadata({ a: 'x'.repeat(4_088) }))
})
