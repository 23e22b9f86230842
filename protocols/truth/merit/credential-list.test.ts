import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stateOf } from './credential-list.ts'

const at = (day: number) => new Date(Date.UTC(2026, 10, day))

test('the state of a credential is the worst that applies', () => {
  const issued = { revoked_at: null, valid_until: at(20), is_suspended: false, suspended_until: null }
  const suspended = { ...issued, is_suspended: true, suspended_until: at(10) }
  assert.equal(stateOf(issued, at(1)), 'valid')
  assert.equal(stateOf(issued, at(20)), 'expired')
  assert.deepEqual([stateOf(suspended, at(9)), stateOf(suspended, at(10))], ['suspended', 'valid'])
  assert.equal(stateOf({ ...suspended, revoked_at: at(2) }, at(21)), 'revoked')
})
