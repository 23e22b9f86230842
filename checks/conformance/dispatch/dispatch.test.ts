import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { publicKeys } from '@svc/audit/query/records'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'
import { ask, assertSuccess } from './expectations.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const uuid_v4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const trial = trialProtocol()
let service: InProcessService

before(async () => {
  service = await startInProcess({ more_protocols: [trial.protocol] })
})
after(() => service.stop())

test('One entry point dispatches a call of the form (protocol, version, operation, input, tenant_id)', async () => {
  const { output, metadata } = assertSuccess(await ask(service, 'echo', { say: 'hello' }))
  assert.equal(output.said, 'hello')
  const { protocol, version, operation, replayed } = metadata
  assert.deepEqual([protocol, version, operation, replayed], ['TRIAL', 'v1.0.0', 'echo', false])
})

test('The data value returned by the protocol module is output; its metadata is not part of it', async () => {
  const answer = await ask(service, 'echo')
  const { output, metadata } = assertSuccess(answer)
  assert.deepEqual(Object.keys(output).sort(), ['invoke', 'said'])
  assert.deepEqual(Object.keys(answer.body), ['output', 'metadata'])
  assert.ok(!JSON.stringify(answer.body).includes('looked_at'))
  const graph = await dispatch(service, {
    protocol: 'MAX',
    operation: 'traceability_graph',
    input: { correlation_id: metadata.correlation_id },
  })
  assert.deepEqual(assertSuccess(graph).output.metadata, { looked_at: ['the invoke context'] })
})

test('A fresh correlation_id (UUID v4) is minted when none is supplied', async () => {
  const answers = await Promise.all([ask(service, 'echo'), ask(service, 'echo')])
  const ids = answers.map((answer) => assertSuccess(answer).metadata.correlation_id)
  assert.equal(new Set(ids).size, 2)
  for (const id of ids) assert.match(id, uuid_v4)
})

test('Context enrichment: correlation_id, tenant, RFC 3339 timestamp, trace context, metadata seeded with caller DID', async () => {
  const forged = { metadata: { caller_did: 'did:forged', mine: 1 }, agent_did: 'did:forged' }
  const body = {
    protocol: 'TRIAL',
    operation: 'echo',
    input: {},
    invoke_context: forged,
  }
  const { output, metadata } = assertSuccess(
    await dispatch(service, body, { traceparent, tracestate: 'a=1' }),
  )
  const { resolved_identity, timestamp, ...invoke } = output.invoke as InvokeContext
  assert.deepEqual(invoke, {
    correlation_id: metadata.correlation_id,
    tenant_id: service.tenant_id,
    agent_did: service.agent_did,
    trace_context: { traceparent, tracestate: 'a=1' },
    metadata: { mine: 1, caller_did: service.agent_did, origin: 'http' },
  })
  assert.equal(resolved_identity?.did, service.agent_did)
  assert.equal(new Date(timestamp).toISOString(), timestamp)
})

test('traceparent (optional, propagated)', async () => {
  const with_it = await ask(service, 'echo', {}, { traceparent })
  assert.equal(with_it.headers.get('traceparent'), traceparent)
  const refused = await ask(service, 'fail', { how: 'policy_denied' }, { traceparent })
  assert.equal(refused.headers.get('traceparent'), traceparent)
  const without = await ask(service, 'echo')
  assert.equal(without.headers.get('traceparent'), null)
})

test('X-RateLimit-* headers for back-off: limit, remaining and seconds until full, on success and refusal', async () => {
  for (const answer of [
    await ask(service, 'echo'),
    await ask(service, 'fail', { how: 'policy_denied' }),
    await ask(service, 'echo', { unknown: 1 }),
    await ask(service, 'echo', {}, { 'x-svc-dry-run': 'true' }),
    await ask(service, 'report', {}, { accept: 'text/event-stream' }),
    await ask(service, 'echo', {}, {}, { tenant_id: 'somebody-else' }),
  ]) {
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
      answer.headers.get(`x-ratelimit-${name}`),
    )
    assert.equal(limit, '25000')
    for (const number of [remaining, reset]) assert.match(number ?? 'absent', /^\d+$/)
    assert.ok(Number(remaining) <= 25_000)
  }
})

test('Metering counts three independent dimensions: tokens, seconds, watts', async () => {
  const { usage } = assertSuccess(await ask(service, 'spend')).metadata
  assert.deepEqual([usage.tokens_in, usage.tokens_out], [50_000, 50_000])
  // Tokens 3.00 USD per million; seconds 0.018 USD per second; watts only where the operation meters them.
  const micro_usd = 300_000 + Math.round(usage.seconds * 18_000)
  assert.equal(usage.amount_usd, `0.${String(micro_usd).padStart(6, '0')}`)
  const plain = assertSuccess(await ask(service, 'echo')).metadata.usage
  assert.deepEqual([plain.tokens_in, plain.tokens_out], [0, 0])
})

test('Minimum chargeable time: 1 millisecond', async () => {
  const { usage } = assertSuccess(await ask(service, 'echo')).metadata
  assert.ok(usage.seconds >= 0.001)
  assert.ok(usage.watt_hours > 0)
  assert.ok(Number.isInteger(Math.round(usage.seconds * 1e6) / 1000), 'whole milliseconds')
  assert.equal(usage.amount_usd, (usage.seconds * 0.018).toFixed(6))
})

test('The audit-chain head hash is returned in the response metadata', async () => {
  const { metadata } = assertSuccess(await ask(service, 'echo'))
  const records = await service.records(service.tenant_id)
  const head = records.find(({ record_hash }) => record_hash === metadata.audit_head)
  assert.ok(head, 'audit_head is no record of the chain')
  const own = records.find(({ id }) => id === metadata.audit_record_id)
  assert.equal(own?.correlation_id, metadata.correlation_id)
  const next = assertSuccess(await ask(service, 'echo'))
  assert.equal(next.metadata.audit_head, records.at(-1)?.record_hash)
})

test('Prefer: wait=audit holds the answer until its record is committed and adds a receipt that verifies offline', async () => {
  const answer = await ask(service, 'note', { text: 'proof' }, { prefer: 'wait=audit' })
  const { metadata } = assertSuccess(answer)
  assert.equal(answer.headers.get('preference-applied'), 'wait=audit')
  const receipt = metadata.receipt
  assert.ok(receipt)
  assert.equal(receipt.record.id, metadata.audit_record_id)
  const keys = (await publicKeys(service.service.store.engine, service.tenant_id)).map(
    (key) => key.public_key,
  )
  assert.deepEqual(await verifyReceipt(receipt, keys), { ok: true })
  const edited = { ...receipt, record: { ...receipt.record, outcome: 'refused' as const } }
  assert.equal((await verifyReceipt(edited, keys)).ok, false)
  assert.equal((await verifyReceipt(receipt, [])).ok, false)
})

test('Recorded inputs come back with include_inputs to the caller who sent them', async () => {
  const { metadata } = assertSuccess(await ask(service, 'note', { text: 'kept for me' }))
  const input = { correlation_id: metadata.correlation_id, include_inputs: true }
  const query = { protocol: 'MAX', operation: 'audit_query', input }
  const own = assertSuccess(await dispatch(service, query)).output
  assert.deepEqual(Object.values(own.inputs as object), [{ text: 'kept for me' }])
  const [hash] = Object.keys(own.inputs as object)
  assert.ok(JSON.stringify(own.records).includes(`"input_hash":"${hash}"`))
  assert.ok(!JSON.stringify(own.records).includes('kept for me'))
  const other = await service.newCaller()
  assert.deepEqual(assertSuccess(await dispatch(other, query)).output.inputs, {})
})
