import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unresolved } from '@svc/contract/identity'
import { credentialOf, no_capabilities, test_did, test_tenant } from '../../checks/test-ports.ts'

const declared = { name: 'svc.max.audit_query', caveats: ['time:09-17'], expires_at: '2027-01-01T00:00:00Z' }
const caller = { ...unresolved(test_did), capabilities: [declared] }

test('what the identity declares comes before what the key carries, each with its source', async () => {
  const held = await no_capabilities.effective(caller, credentialOf('svc.macs.*'), test_tenant)
  assert.deepEqual(held, [
    { ...declared, source: 'declared' },
    { name: 'svc.macs.*', caveats: [], source: 'key' },
  ])
})

test('a revoked identity holds nothing, not even what its key carries', async () => {
  const held = await no_capabilities.effective(
    { ...caller, revoked: true },
    credentialOf('svc.*.*'),
    test_tenant,
  )
  assert.deepEqual(held, [])
})

test('toward another tenant nothing counts but a treaty', async () => {
  const held = await no_capabilities.effective(caller, credentialOf('svc.*.*'), 'globex')
  assert.deepEqual(held, [])
})

test('an identity or a credential loaded anew is asked anew', async () => {
  const capabilities = no_capabilities
  const credential = credentialOf('svc.macs.*')
  assert.equal((await capabilities.effective(caller, credential, test_tenant)).length, 2)
  assert.equal((await capabilities.effective(caller, credential, test_tenant)).length, 2)
  assert.equal((await capabilities.effective(unresolved(test_did), credential, test_tenant)).length, 1)
  assert.equal((await capabilities.effective(caller, credentialOf(), test_tenant)).length, 1)
  assert.deepEqual(await capabilities.effective({ ...caller, revoked: true }, credential, test_tenant), [])
})
