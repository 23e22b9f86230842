// Whoami at the engine's own endpoint and through a gateway: one answer, one set of refusals.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import { Whoami } from '@svc/contract/identity/whoami'
import { privateKeyOf } from '@svc/contract/signing/signature'
import { refusalSums } from '@svc/engine/limits/refusal-sums'
import { Compile } from 'typebox/compile'
import { caller_headers, type OpenEndpoint, openTestEndpoint } from '../checks/engines/test-endpoint.ts'
import { test_did, test_tenant, tryProtocol } from '../checks/rehearsal/test-ports.ts'
import { type GatewayTrust, trustGateways } from './dispatch/accept-context.ts'
import { no_audit_log } from './relay/relay.ts'
import { createRelayServer } from './relay/relay-server.ts'
import { openUpstream } from './relay/relay-upstream.ts'
import { openTraffic } from './relay/traffic.ts'
import { addWhoamiRoute } from './whoami.ts'

const { 'content-type': _, ...caller } = caller_headers
const wrong_did = newIdentity(test_tenant, 'agent').did

async function open(t: TestContext, gateways?: GatewayTrust): Promise<OpenEndpoint> {
  const opened = await openTestEndpoint(
    [tryProtocol(() => assert.fail('nothing is invoked'))],
    {},
    ['svc.try.*'],
    (app, dispatch_endpoint) =>
      addWhoamiRoute(app, { ...dispatch_endpoint, ...(gateways ? { gateways } : {}) }, () => undefined),
  )
  t.after(() => opened.close())
  return opened
}

test('returns the caller and what each operation would answer; records nothing', async (t) => {
  const { url, records, operatorRecords } = await open(t)
  const answer = await fetch(`${url}/v1/whoami`, { headers: caller })
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const body = await answer.json()
  assert.deepEqual([...Compile(Whoami).Errors(body)], [])
  assert.deepEqual(body, {
    agent_did: test_did,
    tenant_id: test_tenant,
    tier: 'charter',
    credential: 'api_key',
    mcp_url: null,
    identity: {
      entity_kind: 'Agent',
      conformance_level: 'L0',
      lineage_verified: false,
      lineage_depth: 0,
      revoked: false,
    },
    operations: [
      {
        protocol: 'TRY',
        operation: 'run',
        version: 'v1.0.0',
        capability: 'svc.try.run',
        effect: 'write',
        may: 'yes',
      },
    ],
  })
  assert.deepEqual([records().length, operatorRecords().length], [0, 0])
})

const strangers: [string, Record<string, string>, string, whose: 'own' | 'operator'][] = [
  ['nothing', {}, 'no credential', 'operator'],
  ['no DID', { authorization: caller.authorization! }, 'no agent did', 'own'],
  ['a wrong DID', { ...caller, 'x-agent-did': wrong_did }, 'agent did mismatch', 'own'],
  ['a forged context', { 'x-svc-context': 'a.b.c' }, 'forged context', 'operator'],
]
for (const [brings, headers, reason, whose] of strangers) {
  test(`a caller with ${brings} is refused, and that is recorded once`, async (t) => {
    const { url, operatorRecords, records } = await open(t)
    const answer = await fetch(`${url}/v1/whoami`, { headers })
    const { error } = (await answer.json()) as { error: { reason: string; correlation_id: string } }
    assert.deepEqual([answer.status, error.reason], [401, reason])
    const [record, ...more] = whose === 'own' ? records() : operatorRecords()
    assert.deepEqual(more, [])
    assert.deepEqual(
      [record?.event_type, record?.correlation_id],
      ['SecurityViolation', error.correlation_id],
    )
  })
}

test('through a gateway the engine gives the same answer, and without one none', async (t) => {
  const { did, public_key, private_key } = newIdentity('operator', 'service')
  const signer = { did, public_key, private_key: privateKeyOf(Buffer.from(private_key, 'base64url')) }
  const engine_did = newIdentity('operator', 'service').did
  // The test endpoint's clock stands still; the gateway signs by it too.
  const gateways = trustGateways(
    {
      dids: new Set([did]),
      audience: engine_did,
      required: true,
      isWrite: () => false,
      isTenant: () => true,
      keepReport: async () => {},
      claim: async () => true,
    },
    system_clock,
  )
  const engine = await open(t, gateways)
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const server = createRelayServer(
    {
      log,
      clock: engine.ports.clock,
      audit_log: no_audit_log,
      sums: refusalSums({ record() {}, clock: system_clock }),
      own: { tenant_id: 'operator', did },
      keys: engine.dispatch_endpoint.keys,
      identity: key_only_resolver,
      signer,
      engine_did,
      upstream: openUpstream({ url: new URL(engine.url), silence_ms_max: 5_000 }),
      engine: openTraffic(),
      status: () => ({ version: '0', uptime_seconds: 0 }),
      readiness: async () => ({}),
    },
    undefined,
    5_000,
  )
  const port = await server.listen('127.0.0.1', 0)
  t.after(() => server.close(1_000))
  const answer = await fetch(`http://127.0.0.1:${port}/v1/whoami`, { headers: caller })
  assert.equal(answer.status, 200)
  const { agent_did, operations } = (await answer.json()) as { agent_did: string; operations: object[] }
  assert.deepEqual([agent_did, operations.length], [test_did, 1])
  const direct = await fetch(`${engine.url}/v1/whoami`, { headers: caller })
  assert.equal(((await direct.json()) as { error: { reason: string } }).error.reason, 'gateway required')
})
