import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasCapability, type ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import { recent } from '@svc/engine/limits/recent'
import { test_did } from '../../checks/rehearsal/test-ports.ts'
import { key_only_resolver } from './key-only.ts'
import { localAdminResolver } from './local-admin.ts'

test('without an identity node nobody is resolved', async () => {
  const resolution = await key_only_resolver.resolve(test_did)
  assert.equal(resolution.outcome, 'Failed')
})

test("the development resolver makes the key's holder the local admin, the same object each time", async () => {
  const resolver = localAdminResolver()
  const first = await resolver.resolve(test_did)
  assert.equal(first.outcome, 'Resolved')
  if (first.outcome !== 'Resolved') return
  assert.equal(first.identity.did, test_did)
  assert.equal(first.identity.auth_method, 'local-admin')
  assert.equal(hasCapability(first.identity, 'svc.maker.emergency_stop'), true)
  assert.deepEqual(await resolver.resolve(test_did), first)
})

test('the development resolver caches a limited number of identities', () => {
  const identities = recent<ResolvedAgentIdentity>(100)
  const resolver = localAdminResolver(identities)
  for (let n = 0; n < 10_000; n++) resolver.resolve(`did:oas:dev:agent:${n}`)
  assert.ok(identities.size <= 100, `${identities.size} are kept`)
})
