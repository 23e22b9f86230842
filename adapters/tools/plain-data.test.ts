import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { asPlainData } from './plain-data.ts'

test('foreign data can be hashed afterwards, or is refused', () => {
  const plain = asPlainData(JSON.parse('{"a":["\\ud800x",-0,{"\\udc00":null}]}'))
  assert.equal(canonicalJson(plain), '{"a":["\ufffdx",0,{"\ufffd":null}]}')
  assert.throws(() => asPlainData(JSON.parse('[1e999]')), RangeError)
  assert.throws(() => asPlainData(JSON.parse('['.repeat(101) + ']'.repeat(101))), RangeError)
})
