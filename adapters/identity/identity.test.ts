import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasCapability, type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity/identity'
import type { Resolution } from '@svc/engine/known'
import { recent } from '@svc/engine/limits/recent'
import { test_did } from '../../checks/rehearsal/test-ports.ts'
import { key_only_resolver } from './key-only.ts'
import { adminResolver, localAdminResolver } from './local-admin.ts'

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

test('an administrator is who its document says, also while the node is away, and may do everything', async () => {
  const did = `did:oas:acme:agent:${'7'.repeat(64)}`
  const identity = { ...unresolved(did), lineage_depth: 1, lineage_verified: true, auth_method: 'did' }
  let resolution: Resolution = { outcome: 'Failed', reason: 'x' }
  const resolver = adminResolver((of) => of === did, { resolve: async () => resolution })
  const depthNow = async () => {
    const read = await resolver.resolve(did)
    assert.ok(read.outcome === 'Resolved')
    assert.deepEqual([read.identity.conformance_level, read.identity.capabilities.length], ['L2', 1])
    return read.identity.lineage_depth
  }
  assert.equal(await depthNow(), 0, 'nobody knows it yet')
  resolution = { outcome: 'Resolved', identity }
  assert.equal(await depthNow(), 1)
  assert.equal(await resolver.resolve(did), await resolver.resolve(did), 'one object for each document')
  resolution = { outcome: 'Unavailable', reason: 'away', unknown: 'document' }
  assert.equal(await depthNow(), 1)
  resolution = { outcome: 'Resolved', identity: { ...identity, revoked: true } }
  assert.equal(await resolver.resolve(did), resolution, 'a revoked one may nothing')
})
