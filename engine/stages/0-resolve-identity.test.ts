import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unresolved } from '@svc/contract/identity/identity'
import { askedOf, newCall, test_did, test_tenant, testPorts } from '../../checks/rehearsal/test-ports.ts'
import type { Resolution } from '../known.ts'
import type { IdentityResolver } from '../ports.ts'
import { resolveIdentity } from './0-resolve-identity.ts'

const identity = { ...unresolved(test_did), auth_method: 'document', name: 'Ada' }

async function resolve(resolver: IdentityResolver) {
  const ports = testPorts([], { identity: resolver })
  const call = newCall(askedOf(), ports)
  const identified = await resolveIdentity(call, ports)
  assert.equal(identified, call, 'one object lives through all stages')
  assert.equal(call.stage, 0)
  return { identified, ports, records: ports.audit_log.records(test_tenant) }
}
const answers = (resolution: Resolution): IdentityResolver[] => [
  { resolve: () => resolution },
  { resolve: async () => resolution },
]

test('a resolved caller is the one its document names', async () => {
  for (const resolver of answers({ outcome: 'Resolved', identity })) {
    const { identified, records } = await resolve(resolver)
    assert.equal(identified.caller, identity)
    assert.equal(records.length, 0)
  }
})

test('a partly resolved caller proceeds, and the warnings are recorded', async () => {
  for (const resolver of answers({ outcome: 'Partial', identity, warnings: ['lineage broken at depth 2'] })) {
    const { identified, records } = await resolve(resolver)
    assert.equal(identified.caller, identity)
    assert.deepEqual(
      records.map(({ event_type, outcome, meta }) => [event_type, outcome, meta.warnings]),
      [['LineageUnverified', 'success', ['lineage broken at depth 2']]],
    )
    assert.equal(records[0]?.correlation_id, identified.correlation_id)
  }
})

test('a caller that cannot be resolved proceeds as a bare DID', async () => {
  for (const resolver of answers({ outcome: 'Failed', reason: 'not found' })) {
    const { identified, records } = await resolve(resolver)
    assert.deepEqual(identified.caller, unresolved(test_did))
    assert.equal(records.length, 0)
  }
})

test('a throwing resolver never throws here: the caller is unresolved, and it is logged', async () => {
  const raising: IdentityResolver[] = [
    {
      resolve() {
        throw new Error('down')
      },
    },
    { resolve: () => Promise.reject(new Error('down')) },
  ]
  for (const resolver of raising) {
    const { identified, ports } = await resolve(resolver)
    assert.equal(identified.caller.auth_method, 'unresolved')
    assert.deepEqual(
      ports.logged.map(({ level, fields }) => [level, (fields.err as Error).message]),
      [['warn', 'down']],
    )
  }
})

test('a caller resolved by a trusted gateway is not looked up again, and its warnings are recorded here', async () => {
  const never: IdentityResolver = { resolve: () => assert.fail('asked again') }
  const ports = testPorts([], { identity: never })
  const gateway = {
    did: `did:oas:operator:service:${'b'.repeat(64)}`,
    correlation_id: '33333333-3333-4333-8333-333333333333',
    timestamp: '2026-11-15T10:00:00.000Z',
    warnings: ['lineage not verified'],
  }
  const identified = await resolveIdentity(newCall(askedOf({}, { identity, gateway }), ports), ports)
  assert.equal(identified.caller, identity)
  assert.deepEqual(
    ports.audit_log.records(test_tenant).map(({ event_type, meta }) => [event_type, meta.warnings]),
    [['LineageUnverified', ['lineage not verified']]],
  )
})
