import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { UsageError } from '../exit.ts'
import { formatOf, yamlText } from './output.ts'

test('YAML is the same value, and contains no terminal controls', async () => {
  const hostile = fc.string({
    unit: fc.constantFrom('\x1b', '\x9b', '\x7f', '\u202e', '\n', 'a', ' ', ':', '日', '"'),
  })
  const value = fc.oneof(fc.jsonValue(), hostile, fc.dictionary(hostile, hostile), fc.array(hostile))
  await fc.assert(
    fc.asyncProperty(value, async (sample) => {
      const text = await yamlText(sample)
      assert.deepEqual(parse(text), JSON.parse(JSON.stringify(sample)))
      assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\u202a-\u202e]/u)
    }),
    { numRuns: 500, examples: [[' \n'], ['\n'], ['a\n \n'], [{ ' \n': ' \n' }]] },
  )
})

test('the format is one of three, and a typing error gets a suggestion', () => {
  assert.equal(formatOf({}, 'human'), 'human')
  assert.equal(formatOf({ output: 'yaml' }, 'json'), 'yaml')
  assert.throws(
    () => formatOf({ output: 'ymal' }, 'json'),
    (thrown) => thrown instanceof UsageError && /yaml\?/.test(thrown.message),
  )
})
