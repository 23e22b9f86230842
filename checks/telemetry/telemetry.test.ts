// An engine's telemetry as an operator's tools read it: spans at a collector, the metrics page, and the live
// feed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { revokeKey } from '@svc/adapters/access/api-keys'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import { asOwner } from '@svc/audit/test-audit-log'
import { stages as stage_table } from '@svc/contract/stage'
import { ask, assertRefusal, assertSuccess } from '../conformance/dispatch/expectations.ts'
import { trialProtocol } from '../conformance/execution/trial-protocol.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import type { Addresses } from '../engines/running-engine.ts'
import { eventually } from '../suite/eventually.ts'
import { openLiveFeed } from './live-reader.ts'
import { namesOf } from './metric-names.ts'
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from './otlp-receiver.ts'
import { readMetricsPage } from './prometheus-text.ts'

const may_watch = 'svc.moment.snapshot'
const payload = 'a-payload-nobody-may-see'

let collector: OtlpReceiver
let service: InProcessService

before(async () => {
  collector = await openOtlpReceiver()
  service = await startInProcess({
    identity: key_only_resolver,
    more_protocols: [trialProtocol().protocol],
    config: { otel_url: collector.url, trace_sample_rate: 0 },
    caller: { capabilities: ['svc.trial.*', may_watch, 'svc.admin.observability'] },
  })
})
after(async () => {
  await service.stop()
  await collector.close()
})

const ours = (trace_id: string) => collector.spans.filter(({ traceId }) => traceId === trace_id)

async function traceOf(trace_id: string): Promise<ReceivedSpan[]> {
  await eventually(() => assert.ok(ours(trace_id).length > 0, 'no such trace yet'))
  return ours(trace_id)
}

function changeTracing(settings: object, caller: Addresses = service): Promise<Response> {
  const headers = {
    authorization: `Bearer ${caller.api_key}`,
    'x-agent-did': caller.agent_did,
    'content-type': 'application/json',
  }
  return fetch(`${service.api_url}/admin/trace`, { method: 'PUT', headers, body: JSON.stringify(settings) })
}

const traceparentOf = (trace_id: string, flags: string) => `00-${trace_id}-b7ad6b7169203331-${flags}`

test('a sampled call is one trace: a root, and a child for each stage it passed', async () => {
  assert.equal((await changeTracing({ sample_rate: 1 })).status, 200)
  const { metadata } = assertSuccess(await ask(service, 'echo', { say: payload }))
  const spans = await traceOf(metadata.correlation_id.replaceAll('-', ''))
  const [root, ...stages] = spans
  assert.deepEqual(
    stages.map(({ name }) => name),
    stage_table.map(({ id }) => `svc.stage.${id}`),
  )
  assert.equal(root!.parentSpanId, undefined)
  assert.ok(stages.every(({ parentSpanId }) => parentSpanId === root!.spanId))
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length)
  const { 'svc.audit_head': head, ...told } = root!.attributes
  assert.match(head ?? '', /^[0-9a-f]{64}$/)
  assert.deepEqual(told, {
    'svc.protocol': 'TRIAL',
    'svc.operation': 'echo',
    'svc.tenant_id': service.tenant_id,
    'svc.outcome': 'success',
    'svc.correlation_id': metadata.correlation_id,
    'svc.origin': 'http',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'TRIAL.echo',
    'gen_ai.agent.id': service.agent_did,
  })
  assert.equal(root!.resource['service.name'], 'svc-engine')
  const edges = stages.flatMap((span) => [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)])
  assert.deepEqual(
    edges,
    edges.toSorted((a, b) => Number(a - b)),
    'a stage begins where the last one ended',
  )
  assert.deepEqual([edges[0], edges.at(-1)], [root!.startTimeUnixNano, root!.endTimeUnixNano].map(BigInt))
})

test('an incoming trace continues: the same id, below the calling span, and on to the module', async () => {
  const trace_id = '0af7651916cd43dd8448eb211c80319c'
  const headers = { traceparent: traceparentOf(trace_id, '00'), tracestate: 'a=1' }
  const { output } = assertSuccess(await ask(service, 'echo', {}, headers))
  const spans = await traceOf(trace_id)
  assert.equal(spans[0]!.parentSpanId, 'b7ad6b7169203331')
  assert.equal(spans[0]!.traceState, 'a=1')
  const invoking = spans.find(({ name }) => name === 'svc.stage.invoke_module')!
  const { trace_context } = output.invoke as { trace_context: object }
  assert.deepEqual(trace_context, { traceparent: `00-${trace_id}-${invoking.spanId}-01`, tracestate: 'a=1' })
})

test('a refused call shows how far it got, and which stage refused it', async () => {
  const refused = await ask(service, 'echo', { unknown: payload })
  const { correlation_id } = assertRefusal(refused, { code: 'invalid_payload', stage: 7 })
  const spans = await traceOf(correlation_id.replaceAll('-', ''))
  assert.equal(spans[0]!.attributes['svc.outcome'], 'refused')
  assert.equal(spans[0]!.attributes['svc.refusal_reason'], 'invalid_payload')
  assert.equal(spans[0]!.status, undefined, 'a rule that holds is no error')
  const unknown = await ask(service, 'echo', {}, {}, { protocol: payload.toUpperCase() })
  const early = await traceOf(
    assertRefusal(unknown, { code: 'unknown_protocol', stage: 1 }).correlation_id.replaceAll('-', ''),
  )
  const names = early.slice(1).map(({ name, attributes }) => [name, attributes['svc.refusal_reason']])
  assert.deepEqual(names, [
    ['svc.stage.resolve_identity', undefined],
    ['svc.stage.resolve_version', 'unknown_protocol'],
    ['svc.stage.record_outcome', undefined],
  ])
  assert.equal(early[0]!.attributes['svc.protocol'], 'unknown')
})

test('unsampled calls leave nothing, except errors, MACS, MOOT and explicit requests', async () => {
  assert.equal((await changeTracing({ sample_rate: 0 })).status, 200)
  const quiet = assertSuccess(await ask(service, 'echo')).metadata.correlation_id
  const refused = await ask(service, 'fail', { how: 'policy_denied' })
  const broken = await ask(service, 'fail', { how: 'bug' })
  const macs = await ask(service, 'list_sessions', {}, {}, { protocol: 'macs', version: 'v1' })
  const wished = 'ffffffffffffffff0000000000000001'
  await ask(service, 'echo', {}, { traceparent: traceparentOf(wished, '01') })
  const idOf = ({ headers }: { headers: Headers }) => headers.get('x-correlation-id')!.replaceAll('-', '')
  const [failed] = await traceOf(idOf(broken))
  assert.deepEqual(failed!.status, { code: 2 })
  assert.equal(failed!.attributes['svc.outcome'], 'error')
  await traceOf(idOf(macs))
  await traceOf(wished)
  // Everything of one turn is sent together, so what is missing now does not come.
  assert.deepEqual([ours(quiet.replaceAll('-', '')), ours(idOf(refused))], [[], []])
})

test('a change of tracing is in the audit log with its author; nobody else can make it', async () => {
  const stranger = await service.newCaller({ tenant_id: 'stranger', capabilities: ['svc.trial.*'] })
  assert.equal((await changeTracing({ sample_rate: 1 }, stranger)).status, 403)
  assert.equal(service.service.trace.get().sample_rate, 0)
  await changeTracing({ sample_rate: 0.5, level: 'silent' })
  const changes = await service.records(service.tenant_id, { event_types: ['AuthorizationCheck'] })
  const { gate, method, sample_rate, level } = changes.at(-1)!.meta as Record<string, unknown>
  assert.deepEqual([gate, method, sample_rate, level], ['svc.admin.observability', 'PUT', 0.5, 'silent'])
})

test('the metrics page is valid, our metrics have the right names, and stages and traces are among them', async () => {
  const families = readMetricsPage(await (await fetch(service.metrics_url)).text())
  const own = [...families.keys()].filter((name) => !name.startsWith('svc_'))
  assert.deepEqual(own, ['audit_unknown_event'])
  const stages = families.get('svc_stage_seconds')!
  assert.deepEqual(
    new Set(stages.samples.map(({ labels }) => labels.stage)),
    new Set(stage_table.map(({ id }) => id)),
  )
  const count = (stage: string) =>
    stages.samples.find(({ name, labels }) => name.endsWith('_count') && labels.stage === stage)!.value
  assert.ok(count('resolve_identity') > count('invoke_module'), 'what is refused early is not timed later')
  assert.equal(count('resolve_identity'), count('record_outcome'))
  assert.ok(families.get('svc_traces_sent_total')!.samples[0]!.value > 0)
  const shown = namesOf(await service.service.measure())
  for (const name of families.keys()) assert.ok(shown.has(name), name)
})

test('inputs and outputs are in no span and on no page', async () => {
  const page = await (await fetch(service.metrics_url)).text()
  const secret = service.api_key.slice(-43)
  assert.ok(collector.bodies.length > 0)
  for (const text of [...collector.bodies, page])
    for (const canary of [payload, payload.toUpperCase(), secret, 'a secret of the module'])
      assert.ok(!text.includes(canary), `${canary} got out`)
})

test("the live feed follows the tenant's calls, and no other's", async (t) => {
  const other = await service.newCaller({ tenant_id: 'other', capabilities: ['svc.trial.*', may_watch] })
  const [feed, others] = [await openLiveFeed(service), await openLiveFeed(other)]
  t.after(() => Promise.all([feed.close(), others.close()]))
  const [first, theirs] = [await feed.next(), await others.next()]
  for (let i = 0; i < 3; i++) assertSuccess(await ask(service, 'echo'))
  await ask(service, 'fail', { how: 'policy_denied' })
  await ask(other, 'echo')
  await service.service.tickLive()
  const [events, their_events] = [await feed.until(4), await others.until(1)]
  const codes = events.flatMap(({ second }) => Object.entries(second.by_code))
  assert.deepEqual(new Set(codes.map(([code]) => code)), new Set(['ok', 'policy_denied']))
  assert.equal(
    events.reduce((sum, { second }) => sum + second.by_outcome.refused, 0),
    1,
  )
  const { minute, stages, engine, audit } = events.at(-1)!
  assert.equal(minute.calls, first.minute.calls + 4)
  assert.equal(their_events.at(-1)!.minute.calls, theirs.minute.calls + 1)
  assert.deepEqual(
    their_events.at(-1)!.minute.by_protocol.map(({ protocol }) => protocol),
    ['TRIAL'],
  )
  assert.equal(minute.by_protocol.find(({ protocol }) => protocol === 'TRIAL')!.refused > 0, true)
  assert.deepEqual(
    stages.map(({ name }) => name),
    stage_table.map(({ id }) => id),
  )
  // The load of the whole engine is only for its operator.
  assert.deepEqual([engine.in_flight, stages[0]!.calls, audit.journal_bytes], [null, null, null])
  const opened = await service.records(service.tenant_id, { event_types: ['AuthorizationCheck'] })
  assert.equal(opened.filter(({ meta }) => meta.gate === may_watch).length, 1)
})

test('the operator sees the load of its engine, and its runway follows', async (t) => {
  const { tenant_id } = service.operator
  const feed = await openLiveFeed(await service.newCaller({ tenant_id, capabilities: [may_watch] }))
  t.after(() => feed.close())
  const { engine, stages, audit } = await feed.next()
  for (const figure of [engine.in_flight, stages[0]!.calls, audit.journal_bytes, audit.journal_bytes_max])
    assert.equal(typeof figure, 'number')
  await eventually(async () => {
    await service.service.tickLive()
    const { runway, audit: later } = await feed.next()
    assert.ok(runway && later.head_seq)
    assert.equal(runway.level, 'ample')
  })
})

test('without the capability the feed is refused, and revoking a key ends it', async () => {
  const without = await service.newCaller({ tenant_id: 'without', capabilities: ['svc.trial.*'] })
  const refused = await fetch(`${service.api_url}/v1/live`, {
    headers: { authorization: `Bearer ${without.api_key}`, 'x-agent-did': without.agent_did },
  })
  assert.equal(refused.status, 403)
  const { error } = (await refused.json()) as { error: { details: { requested_capability: string } } }
  assert.equal(error.details.requested_capability, may_watch)
  assert.equal((await fetch(`${service.api_url}/v1/live`)).status, 401)
  const watcher = await service.newCaller({ tenant_id: 'watcher', capabilities: [may_watch] })
  const feed = await openLiveFeed(watcher)
  await feed.next()
  assert.ok(await revokeKey(service.service.store.engine, 'watcher', watcher.key_id))
  assert.equal(await feed.ended(), 'unauthenticated')
})

test('a dissolved organization takes no snapshot and gets no feed', async () => {
  const gone = await service.newCaller({ tenant_id: 'gone', capabilities: [may_watch] })
  const feed = await openLiveFeed(gone)
  await feed.next()
  for (const standing of ['dissolving', 'sealed'])
    await asOwner(service.db_url, (owner) =>
      owner.query("UPDATE tenants SET standing = $1 WHERE tenant_id = 'gone'", [standing]),
    )
  assert.equal(await feed.ended(), 'policy_denied')
})

test("a tenant's concurrent feeds are limited, and a stopping engine ends them", async () => {
  const many = await service.newCaller({ tenant_id: 'many', capabilities: [may_watch] })
  const feeds = await Promise.all(Array.from({ length: 20 }, () => openLiveFeed(many)))
  const headers = { authorization: `Bearer ${many.api_key}`, 'x-agent-did': many.agent_did }
  assert.equal((await fetch(`${service.api_url}/v1/live`, { headers })).status, 429)
  await feeds[0]!.close()
  const stopping = service.service.stop()
  assert.deepEqual(
    new Set(await Promise.all(feeds.slice(1).map((feed) => feed.ended()))),
    new Set(['draining']),
  )
  await stopping
})
