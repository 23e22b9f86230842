import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'
import { ask, assertRefusal, assertRefusedAndRecorded, assertSuccess } from './expectations.ts'

const versions = ['v1.0.0', 'v1.2.0', 'v1.10.0', 'v2.0.0', 'v2.1.0-rc.1']
let service: InProcessService
/** Has every operation of the protocol, but no permission for pre-releases. */
let steady: Addresses

before(async () => {
  service = await startInProcess({
    identity: key_only_resolver,
    more_protocols: versions.map((version) => trialProtocol(version).protocol),
    caller: { capabilities: ['svc.trial.*'] },
  })
  steady = await service.newCaller({ capabilities: ['svc.trial.echo'] })
})
after(() => service.stop())

async function versionFor(version: string, caller: Addresses = steady, protocol = 'TRIAL'): Promise<string> {
  return assertSuccess(await ask(caller, 'echo', {}, {}, { version, protocol })).metadata.version
}

test('If a specific version is requested, exact match is used', async () => {
  for (const version of ['v1.0.0', 'v1.2.0', 'v2.0.0']) assert.equal(await versionFor(version), version)
})

test('v1 for best-in-major', async () => {
  assert.equal(await versionFor('v1'), 'v1.10.0')
  assert.equal(await versionFor('v2'), 'v2.0.0')
})

test('otherwise the highest stable version registered', async () => {
  assert.equal(await versionFor('latest'), 'v2.0.0')
})

test('If the version is not installed, UnknownVersion', async () => {
  for (const version of ['v1.0.1', 'v3', 'v3.0.0', 'newest', '1.x', 'v1.0']) {
    const answer = await ask(steady, 'echo', {}, {}, { version })
    assertRefusal(answer, { code: 'unknown_version', stage: 1 })
    assert.match(answer.body.error.message, /v1\.10\.0/)
  }
})

test('If the protocol is unknown, UnknownProtocol', async () => {
  for (const protocol of ['NOBODY', 'constructor', 'TRIAL ', 'svc.trial']) {
    const answer = await ask(steady, 'echo', {}, {}, { protocol })
    assertRefusal(answer, { code: 'unknown_protocol', stage: 1 })
  }
})

test('Canonical protocol id, in any letter case', async () => {
  assert.equal(await versionFor('v1', steady, 'trial'), 'v1.10.0')
  const { metadata } = assertSuccess(await ask(steady, 'echo', {}, {}, { protocol: 'Trial' }))
  assert.equal(metadata.protocol, 'TRIAL')
})

test('Pre-release versions are skipped unless the tenant holds the capability svc.<protocol>.pre-release', async () => {
  const exact = await ask(steady, 'echo', {}, {}, { version: 'v2.1.0-rc.1' })
  const expected = { code: 'unknown_version', stage: 1, reason: 'pre-release' } as const
  const { error, record } = await assertRefusedAndRecorded(service, exact, expected)
  assert.equal(error.details.requested_capability, 'svc.trial.pre-release')
  assert.equal(record.meta.requested_capability, 'svc.trial.pre-release')
  assert.match(error.message, /needs the capability svc\.trial\.pre-release/)
  const early = await service.newCaller({ capabilities: ['svc.trial.echo', 'svc.trial.pre-release'] })
  assert.equal(await versionFor('v2.1.0-rc.1', early), 'v2.1.0-rc.1')
  assert.equal(await versionFor('v2', early), 'v2.1.0-rc.1')
  assert.equal(await versionFor('v1', early), 'v1.10.0')
})

test('an expired pre-release capability, or one whose caveat fails, is ignored', async () => {
  const rights = [
    { name: 'svc.trial.pre-release', expires_at: '2020-01-01T00:00:00Z', caveats: [] },
    { name: 'svc.trial.pre-release', caveats: ['no_such_caveat:1'] },
  ]
  for (const right of rights) {
    const caller = await service.newCaller({ capabilities: ['svc.trial.echo', right] })
    assert.equal(await versionFor('v2', caller), 'v2.0.0')
  }
})

test('With several versions deployed, a percentage of traffic is routed by tenant hash', async () => {
  const { registry } = service.service
  const tenants = Array.from({ length: 16 }, (_, index) => `canary-${index}`)
  const callers = await Promise.all(
    tenants.map((tenant_id) => service.newCaller({ tenant_id, capabilities: ['svc.trial.echo'] })),
  )
  const versionsServed = () => Promise.all(callers.map((caller) => versionFor('v1', caller)))
  const share = async (weight_bps: number) => {
    registry.setCanary('TRIAL', [{ version: 'v1.10.0', weight_bps }])
    const versions = await versionsServed()
    assert.deepEqual(await versionsServed(), versions, 'a tenant must stay where it is')
    return versions.map((version) => version === 'v1.10.0')
  }
  const [none, some, more, all] = [await share(0), await share(3000), await share(7000), await share(10_000)]
  assert.ok(!none.includes(true))
  assert.ok(some.includes(true) && more.includes(false))
  assert.ok(
    some.every((in_canary, index) => !in_canary || more[index]),
    'a larger share takes nobody out',
  )
  assert.ok(!all.includes(false))
  registry.setCanary('TRIAL', [])
})
