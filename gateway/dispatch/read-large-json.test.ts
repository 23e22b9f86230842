import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Refusal } from '@svc/contract/refusal'
import { readJson } from './read-json.ts'
import { readLargeJson } from './read-large-json.ts'

function said(read: () => unknown): unknown {
  try {
    return read()
  } catch (thrown) {
    return sentenceOf(thrown)
  }
}

function sentenceOf(thrown: unknown): string {
  const { code, message, details } = thrown as Refusal
  return `${code} ${details.reason} ${message}`
}

test('a large body is read like a small one, refusals included', async () => {
  const values = [{ a: ['x'.repeat(300_000), 1] }, { b: '"é\ud83d\udd12' }, { c: null, d: [true, 0.1] }]
  const texts = [
    ...values.map((value) => JSON.stringify(value)),
    '{"a":1,"a":2}',
    '{"a":',
    '\ufeff{}',
    '[1e999]',
  ]
  const results = await Promise.all(texts.map((text) => readLargeJson(Buffer.from(text)).catch(sentenceOf)))
  assert.deepEqual(
    results,
    texts.map((text) => said(() => readJson(Buffer.from(text)))),
  )
  assert.deepEqual(results.slice(0, 3), values)
})

test('bytes in a shared buffer leave the others unchanged', async () => {
  const shared = Buffer.from('{"a":1}{"b":2}')
  assert.deepEqual(await readLargeJson(shared.subarray(0, 7)), { a: 1 })
  assert.equal(shared.toString(), '{"a":1}{"b":2}')
})
