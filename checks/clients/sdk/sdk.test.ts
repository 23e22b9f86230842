// The TypeScript SDK against a real engine: it reports what the service says.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Client, type ClientOptions, createClient, createWorkingMemory, SvcError } from '@svc/sdk'
import { trialProtocol } from '../../conformance/execution/trial-protocol.ts'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Addresses } from '../../engines/running-engine.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const hello = { event_type: 'custom.hello', meta: { from: 'the sdk' } }
const trial = trialProtocol()
const limits = {
  infrastructure: { capacity: 2_000, refill_per_s: 1_000 },
  standard: { capacity: 1_000, refill_per_s: 1_000 },
  heavy: { capacity: 1, refill_per_s: 1 },
}
let service: InProcessService
let client: Client

before(async () => {
  const tight = { ...trialProtocol('v1.0.0', 'TIGHT').protocol, rate: 'heavy' as const }
  service = await startInProcess({ more_protocols: [trial.protocol, tight], config: { limits } })
  client = clientOf(service)
})
after(() => service.stop())

function clientOf(caller: Addresses, more: ClientOptions = {}): Client {
  const { api_url, api_key, agent_did, tenant_id } = caller
  return createClient({ apiUrl: api_url, apiKey: api_key, agentDid: agent_did, tenantId: tenant_id, ...more })
}

async function refusalOf(work: Promise<unknown>): Promise<SvcError> {
  const thrown = await work.then(
    () => assert.fail('it was allowed'),
    (error: unknown) => error,
  )
  assert.ok(thrown instanceof SvcError, String(thrown))
  return thrown
}

test('a typed call returns the output; dispatch returns it with the metadata of the call', async () => {
  const { seq, record_hash } = await client.max.audit_log_entry(hello)
  assert.ok(seq >= 1)
  assert.match(record_hash, /^[0-9a-f]{64}$/)
  const { output, metadata, headers } = await client.dispatch('MAX', 'audit_query', {
    event_type: ['custom.hello'],
  })
  assert.ok(output.records.some((record) => record.event_type === 'custom.hello'))
  assert.deepEqual([metadata.protocol, metadata.operation, metadata.replayed], ['MAX', 'audit_query', false])
  assert.equal(headers.correlation_id, metadata.correlation_id)
  const [record] = await service.records(service.tenant_id, { correlation_ids: [metadata.correlation_id] })
  assert.equal(record?.id, metadata.audit_record_id)
})

test('a refusal has every field of the wire format', async () => {
  const error = await refusalOf(client.max.audit_query({ limit: 1 }, { tenantId: 'somebody-else' }))
  assert.deepEqual(
    [error.code, error.stage, error.reason, error.retryable, error.retry_after_ms],
    ['capability_denied', 4, 'no active treaty', false, null],
  )
  assert.equal(error.details.requested_capability, 'svc.max.audit_query')
  assert.equal(error.headers?.correlation_id, error.correlation_id)
  const body = { protocol: 'MAX', version: 'v1.0.0', operation: 'audit_query', input: { limit: 1 } }
  const answer = await fetch(`${service.api_url}/v1/dispatch`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.api_key}`,
      'x-agent-did': service.agent_did,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ...body, tenant_id: 'somebody-else' }),
  })
  const { error: wire } = (await answer.json()) as { error: object }
  const { correlation_id, audit_head } = error
  assert.deepEqual({ ...error.toJSON() }, { ...wire, correlation_id, audit_head })
})

test('input errors come with their pointers, and misspelled names with a hint', async () => {
  const error = await refusalOf(client.dispatch('MAX' as string, 'audit_query', { limit: 'many' }))
  assert.equal(error.code, 'invalid_payload')
  assert.match(JSON.stringify(error.details), /\/limit/)
  assert.match((await refusalOf(client.dispatch('MAXX', 'audit_query', {}))).message, /MAX/)
  const stranger = clientOf({ ...service, api_key: 'svc_test_aaaaaaaa_'.padEnd(61, 'a') })
  assert.equal((await refusalOf(stranger.whoami())).code, 'unauthenticated')
})

test('a stream reports progress and ends with the answer; a refusal ends it like a call', async () => {
  const events = []
  for await (const each of client.stream('TRIAL', 'report', {})) events.push(each)
  assert.deepEqual(
    events.map(({ event }) => event),
    ['progress', 'progress', 'result'],
  )
  assert.deepEqual(events[1], {
    event: 'progress',
    data: { message: 'nearly', fraction: 0.9, data: { left: 1 } },
  })
  const last = events[2]
  assert.ok(last?.event === 'result')
  assert.deepEqual(last.answer.output, { done: true })
  assert.equal(last.answer.headers.correlation_id, last.answer.metadata.correlation_id)
  const refused = await refusalOf(client.stream('TRIAL', 'report', { unknown: 1 }).next())
  const plain = await refusalOf(client.dispatch('TRIAL', 'report', { unknown: 1 }))
  assert.deepEqual([refused.code, refused.message, refused.stage], [plain.code, plain.message, plain.stage])
})

test("a running call can be aborted, with the caller's reason", async () => {
  const leaving = new AbortController()
  const entered = trial.entered()
  const call = client.dispatch('TRIAL', 'hold', {}, { signal: leaving.signal })
  await entered
  leaving.abort(new Error('I have to go'))
  await assert.rejects(call, { message: 'I have to go' })
  trial.release()
})

test('a write with one key happens once and gets the same answer', async () => {
  const once = { idempotencyKey: 'sdk-once' }
  const first = await client.dispatch('TRIAL', 'note', { text: 'keyed' }, once)
  const second = await client.dispatch('TRIAL', 'note', { text: 'keyed' }, once)
  assert.deepEqual([first.metadata.replayed, second.metadata.replayed], [false, true])
  assert.deepEqual(second.output, first.output)
  assert.equal(trial.effects.filter((text) => text === 'keyed').length, 1)
  const other = await refusalOf(client.dispatch('TRIAL', 'note', { text: 'another' }, once))
  assert.equal(other.code, 'idempotency_key_reused')
})

test('a dry run says what would happen, without effects', async () => {
  const allowed = await client.dryRun('TRIAL', 'note', { text: 'dry' })
  assert.deepEqual([allowed.verdict, allowed.stages.length, allowed.error], ['allowed', 8, null])
  assert.ok(!trial.effects.includes('dry'))
  const [record] = await service.records(service.tenant_id, { correlation_ids: [allowed.correlation_id] })
  assert.equal(record?.meta.dry_run, true)
  const refused = await client.dryRun('MAX', 'audit_query', {}, { tenantId: 'somebody-else' })
  assert.deepEqual([refused.verdict, refused.error?.reason], ['refused', 'no active treaty'])
})

test('whoami returns my identity and what I may call', async () => {
  const me = await client.whoami()
  assert.deepEqual([me.agent_did, me.tenant_id, me.credential], [service.agent_did, 'dev', 'api_key'])
  const query = me.operations.find(({ capability }) => capability === 'svc.max.audit_query')
  assert.equal(query?.may, 'yes')
})

test("waiting for the audit returns a receipt of the call's record", async () => {
  const { metadata } = await client.dispatch('MAX', 'audit_log_entry', hello, { waitForAudit: true })
  assert.equal(metadata.receipt?.record.id, metadata.audit_record_id)
  assert.match(metadata.receipt?.checkpoint ?? '', /^svc\/dev\n/)
})

test('a trace goes through the engine and comes back', async () => {
  const { output, headers } = await client.dispatch('TRIAL', 'echo', {}, { traceparent, tracestate: 'a=b' })
  assert.equal(headers.traceparent, traceparent)
  const { invoke } = output as { invoke: { trace_context: unknown } }
  assert.deepEqual(invoke.trace_context, { traceparent, tracestate: 'a=b' })
  const traced = clientOf(service, { traceparent: () => traceparent })
  const error = await refusalOf(traced.dispatch('TRIAL', 'fail', { how: 'policy_denied' }))
  assert.equal(error.headers?.traceparent, traceparent)
})

test('an empty bucket reports how long to wait and what is left, in the body and in the headers', async () => {
  const caller = await service.newCaller({ tenant_id: 'tight', tier: 'charter' })
  const tight = clientOf(caller)
  const { headers } = await tight.dispatch('TIGHT', 'echo', {})
  assert.deepEqual([headers.rate_limit?.limit, headers.rate_limit?.remaining], [1, 0])
  const error = await refusalOf(tight.dispatch('TIGHT', 'echo', {}))
  assert.equal(error.code, 'rate_limited')
  assert.ok(error.retryable && error.retry_after_ms! > 0 && error.retry_after_ms! <= 1_000)
  assert.deepEqual([error.headers?.rate_limit?.limit, error.headers?.rate_limit?.remaining], [1, 0])
})

test('a working memory remembers, recalls, relates and knows', async () => {
  const memory = createWorkingMemory(client, { namespace: 'shift' })
  const triples = [{ subject: 'Acme', predicate: 'delivers', object: 'late' }]
  const late = await memory.remember('The supplier Acme delivers late', { kind: 'semantic', triples })
  const order = await memory.remember({ order: 17, supplier: 'Acme' })
  assert.equal(late.triples_added, 1)
  const { memories } = await memory.recall('which supplier is late?', { limit: 1 })
  assert.deepEqual(memories[0]?.payload, { text: 'The supplier Acme delivers late' })
  assert.deepEqual([memories[0]?.kind, memories[0]?.memory_id], ['semantic', late.memory_id])
  assert.equal((await createWorkingMemory(client).recall('supplier')).memories.length, 0)
  const bond = await memory.relate(order.ref, 'depends_on', late.ref, { weight: 0.5 })
  const again = await memory.relate(order.ref, 'depends_on', late.ref, { weight: 0.5 })
  assert.deepEqual([bond.created, again.reinforced, again.weight > bond.weight], [true, true, true])
  const { entity, facts } = await memory.know('Acme')
  assert.deepEqual([entity?.label, facts[0]?.object, facts[0]?.status], ['Acme', 'late', 'current'])
  assert.deepEqual((await memory.know('Nobody')).facts, [])
})
