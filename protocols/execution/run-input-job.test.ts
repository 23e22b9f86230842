import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compute } from './run-input-job.ts'

const schema = {
  type: 'object',
  properties: { tags: { type: 'array', items: { type: 'string' } } },
  required: ['tags'],
}

test('an input that fits has no fault, and one that does not has its first few, each with its place', () => {
  assert.deepEqual(compute({ schema, input: { tags: ['a'] } }), { faults: [] })
  const { faults, unusable } = compute({ schema, input: { tags: Array(50).fill(1) } })
  assert.ok(faults.length > 0 && faults.length <= 20)
  assert.deepEqual([faults[0]!.pointer, unusable], ['/tags/0', undefined])
})

test('what is no schema says why, in few words', () => {
  const { faults, unusable } = compute({ schema: { type: 'string', pattern: '('.repeat(5_000) }, input: 'x' })
  assert.deepEqual(faults, [])
  assert.ok(unusable && unusable.length <= 200)
})
