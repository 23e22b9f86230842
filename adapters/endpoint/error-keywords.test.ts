import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mappedByKeyword } from './error-keywords.ts'

const codeOf = (message: string, request = '') => mappedByKeyword(message, request)?.code

test('a message is mapped by the keywords of the specification, in its order', () => {
  assert.equal(codeOf('The adapter broke.'), 'internal')
  assert.equal(codeOf('Upstream Timeout'), 'timeout')
  assert.equal(codeOf('That is INVALID.'), 'protocol_error')
  assert.equal(codeOf('missing capability svc.x.y'), 'capability_denied')
  assert.equal(codeOf('missing capability, invalid, timeout, adapter'), 'internal')
  assert.equal(codeOf('no capability is missing'), undefined)
  assert.equal(mappedByKeyword('timeout', '')?.details.timeout_ms, 30_000)
})

test('a keyword that the caller sent does not count', () => {
  const message = 'No city is called Missing Capability: invalid.'
  assert.equal(codeOf(message, '{"city":"missing capability"}'), 'protocol_error')
  assert.equal(codeOf(message, '{"city":"missing capability","note":"INVALID"}'), undefined)
})
