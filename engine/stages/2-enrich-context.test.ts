import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvokeContext } from '@svc/contract/invoke-context'
import { Compile } from 'typebox/compile'
import {
  askedOf,
  callBefore,
  test_did,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../../checks/rehearsal/test-ports.ts'
import type { Asked } from '../call.ts'
import { enrichContext } from './2-enrich-context.ts'

const isInvokeContext = Compile(InvokeContext)

async function enrich(request: Partial<Asked['request']> = {}, more: Partial<Asked> = {}) {
  const ports = testPorts([tryProtocol(() => ({}))])
  return enrichContext(await callBefore(2, askedOf(request, more), ports))
}

test('a call proceeds with its ids, tenant, time and caller', async () => {
  const call = await enrich()
  assert.equal(call.stage, 2)
  assert.deepEqual(call.context, {
    correlation_id: call.correlation_id,
    tenant_id: test_tenant,
    agent_did: test_did,
    resolved_identity: call.caller,
    trace_context: undefined,
    timestamp: '2026-11-15T10:00:00.000Z',
    metadata: { caller_did: test_did, origin: 'http' },
  })
  assert.ok(isInvokeContext.Check(JSON.parse(JSON.stringify(call.context))))
})

test("of the caller's context only its metadata counts, and it cannot name the caller", async () => {
  const resolved_identity = { did: 'did:other', auth_method: 'local-admin' } as never
  const { context, correlation_id } = await enrich({
    invoke_context: {
      agent_did: 'did:other',
      tenant_id: 'globex',
      correlation_id: '33333333-3333-4333-8333-333333333333',
      timestamp: '1999-01-01T00:00:00Z',
      resolved_identity,
      metadata: {
        note: 1,
        caller_did: 'did:other',
        origin: 'internal',
        plugin_config: { limit: 0 },
        held: [{ name: 'svc.*.*' }],
        depth: 0,
      },
    },
  })
  assert.deepEqual(context.metadata, { note: 1, caller_did: test_did, origin: 'http' })
  assert.deepEqual(
    [context.agent_did, context.tenant_id, context.correlation_id, context.timestamp],
    [test_did, test_tenant, correlation_id, '2026-11-15T10:00:00.000Z'],
  )
  assert.equal(context.resolved_identity?.did, test_did)
})

test("behind a gateway the time is the gateway's ingress time", async () => {
  const gateway = {
    did: `did:oas:operator:service:${'b'.repeat(64)}`,
    correlation_id: '33333333-3333-4333-8333-333333333333',
    timestamp: '2026-11-15T09:59:59.990Z',
    warnings: [],
  }
  assert.equal((await enrich({}, { gateway })).context.timestamp, gateway.timestamp)
})

test('its origin and trace are passed on', async () => {
  const trace_context = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
  const { context } = await enrich({}, { origin: 'mcp', trace_context })
  assert.deepEqual([context.metadata.origin, context.trace_context], ['mcp', trace_context])
})

test('its depth in nested calls is passed on, whoever runs it', async () => {
  const within = { correlation_id: '33333333-3333-4333-8333-333333333333', depth: 3 }
  assert.equal((await enrich({}, { within })).context.metadata.depth, 3)
})
