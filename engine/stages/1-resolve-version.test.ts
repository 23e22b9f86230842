import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import {
  askedOf,
  callBefore,
  credentialOf,
  type TestPorts,
  testPorts,
  tryProtocol,
} from '../../checks/rehearsal/test-ports.ts'
import type { Asked } from '../call.ts'
import { openRegistry } from '../routing/registry.ts'
import { chooseVersion, moduleCache, resolveVersion, tenantBucket } from './1-resolve-version.ts'

const definition = tryProtocol(() => ({}))
const installed = ['v1.0.0', 'v1.2.0', 'v1.10.0', 'v1.11.0-rc.1', 'v2.0.0', 'v3.0.0-beta']

function registryOf(versions: readonly string[]) {
  const registry = openRegistry()
  for (const version of versions) registry.register({ ...definition, version }, [])
  return registry
}
const versionsOf = (versions: readonly string[]) => registryOf(versions).versions('TRY')!
const plain = { may_pre_release: false, canary: [], tenant_id: 'acme' }

test('exact, best of the major, highest: which version answers', () => {
  const table: [wanted: string, stable: string | undefined, with_pre_release: string | undefined][] = [
    ['v1.0.0', 'v1.0.0', 'v1.0.0'],
    ['1.2.0', 'v1.2.0', 'v1.2.0'],
    ['v1', 'v1.10.0', 'v1.11.0-rc.1'],
    ['1', 'v1.10.0', 'v1.11.0-rc.1'],
    ['v2', 'v2.0.0', 'v2.0.0'],
    ['v3', undefined, 'v3.0.0-beta'],
    ['latest', 'v2.0.0', 'v3.0.0-beta'],
    ['v1.11.0-rc.1', undefined, 'v1.11.0-rc.1'],
    ['v1.11.0', undefined, undefined],
    ['v1.1.0', undefined, undefined],
    ['v9', undefined, undefined],
    ['', undefined, undefined],
    ['v1.x', undefined, undefined],
    ['newest', undefined, undefined],
  ]
  for (const [requested, stable, with_pre_release] of table) {
    const versions = versionsOf(installed)
    assert.equal(chooseVersion(versions, requested, plain)?.version, stable, requested)
    const privileged = { ...plain, may_pre_release: true }
    assert.equal(
      chooseVersion(versions, requested, privileged)?.version,
      with_pre_release,
      `${requested}, pre-release`,
    )
  }
})

test('stable versions are chosen without looking up capabilities', async () => {
  const ports = testPorts([definition])
  ports.registry.register({ ...definition, version: 'v1.2.0' }, [])
  const call = await callBefore(1, askedOf({ version: 'v1' }), ports)
  const resolved = resolveVersion(call, ports, moduleCache())
  assert.ok(!(resolved instanceof Promise), 'it waits')
  assert.equal(resolved.registered.version, 'v1.2.0')
})

test('the order of registration does not matter', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray(installed, { minLength: 1 }),
      fc.constantFrom('v1', 'v2', 'latest'),
      (some, requested) => {
        const sorted = installed.filter((version) => some.includes(version))
        assert.equal(
          chooseVersion(versionsOf(some), requested, plain)?.version,
          chooseVersion(versionsOf(sorted), requested, plain)?.version,
        )
      },
    ),
  )
})

const canary = [
  { version: 'v1.0.0', weight_bps: 7_000 },
  { version: 'v1.1.0', weight_bps: 3_000 },
]

test('a canary sends each tenant always to the same version, in proportion to its weight', () => {
  const versions = versionsOf(['v1.0.0', 'v1.1.0'])
  const choose = (tenant_id: string) =>
    chooseVersion(versions, 'v1', { ...plain, canary, tenant_id })!.version
  const tenants = Array.from({ length: 10_000 }, (_, i) => `tenant-${i}`)
  const first = tenants.map(choose)
  assert.deepEqual(tenants.map(choose), first)
  const share = first.filter((version) => version === 'v1.1.0').length / tenants.length
  // Three standard deviations of 10,000 draws at 30 % are 1.4 %.
  assert.ok(Math.abs(share - 0.3) < 0.015, `${share} instead of 0.3`)
})

test('tenants outside the weights keep their version', () => {
  const versions = versionsOf(['v1.0.0', 'v1.1.0'])
  const weights = [{ version: 'v1.1.0', weight_bps: 1_000 }]
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 20 }), (tenant_id) => {
      const chosen = chooseVersion(versions, 'v1', { ...plain, canary: weights, tenant_id })!.version
      assert.equal(chosen, tenantBucket(tenant_id, 'TRY') < 1_000 ? 'v1.1.0' : 'v1.0.0')
    }),
  )
})

test('raising a weight moves tenants only to the raised version', () => {
  const versions = versionsOf(['v1.0.0', 'v1.1.0'])
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(10_000), fc.string({ minLength: 1 }), (a, b, tenant_id) => {
      const at = (weight_bps: number) =>
        chooseVersion(versions, 'v1', { ...plain, tenant_id, canary: [{ version: 'v1.1.0', weight_bps }] })!
          .version
      if (at(Math.min(a, b)) === 'v1.1.0') assert.equal(at(Math.max(a, b)), 'v1.1.0')
    }),
  )
})

test('with several canaries, raising the newest takes only tenants that had none', () => {
  const versions = versionsOf(['v1.0.0', 'v1.1.0', 'v1.2.0'])
  fc.assert(
    fc.property(fc.nat(5_000), fc.nat(5_000), fc.nat(5_000), fc.string(), (older, a, b, tenant_id) => {
      const at = (newest: number) => {
        const canary = [
          { version: 'v1.1.0', weight_bps: older },
          { version: 'v1.2.0', weight_bps: newest },
        ]
        return chooseVersion(versions, 'v1', { ...plain, tenant_id, canary })!.version
      }
      const [before, then] = [at(Math.min(a, b)), at(Math.max(a, b))]
      if (before !== then) assert.deepEqual([before, then], ['v1.0.0', 'v1.2.0'])
    }),
  )
})

test('a canary overrides no exact version, and gives no pre-release', () => {
  const everybody = (version: string) => ({ ...plain, canary: [{ version, weight_bps: 10_000 }] })
  assert.equal(chooseVersion(versionsOf(installed), 'v1.2.0', everybody('v1.0.0'))?.version, 'v1.2.0')
  assert.equal(chooseVersion(versionsOf(installed), 'v1', everybody('v1.11.0-rc.1'))?.version, 'v1.10.0')
  assert.equal(chooseVersion(versionsOf(installed), 'v2', everybody('v1.0.0'))?.version, 'v2.0.0')
})

async function resolve(
  ports: TestPorts,
  request: Partial<Asked['request']>,
  incoming: Partial<Asked> = {},
  cache = moduleCache(),
) {
  const call = await callBefore(1, askedOf(request, incoming), ports)
  return resolveVersion(call, ports, cache)
}
async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const thrown = await work.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error,
  )
  assert.ok(thrown instanceof Refusal)
  return thrown
}

test('an unknown name is refused with what exists', async () => {
  const ports = testPorts([definition])
  const protocol = await refusalOf(resolve(ports, { protocol: 'TRI' }))
  assert.equal(protocol.code, 'unknown_protocol')
  assert.match(protocol.message, /Did you mean TRY\?/)
  assert.match((await refusalOf(resolve(ports, { protocol: 'ELSE' }))).message, /GET \/v1\/protocols/)
  const version = await refusalOf(resolve(ports, { version: 'v7' }))
  assert.equal(version.code, 'unknown_version')
  assert.match(version.message, /installed: v1\.0\.0/)
  const operation = await refusalOf(resolve(ports, { operation: 'rum' }))
  assert.equal(operation.code, 'unknown_operation')
  assert.match(operation.message, /Did you mean run\?/)
  for (const name of ['constructor', '__proto__', 'toString']) {
    assert.equal((await refusalOf(resolve(ports, { operation: name }))).code, 'unknown_operation')
    assert.equal((await refusalOf(resolve(ports, { protocol: name }))).code, 'unknown_protocol')
  }
})

test('any letter case finds the protocol under its own name', async () => {
  for (const protocol of ['TRY', 'try', 'Try']) {
    const { registered, operation } = await resolve(testPorts([definition]), { protocol })
    assert.deepEqual([registered.facts.id, operation.capability], ['TRY', 'svc.try.run'])
  }
})

test('a pre-release needs its capability, unexpired', async () => {
  const ports = testPorts([definition, { ...definition, version: 'v1.1.0-rc.1' }])
  const chosenFor = async (capabilities: Asked['credential']['capabilities']) =>
    (await resolve(ports, { version: 'v1' }, { credential: { ...credentialOf(), capabilities } })).registered
      .version
  const name = 'svc.try.pre-release'
  assert.equal(await chosenFor([]), 'v1.0.0')
  assert.equal(await chosenFor([{ name, caveats: [] }]), 'v1.1.0-rc.1')
  assert.equal(await chosenFor([{ name: 'svc.other.pre-release', caveats: [] }]), 'v1.0.0')
  assert.equal(await chosenFor([{ name, caveats: [], expires_at: '2026-11-15T10:00:00Z' }]), 'v1.0.0')
  assert.equal(await chosenFor([{ name, caveats: [], expires_at: '2026-11-15T10:00:01Z' }]), 'v1.1.0-rc.1')
  assert.equal(await chosenFor([{ name, caveats: ['time:11-12'] }]), 'v1.0.0')
  assert.equal(await chosenFor([{ name, caveats: ['time:10-11'] }]), 'v1.1.0-rc.1')
})

test('without the right to a pre-release its name is given; without that version it is not', async () => {
  const ports = testPorts([definition, { ...definition, version: 'v2.0.0-rc.1' }])
  const plainly = { credential: credentialOf('svc.try.run') }
  for (const version of ['v2.0.0-rc.1', '2.0.0-rc.1', 'v2']) {
    const { code, message, details } = await refusalOf(resolve(ports, { version }, plainly))
    assert.deepEqual([code, details.reason], ['unknown_version', 'pre-release'])
    assert.equal(details.requested_capability, 'svc.try.pre-release')
    assert.match(message, /needs the capability svc\.try\.pre-release/)
  }
  for (const version of ['v2.0.0', 'v2.0.0-rc.2', 'v3']) {
    const { details } = await refusalOf(resolve(ports, { version }, plainly))
    assert.deepEqual([details.reason, details.requested_capability], ['unknown version', undefined])
  }
})

test("the cache never gives one caller another's choice, whatever the version text", async () => {
  const cache = moduleCache()
  const only_pre = testPorts([{ ...definition, version: 'v1.0.0-rc.1' }])
  const privileged = { credential: credentialOf('svc.try.*') }
  assert.equal(
    (await resolve(only_pre, { version: 'v1' }, privileged, cache)).registered.version,
    'v1.0.0-rc.1',
  )
  const nobody = { credential: credentialOf() }
  for (const version of ['v1', 'v1|pre', 'pre|v1', 'v1\npre', 'pre\nv1']) {
    assert.equal(
      (await refusalOf(resolve(only_pre, { version }, nobody, cache))).code,
      'unknown_version',
      version,
    )
  }
})

test('every change of the registry clears the cache', async () => {
  const ports = testPorts([definition])
  const cache = moduleCache()
  assert.equal((await resolve(ports, { version: 'v1' }, {}, cache)).registered.version, 'v1.0.0')
  ports.registry.register({ ...definition, version: 'v1.1.0' }, [])
  assert.equal((await resolve(ports, { version: 'v1' }, {}, cache)).registered.version, 'v1.1.0')
  ports.registry.setCanary('TRY', [{ version: 'v1.0.0', weight_bps: 10_000 }])
  assert.equal((await resolve(ports, { version: 'v1' }, {}, cache)).registered.version, 'v1.0.0')
})

test('unknown names do not fill the cache', async () => {
  const cache = moduleCache()
  const ports = testPorts([definition])
  for (let i = 0; i < 100; i++) await refusalOf(resolve(ports, { version: `v${i + 2}` }, {}, cache))
  assert.equal(cache.modules.size, 0)
})
