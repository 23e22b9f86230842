import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { system_clock } from '../clock/system.ts'
import { tokenCounter } from './token-counter.ts'

const { countTokens, close } = tokenCounter(system_clock)
after(close)

test('counts like the tokenizer, with special tokens as text', async () => {
  assert.equal(await countTokens(['hello world']), 2)
  assert.equal(await countTokens(['hello world', 'hello world']), 4)
  assert.equal(await countTokens(['']), 0)
  assert.ok((await countTokens(['<|endoftext|>'])) > 1)
})

test('a long unbroken word, or a long gap, is counted in pieces, in linear time', async () => {
  const word = 'a'.repeat(1_000)
  assert.ok(Math.abs((await countTokens([word.repeat(100)])) - 100 * (await countTokens([word]))) <= 100)
  assert.ok((await countTokens([' '.repeat(100_000)])) > 0)
})
