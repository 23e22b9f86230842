import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ErrorBody } from '@svc/contract/dispatch'
import { unresolved } from '@svc/contract/identity/identity'
import type { IdentityResolver } from '@svc/engine/ports'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'
import { ask, assertRefusal, assertSuccess } from './expectations.ts'

const trial = trialProtocol()
/** Every identity is known, and has only what its key carries. */
const identity: IdentityResolver = {
  resolve: (did) => ({
    outcome: 'Resolved',
    identity: { ...unresolved(did), conformance_level: 'L1', auth_method: 'test' },
  }),
}
let service: InProcessService
let stopped = false

before(async () => {
  const caller = { capabilities: ['svc.trial.*', 'svc.max.*'] }
  service = await startInProcess({ identity, more_protocols: [trial.protocol], caller })
})
after(() => stopped || service.stop())

async function get(path: string, caller?: Addresses, init: RequestInit = {}) {
  const headers: Record<string, string> = caller
    ? { authorization: `Bearer ${caller.api_key}`, 'x-agent-did': caller.agent_did }
    : {}
  if (init.body) headers['content-type'] = 'application/json'
  const response = await fetch(`${service.api_url}${path}`, { ...init, headers })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('GET /health: 200 when accepting requests', async () => {
  const { status, body } = await get('/health')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body).sort(), ['status', 'uptime_seconds', 'version'])
  assert.equal(body.status, 'ok')
})

test('GET /ready: 200 when all upstreams are healthy', async () => {
  const { status, body } = await get('/ready')
  assert.equal(status, 200)
  const checks = { accepting: true, database: true, rate_limit: true, plugins: true }
  assert.deepEqual(body, { ready: true, checks, audit: { state: 'normal' }, plugin_abi: '37.0.0' })
})

test('GET /metrics: text exposition, served on the metrics port', async () => {
  await ask(service, 'fail', { how: 'policy_denied' })
  const metrics = await fetch(service.metrics_url)
  assert.equal(metrics.status, 200)
  assert.match(metrics.headers.get('content-type') ?? '', /^text\/plain; version=/)
  const line =
    'svc_dispatch_total{protocol="TRIAL",operation="fail",outcome="refused",code="policy_denied"} 1'
  assert.ok((await metrics.text()).split('\n').includes(line))
  assert.equal((await fetch(`${service.api_url}/metrics`)).status, 404)
})

test('An unknown event tag is logged as type Error and increments the metric audit_unknown_event; it is never dropped', async () => {
  const count = async () => {
    await service.service.audit_log.flush()
    return Number(/^audit_unknown_event (\d+)$/m.exec(await (await fetch(service.metrics_url)).text())?.[1])
  }
  const stored = async (correlation_id: string) => {
    const filter = { correlation_ids: [correlation_id], event_types: ['Error'] }
    const records = await service.records(service.tenant_id, filter)
    return records.map(({ meta }) => Object(meta.supplied).original_event_type)
  }
  const before = await count()
  const by_module = assertSuccess(await ask(service, 'tag', { event_type: 'NobodyKnowsThis' }))
  assert.deepEqual(await stored(by_module.metadata.correlation_id), ['NobodyKnowsThis'])
  assert.equal(await count(), before + 1)
  const input = { event_type: 'NorThis', meta: { kept: true } }
  const by_caller = assertSuccess(
    await dispatch(service, { protocol: 'MAX', operation: 'audit_log_entry', input }),
  )
  assert.equal(by_caller.output.stored_event_type, 'Error')
  assert.deepEqual(await stored(by_caller.metadata.correlation_id), ['NorThis'])
  assert.equal(await count(), before + 2)
  assertSuccess(await ask(service, 'tag', { event_type: 'custom.known' }))
  assert.equal(await count(), before + 2)
})

test('/admin/trace: dynamic trace-level control, requires capability svc.admin.observability', async () => {
  const observer = await service.newCaller({ capabilities: ['svc.admin.observability'] })
  assert.equal((await get('/admin/trace')).status, 401)
  const refused = await get('/admin/trace', service)
  const { error } = refused.body as unknown as ErrorBody
  assert.deepEqual([refused.status, error.code], [403, 'capability_denied'])
  assert.equal(error.details.requested_capability, 'svc.admin.observability')
  const violations = await service.records(service.tenant_id, { event_types: ['SecurityViolation'] })
  const { caller_did, correlation_id, meta } = violations.at(-1)!
  assert.deepEqual([caller_did, correlation_id], [service.agent_did, error.correlation_id])
  assert.deepEqual(
    [meta.requested_capability, meta.supplied],
    ['svc.admin.observability', { claimed_did: service.agent_did, method: 'GET', path: '/admin/trace' }],
  )
  const wrong_did = `did:oas:rival:agent:${'b'.repeat(64)}`
  const mistaken = await get('/admin/trace', { ...service, agent_did: wrong_did })
  const { correlation_id: mistaken_id } = (mistaken.body as unknown as ErrorBody).error
  const [own] = await service.records(service.tenant_id, { correlation_ids: [mistaken_id] })
  assert.deepEqual([mistaken.status, own?.meta.reason], [401, 'agent did mismatch'])
  const put = (body: object) => get('/admin/trace', observer, { method: 'PUT', body: JSON.stringify(body) })
  const before = await get('/admin/trace', observer)
  assert.deepEqual(Object.keys(before.body).sort(), ['level', 'sample_rate'])
  assert.deepEqual(await put({ sample_rate: 0.5 }), {
    status: 200,
    body: { ...before.body, sample_rate: 0.5 },
  })
  assert.equal((await get('/admin/trace', observer)).body.sample_rate, 0.5)
  assert.equal((await put({ sample_rate: 2 })).status, 422)
  assert.equal((await put({ level: 'loud' })).status, 422)
})

// Last, because this service does not come back.
test('SIGTERM: new requests refused with 503, in-flight requests drain, the audit pipeline is flushed', async () => {
  const entered = trial.entered()
  const in_flight = ask(service, 'hold', {}, { prefer: 'wait=audit' })
  await entered
  stopped = true
  const stopping = service.service.stop()
  const refused = await ask(service, 'echo')
  assertRefusal(refused, { code: 'draining', stage: 0, reason: 'draining' })
  assert.equal(refused.headers.get('connection'), 'close')
  for (const path of ['/ready', '/health']) assert.equal((await get(path)).status, 503, path)
  trial.release()
  const { metadata } = assertSuccess(await in_flight)
  assert.equal(metadata.receipt?.record.id, metadata.audit_record_id)
  await stopping
  await assert.rejects(fetch(`${service.api_url}/health`))
})
