// The listed permissions are the gate's own answers, compared with real calls.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unresolved } from '@svc/contract/identity/identity'
import { refuse } from '@svc/contract/refusal'
import fc from 'fast-check'
import {
  askedOf,
  credentialOf,
  type TestPorts,
  testPorts,
  tryProtocol,
} from '../checks/rehearsal/test-ports.ts'
import type { Credential } from './call.ts'
import { createEngine } from './dispatch.ts'
import type { Ports } from './ports.ts'

const runs = 100

function open(other: Partial<Ports> = {}, level: 'L0' | 'L2' = 'L0'): TestPorts {
  const definition = tryProtocol(() => ({}))
  const { run } = definition.operations
  const more = { ...definition, operations: { run: run!, charter: { ...run!, level } } }
  return testPorts([more, { ...tryProtocol(() => ({})), id: 'OTHER' }], other)
}

/** The credential's own answer for one operation. */
async function permissionFor(ports: TestPorts, credential: Credential, operation = 'run') {
  const { operations } = await createEngine(ports).permissions(credential)
  const permission = operations.find((entry) => entry.protocol === 'TRY' && entry.operation === operation)
  return permission ?? assert.fail('the operation is not listed')
}

test('every operation of every protocol is listed once, with the required capability', async () => {
  const { operations } = await createEngine(open()).permissions(credentialOf('svc.*.*'))
  assert.deepEqual(
    operations.map(({ capability, may }) => `${capability} ${may}`),
    ['svc.try.run yes', 'svc.try.charter yes', 'svc.other.run yes'],
  )
})

test('for every set of capabilities it answers as the call itself, in the same words', async () => {
  const capability = fc.record(
    {
      name: fc.constantFrom('svc.try.run', 'svc.try.*', 'svc.*.*', 'svc.other.*', 'svc.*', 'svc.try.charter'),
      caveats: fc.constantFrom<string[]>([], ['actions:read'], ['valid_hours:09-18']),
      expires_at: fc.constantFrom('2026-11-15T09:00:00.000Z', '2027-01-01T00:00:00.000Z'),
    },
    { requiredKeys: ['name', 'caveats'] },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(capability, { maxLength: 4 }), async (capabilities) => {
      const ports = open()
      const credential = { ...credentialOf(), capabilities }
      const permission = await permissionFor(ports, credential)
      const outcome = await createEngine(ports).dispatch(askedOf({}, { credential }))
      if (outcome.kind === 'success') return assert.equal(permission.may, 'yes')
      assert.ok(outcome.kind === 'refused' && outcome.stage === 4)
      const { message, details } = outcome.refusal
      assert.deepEqual([permission.why_not, permission.reason], [message, details.reason])
      assert.equal(permission.may, details.reason === 'caveat not satisfied' ? 'depends' : 'no')
    }),
    { numRuns: runs },
  )
})

test('too low a level is a refusal that says what to do', async () => {
  const permission = await permissionFor(open({}, 'L2'), credentialOf('svc.*.*'), 'charter')
  assert.deepEqual([permission.may, permission.reason], ['no', 'unresolved identity'])
  assert.match(permission.why_not ?? '', /needs conformance L2/)
})

test('a query records nothing and takes nothing from a bucket', async () => {
  const ports = open()
  const credential = credentialOf('svc.*.*')
  const engine = createEngine(ports)
  const before = await engine.dispatch(askedOf({}, { credential }))
  for (let i = 0; i < 20; i++) await engine.permissions(credential)
  const after = await engine.dispatch(askedOf({}, { credential }))
  assert.equal(before.allowance.remaining - after.allowance.remaining, 1)
  assert.equal(ports.audit_log.records(credential.tenant_id).length, 2)
})

test('an unresolvable caller is judged as unresolved; a known identity is not looked up', async () => {
  let lookups = 0
  const resolve = () => {
    lookups++
    return { outcome: 'Failed', reason: 'away' } as const
  }
  const ports = open({ identity: { resolve } })
  const credential = credentialOf('svc.*.*')
  const { identity } = await createEngine(ports).permissions(credential)
  assert.deepEqual([identity.auth_method, lookups], ['unresolved', 1])
  const resolved = { ...unresolved(credential.did), auth_method: 'test', name: 'Known' }
  assert.equal((await createEngine(ports).permissions(credential, resolved)).identity.name, 'Known')
  assert.equal(lookups, 1)
})

test('an internal error is not reported as a refusal', async () => {
  const fault = new Error('the table is away')
  const broken = open({
    capabilities: {
      effective: async () => {
        throw fault
      },
      authorityOf: () => assert.fail('not asked'),
      pathsTo: () => assert.fail('not asked'),
    },
  })
  await assert.rejects(permissionFor(broken, credentialOf('svc.*.*')), fault)
  const refused = open({
    capabilities: {
      effective: async () => {
        throw refuse('no_endpoint_available', 'Away.', { reason: 'away' })
      },
      authorityOf: () => assert.fail('not asked'),
      pathsTo: () => assert.fail('not asked'),
    },
  })
  assert.equal((await permissionFor(refused, credentialOf('svc.*.*'))).reason, 'away')
})

/** TRY in several versions side by side, each with its own operations. */
function sideBySide(
  versions: Readonly<Record<string, readonly string[]>>,
  other: Partial<Ports> = {},
): TestPorts {
  const definition = tryProtocol(() => ({}))
  const { run } = definition.operations
  const declared = Object.entries(versions).map(([version, names]) => {
    const operations = Object.fromEntries(names.map((name) => [name, run!]))
    return { ...definition, version, operations }
  })
  return testPorts(declared, other)
}

async function listed(ports: TestPorts, ...capabilities: string[]): Promise<string[]> {
  const { operations } = await createEngine(ports).permissions(credentialOf(...capabilities))
  return operations.map(({ operation, version, may }) => `${operation} ${version} ${may}`)
}

test('of parallel versions an operation is listed once, in the highest stable one that has it', async () => {
  const ports = sideBySide({
    'v1.0.0': ['run', 'old'],
    'v1.1.0': ['run', 'hello'],
    'v2.0.0-rc.1': ['run', 'next'],
  })
  const rulings = await listed(ports, 'svc.try.run', 'svc.try.old', 'svc.try.hello', 'svc.try.next')
  assert.deepEqual(rulings, ['run v1.1.0 yes', 'hello v1.1.0 yes', 'old v1.0.0 yes', 'next v2.0.0-rc.1 no'])
})

test('an operation that only a pre-release has is listed as stage 1 would answer', async () => {
  const ports = sideBySide({ 'v2.0.0-rc.1': ['run'] })
  const credential = credentialOf('svc.try.run')
  const permission = await permissionFor(ports, credential)
  const request = { version: 'v2.0.0-rc.1' }
  const outcome = await createEngine(ports).dispatch(askedOf(request, { credential }))
  assert.ok(outcome.kind === 'refused' && outcome.stage === 1)
  assert.deepEqual([permission.may, permission.why_not], ['no', outcome.refusal.message])
  assert.deepEqual(await listed(ports, 'svc.try.run', 'svc.try.pre-release'), ['run v2.0.0-rc.1 yes'])
})

test('during a canary a tenant sees the version it gets', async () => {
  const ports = sideBySide({ 'v1.0.0': ['run'], 'v1.1.0': ['run'] })
  for (const [weight_bps, version] of [
    [10_000, 'v1.1.0'],
    [0, 'v1.0.0'],
  ] as const) {
    ports.registry.setCanary('TRY', [{ version: 'v1.1.0', weight_bps }])
    const credential = credentialOf('svc.*.*')
    assert.equal((await permissionFor(ports, credential)).version, version)
    const outcome = await createEngine(ports).dispatch(askedOf({ version: 'latest' }, { credential }))
    assert.equal(outcome.kind === 'success' && outcome.metadata.version, version)
  }
})
