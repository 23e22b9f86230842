import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RegisteredEndpoint } from '@svc/contract/needs/membership'
import type { ServedPlace } from '@svc/contract/served-place'
import { endpointsOf } from './installation-list.ts'

const endpoint = 'https://forge.example'
const registered: RegisteredEndpoint = {
  id: '1',
  protocol: 'FORGE',
  version: 'v1.0.0',
  endpoint,
  did: `did:oas:forge:service:${'a'.repeat(64)}`,
  answers: 'signed',
  treaty_id: null,
  timeout_ms: 1000,
  weight: 1,
  enabled: true,
  operations: ['smelt'],
  created_at: new Date('2026-11-20T10:00:00Z'),
}
const place: ServedPlace = {
  protocol: 'FORGE',
  version: 'v1.0.0',
  endpoint,
  kind: 'external',
  healthy: true,
  breaker: 'CLOSED',
}
const stateOf = (registration: Partial<RegisteredEndpoint>, served: Partial<ServedPlace>[]) =>
  endpointsOf(
    [{ ...registered, ...registration }],
    served.map((one) => ({ ...place, ...one })),
  )[0]?.state

test('the states of a registered service: disabled, unused, failing, open circuit, half open, serving', () => {
  assert.equal(stateOf({ enabled: false }, [{}]), 'disabled')
  assert.equal(stateOf({}, []), 'unused')
  assert.equal(stateOf({}, [{ endpoint: 'https://other.example' }]), 'unused')
  assert.equal(stateOf({}, [{ healthy: false, breaker: 'OPEN' }]), 'failing')
  assert.equal(stateOf({}, [{ breaker: 'OPEN' }]), 'breaker_open')
  assert.equal(stateOf({}, [{ breaker: 'HALF_OPEN' }]), 'probing')
  assert.equal(stateOf({ protocol: 'forge' }, [{}]), 'serving')
})

test('nodes behind adapters are listed as well; what runs in the engine is not', () => {
  const node = { ...place, protocol: 'OAS', endpoint: 'http://oas', kind: 'adapter' } as const
  const native = { ...place, protocol: 'MIND', endpoint: 'native', kind: 'native' } as const
  const endpoints = endpointsOf([], [node, native])
  assert.deepEqual(
    endpoints.map(({ protocol, kind, state }) => [protocol, kind, state]),
    [['OAS', 'adapter', 'serving']],
  )
})
