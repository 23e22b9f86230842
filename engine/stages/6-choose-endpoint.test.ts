import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import { askedOf, callBefore, testPorts, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import type { Asked } from '../call.ts'
import type { Balancer, Endpoint } from '../routing/routing.ts'
import { chooseEndpoint } from './6-choose-endpoint.ts'

function endpoint(id: string, healthy = true): Endpoint {
  return { id, kind: 'external', healthy, in_flight: 0, invoke: () => ({ data: {} }) }
}
async function choose(endpoints: Endpoint[], balancer?: Balancer, within?: Asked['within']) {
  const ports = testPorts([], balancer && { balancer })
  ports.registry.register(
    tryProtocol(() => ({})),
    endpoints,
  )
  const call = await callBefore(6, askedOf({}, within && { within }), ports)
  return chooseEndpoint(call, ports).endpoint.id
}
const nobody: Balancer = {
  choose() {
    throw new Error('the balancer was asked')
  },
}

test('a single healthy endpoint is used without the balancer', async () => {
  assert.equal(await choose([endpoint('a')], nobody), 'a')
  assert.equal(await choose([endpoint('a', false), endpoint('b')], nobody), 'b')
})

test('of several the balancer chooses, among the healthy ones', async () => {
  const requests: unknown[] = []
  const last: Balancer = {
    choose(registered, tenant_id, healthy) {
      requests.push([registered.facts.id, registered.version, tenant_id, healthy.map(({ id }) => id)])
      return healthy.at(-1)
    },
  }
  assert.equal(await choose([endpoint('a'), endpoint('b', false), endpoint('c')], last), 'c')
  assert.deepEqual(requests, [['TRY', 'v1.0.0', 'acme', ['a', 'c']]])
})

test('without a healthy endpoint the call is refused at this stage', async () => {
  for (const endpoints of [[], [endpoint('a', false)]]) {
    await assert.rejects(
      choose(endpoints),
      (thrown) => thrown instanceof Refusal && thrown.code === 'no_endpoint_available',
    )
  }
})

test('a plugin that is at work on a call is not called by it', async () => {
  const within = { plugins: ['plugin:a@1.0.0'], capabilities: [] } as never
  assert.equal(await choose([endpoint('plugin:b@1.0.0')], nobody, within), 'plugin:b@1.0.0')
  await assert.rejects(
    choose([endpoint('plugin:a@1.0.0')], nobody, within),
    (thrown) => thrown instanceof Refusal && thrown.details.reason === 'plugin calls itself',
  )
})
