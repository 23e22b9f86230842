import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { UsageError } from '../exit.ts'
import { missingFields, readFields, selectFields } from './select-fields.ts'

const answer = {
  output: {
    head: 'ab',
    records: [
      { seq: 1, meta: { code: 'x', more: 1 } },
      { seq: 2, meta: {} },
    ],
  },
  metadata: { correlation_id: 'c', usage: { seconds: 1 } },
}

test('fields keep the shape they have in the result, and go through lists', () => {
  assert.deepEqual(selectFields(answer, ['output.records.seq']), {
    output: { records: [{ seq: 1 }, { seq: 2 }] },
  })
  assert.deepEqual(selectFields(answer, ['output.records.meta.code', 'metadata.usage']), {
    output: { records: [{ meta: { code: 'x' } }, { meta: {} }] },
    metadata: { usage: { seconds: 1 } },
  })
  assert.deepEqual(selectFields(answer, ['metadata.usage.seconds', 'metadata']), {
    metadata: answer.metadata,
  })
  assert.deepEqual(selectFields([{ a: 1, b: 2 }], ['a']), [{ a: 1 }])
})

test('a field that is nowhere is named, with what there is', () => {
  assert.deepEqual(missingFields(answer, ['output.records.meta.code', 'metadata.usage.seconds']), [])
  assert.deepEqual(missingFields(answer, ['output.record']), [
    'There is no field output.record here. Did you mean records?',
  ])
  assert.deepEqual(missingFields(answer, ['nowhere']), [
    'There is no field nowhere here. There are output, metadata.',
  ])
  assert.deepEqual(missingFields({ items: [] }, ['items.id']), [], 'an empty list has no fields to compare')
})

test('a list of fields has names between its commas and dots', () => {
  assert.equal(readFields(true), undefined)
  assert.deepEqual(readFields('seq, meta.code'), ['seq', 'meta.code'])
  for (const wrong of ['', 'a,,b', 'a..b', '.a', Array(101).fill('a').join(), Array(33).fill('a').join('.')])
    assert.throws(() => readFields(wrong), UsageError, wrong)
})

test('what is selected is part of the result, whatever the result and the fields', () => {
  const names = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'length')
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, fc.integer(), fc.array(tie('tree'), { maxLength: 3 }), tie('object')),
    object: fc.dictionary(names, tie('tree'), { noNullPrototype: true }),
  }))
  const paths = fc.array(
    fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
    { minLength: 1, maxLength: 4 },
  )
  fc.assert(
    fc.property(tree, paths, (value, fields) => {
      const part = selectFields(value, fields)
      assert.ok(isPart(part, value), JSON.stringify(part))
      assert.deepEqual(selectFields(part, fields), part, 'selecting again changes nothing')
    }),
  )
})

function isPart(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return Object.is(part, whole)
  if (typeof whole !== 'object' || whole === null || Array.isArray(part) !== Array.isArray(whole))
    return false
  if (Array.isArray(part) && part.length !== (whole as unknown[]).length) return false
  return Object.entries(part).every(
    ([name, inner]) =>
      Object.hasOwn(whole, name) && isPart(inner, (whole as Readonly<Record<string, unknown>>)[name]),
  )
}
