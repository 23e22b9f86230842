// Every engine serves the external contract, so two engines can each run the other's protocols.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findTenant } from '@svc/adapters/access/tenant-directory'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { type EnginePair, openEnginePair, waiting } from '../../engines/engine-pair.ts'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { eventually } from '../../suite/eventually.ts'
import { type OtlpReceiver, openOtlpReceiver } from '../../telemetry/otlp-receiver.ts'

let apart: EnginePair
let together: EnginePair
let collector: OtlpReceiver

before(async () => {
  collector = await openOtlpReceiver()
  const config = { otel_url: collector.url, trace_sample_rate: 1 }
  const pairs = [openEnginePair({ config }), openEnginePair({ one_database: true })] as const
  ;[apart, together] = await Promise.all(pairs)
})
after(async () => {
  await Promise.all([apart.stop(), together.stop()])
  await collector.close()
})

function correlationOf({ body }: Answer): string {
  return body.metadata?.correlation_id ?? body.error.correlation_id
}

function gistOf({ event_type, outcome, protocol, operation, meta }: AuditRecord): string {
  return [event_type, outcome, protocol, operation, meta.code].filter(Boolean).join(' ')
}

/** The records of one call in each audit log. */
async function traces({ a, b, b_operator }: EnginePair, answer: Answer) {
  const filter = { correlation_ids: [correlationOf(answer)] }
  const [callers, at_server, server] = [
    await a.records(a.tenant_id, filter),
    await b.records(a.tenant_id, filter),
    await b.records(b_operator, filter),
  ]
  return { callers: callers.map(gistOf).sort(), at_server: at_server.map(gistOf).sort(), server }
}

test('X-SVC-Protocol, a signature each way: one answer, one record of the caller’s, one of the server’s operator', async () => {
  const { a, b_key, a_key } = apart
  const answer = await dispatch(a, { protocol: 'ping', operation: 'note', input: { text: 'hi' } })
  assert.deepEqual([answer.status, answer.body.output], [200, { at: b_key.did, by: a.agent_did }])
  const { usage } = answer.body.metadata
  assert.deepEqual([usage.tokens_in, usage.tokens_out], [5, 7])
  const { callers, at_server, server } = await traces(apart, answer)
  assert.deepEqual(callers, ['ProtocolInvocation success PING note'])
  assert.deepEqual(at_server, ['custom.noted success PING note'], 'what it did, where it did it')
  assert.deepEqual(server.map(gistOf), ['AuthorizationCheck success PING note'])
  const { latency_ms: _, ...record } = server[0]!
  assert.deepEqual(record.meta, {
    origin: 'invoke',
    engine: a_key.did,
    tenant: a.tenant_id,
    protocol: 'PING',
    operation: 'note',
    correlation_id: correlationOf(answer),
    version: 'v1.0.0',
    endpoint: 'native',
  })
})

test('traceparent is passed to the other engine: its spans are below the stage that called it', async () => {
  const { a, a_key, b_key } = apart
  const answer = await dispatch(a, { protocol: 'ping', operation: 'note', input: { text: 'hi' } })
  const trace_id = correlationOf(answer).replaceAll('-', '')
  const spans = () => collector.spans.filter(({ traceId }) => traceId === trace_id)
  const find = (name: string, did: string) =>
    spans().find((span) => span.name === name && span.resource['svc.engine_did'] === did)
  const served = () => find('svc.invoke', b_key.did)
  await eventually(() => assert.ok(find('svc.dispatch', a_key.did) && served()))
  const invoking = find('svc.stage.invoke_module', a_key.did)
  assert.equal(served()!.parentSpanId, invoking!.spanId)
  const stages = spans().filter(({ parentSpanId }) => parentSpanId === served()!.spanId)
  const places = ['resolve_version', 'break_circuit', 'choose_endpoint', 'invoke_module', 'record_outcome']
  assert.deepEqual(
    stages.map(({ name }) => name),
    places.map((name) => `svc.stage.${name}`),
  )
})

test('each runs the other’s operations, also within one call', async () => {
  const { a, b, a_key } = apart
  const back = await dispatch(b, { protocol: 'PONG', operation: 'note', input: { text: 'hi' } })
  assert.deepEqual([back.status, back.body.output.at], [200, a_key.did])
  const across = await dispatch(a, { protocol: 'PING', operation: 'across', input: { text: 'hi' } })
  assert.deepEqual([across.status, across.body.output], [200, { at: a_key.did, by: a.agent_did }])
  const { callers, at_server } = await traces(apart, across)
  assert.deepEqual(callers, ['ProtocolInvocation success PING across', 'custom.noted success PONG note'])
  assert.deepEqual(at_server, ['ProtocolInvocation success PONG note'], 'judged there, as the caller')
})

test('a nested call is the caller’s own: nobody does for it what it may not do itself', async () => {
  const poor = await apart.a.newCaller({ capabilities: ['svc.ping.*'] })
  const answer = await dispatch(poor, { protocol: 'PING', operation: 'across', input: { text: 'hi' } })
  assert.deepEqual([answer.status, answer.body.error.code], [502, 'adapter_error'])
  const { at_server } = await traces(apart, answer)
  assert.deepEqual(at_server, ['SecurityViolation refused PONG note capability_denied'])
})

test('endless mutual calls of two engines are stopped by depth, over both', async () => {
  const answer = await dispatch(apart.a, { protocol: 'PING', operation: 'bounce', input: {} })
  assert.deepEqual([answer.status, answer.body.error.reason], [422, 'call depth exceeded'])
  const { server } = await traces(apart, answer)
  assert.equal(server.length, 5, 'served at depths 0, 2, 4, 6 and 8')
})

test('an engine does not forward what it has itself registered elsewhere', async () => {
  const answer = await dispatch(apart.a, { protocol: 'LOST', operation: 'bounce', input: {} })
  assert.deepEqual([answer.status, answer.body.error.code], [502, 'adapter_error'])
  const { callers, server } = await traces(apart, answer)
  assert.deepEqual(callers, ['Error error LOST bounce adapter_error'])
  assert.deepEqual(
    server.map(({ meta }) => [meta.code, meta.reason]),
    [['no_endpoint_available', 'forwarded twice']],
  )
})

test('the server’s refusals keep their code, and are in both audit logs', async () => {
  for (const [code, status] of [
    ['policy_denied', 422],
    ['invalid_payload', 422],
    ['missing_capability', 403],
  ] as const) {
    const answer = await dispatch(apart.a, { protocol: 'PING', operation: 'refuse', input: { code } })
    const { error } = answer.body
    assert.deepEqual(
      [answer.status, error.code, error.reason, error.message],
      [status, code, 'as asked', 'No, says the module.'],
    )
    const { callers, server } = await traces(apart, answer)
    assert.deepEqual([callers.length, server.length, server[0]?.meta.code], [1, 1, code])
  }
  const broken = await dispatch(apart.a, {
    protocol: 'PING',
    operation: 'refuse',
    input: { code: 'internal' },
  })
  assert.deepEqual([broken.status, broken.body.error.code], [502, 'adapter_error'])
})

test('a tenant unknown to the server is refused in a sentence, and not created there', async () => {
  const { a, b } = apart
  const stranger = await a.newCaller({ tenant_id: 'only-a', capabilities: ['svc.ping.*'] })
  const answer = await dispatch(stranger, { protocol: 'PING', operation: 'note', input: { text: 'x' } })
  assert.deepEqual([answer.status, answer.body.error.reason], [422, 'unknown tenant'])
  assert.match(answer.body.error.message, /only-a.*create it there/)
  assert.equal(await findTenant(b.service.store.engine, 'only-a'), undefined)
  assert.deepEqual(await b.records('only-a'), [])
})

test('the operation’s own size counts, not the envelope between engines', async () => {
  const text = (length: number) => ({ text: 'x'.repeat(length) })
  const ask = (length: number) =>
    dispatch(apart.a, { protocol: 'PING', operation: 'note', input: text(length) })
  assert.equal((await ask(1024 * 1024 - 300)).status, 200)
  assert.equal((await ask(1024 * 1024)).status, 413)
})

test('a caller’s disconnect is passed on everywhere', async () => {
  const [began, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  waiting.set('leaver', { began, ended })
  const leaving = new AbortController()
  const { a } = apart
  const answer = fetch(`${a.api_url}/v1/dispatch`, {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${a.api_key}`,
      'x-agent-did': a.agent_did,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      protocol: 'PING',
      version: 'v1',
      operation: 'wait',
      input: { name: 'leaver' },
      tenant_id: a.tenant_id,
    }),
  }).catch(() => undefined)
  await began.promise
  leaving.abort()
  await answer
  await ended.promise
})

test('on one database: one key, one effect, however often and wherever it is called', async () => {
  const { a, b, b_key } = together
  const request = {
    protocol: 'PING',
    operation: 'note',
    input: { text: 'once' },
    idempotency_key: 'k'.repeat(255),
  }
  const answers = await Promise.all(Array.from({ length: 8 }, () => dispatch(a, request)))
  for (const { status, body } of answers) {
    assert.ok(status === 200 || body.error.code === 'idempotency_in_flight', JSON.stringify(body))
    if (status === 200) assert.equal(body.output.at, b_key.did)
  }
  const again = await dispatch({ ...a, api_url: b.api_url }, request)
  assert.deepEqual(
    [again.status, again.body.metadata.replayed],
    [200, true],
    'the same caller asks the server itself',
  )
  const other = await dispatch(a, { ...request, input: { text: 'other' } })
  assert.equal(other.body.error.code, 'idempotency_key_reused')
  await b.service.audit_log.flush()
  const noted = (await a.records(a.tenant_id)).filter(({ event_type }) => event_type === 'custom.noted')
  assert.equal(noted.length, 1)
})

test('on one database: each audit log has its record, and no engine serves itself in a circle', async () => {
  const answer = await dispatch(together.b, { protocol: 'PING', operation: 'note', input: { text: 'self' } })
  assert.deepEqual([answer.status, answer.body.output.at], [200, together.b_key.did])
  const { server } = await traces(together, answer)
  assert.equal(server[0]?.meta.engine, together.b_key.did, 'by the way everybody goes')
  const across = await dispatch(together.a, { protocol: 'PING', operation: 'across', input: { text: 'hi' } })
  assert.deepEqual([across.status, across.body.output.at], [200, together.a_key.did])
})

test('GET /health answers in the format of the contract', async () => {
  const answer = await fetch(`${apart.b.api_url}/health`)
  const { status, version, uptime_seconds, ...more } = (await answer.json()) as Record<string, unknown>
  assert.deepEqual([answer.status, status, typeof version], [200, 'ok', 'string'])
  assert.ok(Number.isInteger(uptime_seconds))
  assert.deepEqual(more, {})
})
