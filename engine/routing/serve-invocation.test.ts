import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nativeEndpoint } from '@svc/adapters/endpoint/native'
import { unresolved } from '@svc/contract/identity/identity'
import { gist, test_did, test_tenant, testPorts, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { createEngine } from '../dispatch.ts'
import type { Invocation } from './record-served.ts'
import type { Endpoint } from './routing.ts'

const engine_did = `did:oas:operator:service:${'e'.repeat(64)}`
const run = tryProtocol((_input, context) => ({ at: context.invoke.tenant_id }))

function open() {
  const ports = testPorts([])
  const serving = {
    registry: ports.registry,
    operator_tenant_id: 'operator',
    tierOf: () => 'charter' as const,
  }
  const engine = createEngine(ports, serving)
  const serve = async (other: Partial<Invocation> = {}) => {
    const served = await engine.serve({ ...invocation, ...other })
    return served.kind === 'served' ? String(served.metadata.version) : served.refusal.details.reason
  }
  return { ports, engine, serve, records: () => ports.audit_log.records('operator') }
}

const invocation: Invocation = {
  engine_did,
  protocol: 'TRY',
  version: undefined,
  operation: 'run',
  payload: {},
  context: {
    correlation_id: '33333333-3333-4333-8333-333333333333',
    tenant_id: test_tenant,
    agent_did: test_did,
    resolved_identity: unresolved(test_did),
    timestamp: '2026-11-15T10:00:00.000Z',
    metadata: {},
  },
  held: [],
  depth: 0,
  idempotency_key: undefined,
  trace_context: undefined,
  payload_bytes: 2,
  signal: new AbortController().signal,
}

function elsewhere(): Endpoint & { asked: number } {
  const endpoint: Endpoint & { asked: number } = {
    id: 'https://elsewhere.example',
    kind: 'external',
    healthy: true,
    in_flight: 0,
    asked: 0,
    invoke() {
      endpoint.asked++
      return { data: {} }
    },
  }
  return endpoint
}

test('endpoints elsewhere are not called on behalf of another engine', async () => {
  const { ports, serve, records } = open()
  const outside = elsewhere()
  ports.registry.register(run, [outside])
  assert.equal(await serve(), 'forwarded twice')
  assert.equal(gist(records()[0]), 'Error refused no_endpoint_available stage 1')
  ports.registry.register(run, [outside, nativeEndpoint(run), outside])
  for (let i = 0; i < 4; i++) assert.equal(await serve(), 'v1.0.0')
  assert.equal(outside.asked, 0)
})

test("an exact version is the calling engine's choice; without one the best stable version answers", async () => {
  const { ports, serve } = open()
  for (const version of ['v1.0.0', 'v1.2.0', 'v2.0.0-rc.1']) {
    const protocol = { ...run, version }
    ports.registry.register(protocol, [nativeEndpoint(protocol)])
  }
  ports.registry.setCanary('TRY', [{ version: 'v1.0.0', weight_bps: 10_000 }])
  assert.equal(await serve(), 'v1.2.0', 'whom a canary is for the calling engine decides')
  assert.equal(await serve({ version: 'v1.0.0' }), 'v1.0.0')
  assert.equal(await serve({ version: 'v2.0.0-rc.1' }), 'v2.0.0-rc.1')
  assert.deepEqual(
    [await serve({ version: 'v1' }), await serve({ version: 'v2' })],
    ['v1.2.0', 'unknown version'],
  )
  assert.equal(await serve({ version: 'v3.0.0' }), 'unknown version')
  const unstable = open()
  const early = { ...run, version: 'v0.1.0-rc.1' }
  unstable.ports.registry.register(early, [nativeEndpoint(early)])
  assert.equal(await unstable.serve(), 'unknown version')
})

test('frequent failures open the circuit here, and a protocol without endpoint says so', async () => {
  const { ports, serve } = open()
  ports.registry.register(run, [nativeEndpoint(run)])
  ports.breaker.blocked = () => ({ last_failure: 'x', retry_after_ms: 7, state: 'open' })
  assert.equal(await serve(), 'circuit open')
  const unbound = open()
  unbound.ports.registry.register(run, [])
  assert.equal(await unbound.serve(), 'no healthy endpoint')
})

test('a served call delays draining, and is counted', async () => {
  const { ports, engine, serve, records } = open()
  const gate = Promise.withResolvers<void>()
  const slow = tryProtocol(() => gate.promise.then(() => ({})))
  ports.registry.register(slow, [nativeEndpoint(slow)])
  const serving = serve()
  let drained = false
  const draining = engine.drain().then(() => {
    drained = true
  })
  assert.equal(await serve(), 'draining')
  assert.deepEqual([engine.in_flight, drained], [1, false])
  gate.resolve()
  assert.equal(await serving, 'v1.0.0')
  await draining
  assert.deepEqual(records().map(gist), [
    'Error refused draining stage -',
    'AuthorizationCheck success ok stage -',
  ])
  assert.deepEqual(ports.dispatched, [
    ['unknown', 'unknown', 'refused', 'draining'],
    ['TRY', 'run', 'success', 'ok'],
  ])
})

test('the last stage of a served call ends when its record is written', async () => {
  const { ports, serve } = open()
  ports.registry.register(run, [nativeEndpoint(run)])
  const order: string[] = []
  ports.audit_log.written = async () => void order.push('written')
  ports.meters.timed = () => void order.push('timed')
  assert.equal(await serve(), 'v1.0.0')
  assert.equal(await serve({ operation: 'none' }), 'unknown operation')
  assert.deepEqual(order, ['written', 'timed', 'written', 'timed'])
})
