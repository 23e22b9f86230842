import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unresolved } from '@svc/contract/identity/identity'
import { credentialOf, no_capabilities, test_did, test_tenant } from '../../checks/rehearsal/test-ports.ts'
import { effectiveCapabilities, type GrantSource, type Grants } from './effective.ts'

const declared = { name: 'svc.max.audit_query', caveats: ['time:09-17'], expires_at: '2027-01-01T00:00:00Z' }
const caller = { ...unresolved(test_did), capabilities: [declared] }

test('declared capabilities come before those of the key, each with its source', async () => {
  const { held } = await no_capabilities.effective(caller, credentialOf('svc.macs.*'), test_tenant)
  assert.deepEqual(held, [
    { ...declared, source: 'declared' },
    { name: 'svc.macs.*', caveats: [], source: 'key' },
  ])
})

test('a revoked identity has no capabilities, not even those of its key', async () => {
  const { held } = await no_capabilities.effective(
    { ...caller, revoked: true },
    credentialOf('svc.*.*'),
    test_tenant,
  )
  assert.deepEqual(held, [])
})

test('toward another tenant only a treaty counts', async () => {
  const { held } = await no_capabilities.effective(caller, credentialOf('svc.*.*'), 'globex')
  assert.deepEqual(held, [])
})

test('a reloaded identity or credential is evaluated again', async () => {
  const capabilities = no_capabilities
  const credential = credentialOf('svc.macs.*')
  assert.equal((await capabilities.effective(caller, credential, test_tenant)).held.length, 2)
  assert.equal((await capabilities.effective(caller, credential, test_tenant)).held.length, 2)
  assert.equal((await capabilities.effective(unresolved(test_did), credential, test_tenant)).held.length, 1)
  assert.equal((await capabilities.effective(caller, credentialOf(), test_tenant)).held.length, 1)
  assert.deepEqual(await capabilities.effective({ ...caller, revoked: true }, credential, test_tenant), {
    held: [],
  })
})

test('grants by others come after own capabilities, from every source, and are awaited only if necessary', async () => {
  const granted = (name: string): Grants => ({
    held: [{ name, caveats: [], source: 'delegation', source_ref: name }],
    excluded: [{ name: `${name}.x`, why: 'expired' }],
  })
  const now: GrantSource = { grantsTo: () => granted('svc.mind.a') }
  const later: GrantSource = { grantsTo: async () => granted('svc.mind.b') }
  const resolution = { outcome: 'Resolved', identity: caller } as const
  const sources = { identity: { resolve: () => resolution }, keysOf: async () => [] }
  const names = (named: readonly { name: string }[]) => named.map(({ name }) => name)
  const credential = credentialOf('svc.macs.*')
  for (const [grants, expected, waits] of [
    [[now], ['svc.mind.a'], false],
    [[later], ['svc.mind.b'], true],
    [[now, now], ['svc.mind.a', 'svc.mind.a'], false],
    [[now, later], ['svc.mind.a', 'svc.mind.b'], true],
  ] as const) {
    const capabilities = effectiveCapabilities({ ...sources, grants })
    const result = capabilities.effective(caller, credential, test_tenant)
    assert.equal(result instanceof Promise, waits)
    assert.deepEqual(names((await result).held), ['svc.max.audit_query', 'svc.macs.*', ...expected])
    assert.deepEqual(names((await capabilities.effective(caller, credential, 'globex')).held), expected)
    assert.deepEqual(await capabilities.effective({ ...caller, revoked: true }, credential, test_tenant), {
      held: [],
    })
    const authority = await capabilities.authorityOf(test_did, test_tenant)
    assert.deepEqual(names(authority.held), ['svc.max.audit_query', ...expected])
    assert.deepEqual(
      names(authority.excluded),
      expected.map((name) => `${name}.x`),
    )
  }
})
