import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { type RefusalCode, refusals, refuse, refuseForeign } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import {
  askedOf,
  callBefore,
  gist,
  test_did,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../../checks/rehearsal/test-ports.ts'
import type { Asked, Done } from '../call.ts'
import { recordDryRun, recordRefusal, recordSuccess } from './8-record-outcome.ts'

async function open(
  stage: number,
  facts: Partial<OperationFacts> = {},
  request: Partial<Asked['request']> = {},
  more: Partial<Asked> = {},
) {
  const ports = testPorts([tryProtocol(() => ({}), facts)])
  const call = await callBefore(stage, askedOf(request, more), ports)
  // As in the chain: undefined fields are absent.
  const records = (): AuditRecord[] => JSON.parse(JSON.stringify(ports.audit_log.records(test_tenant)))
  return { ports, call, records }
}
async function succeed(
  facts: Partial<OperationFacts> = {},
  done: Partial<Done> = {},
  request: Partial<Asked['request']> = {},
) {
  const { ports, call, records } = await open(7, facts, request)
  const used = { tokens_in: 10, tokens_out: 5, milliseconds: 3.2 }
  const finished = Object.assign(call, {
    output_text: '{"b":1}',
    module_metadata: {},
    used,
    replayed: false,
    ...done,
  })
  ports.clock.advance(4)
  const metadata = recordSuccess(finished, ports)
  return { ports, call, metadata, record: records()[0]!, records }
}

test('a success is recorded with who, what, by which grant, and its cost', async () => {
  const { call, record, records, metadata, ports } = await succeed({ meters: ['seconds', 'tokens'] })
  assert.equal(records().length, 1)
  assert.equal(gist(record), 'ProtocolInvocation success ok stage -')
  assert.deepEqual(
    [
      record.id,
      record.correlation_id,
      record.caller_did,
      record.protocol,
      record.operation,
      record.latency_ms,
    ],
    [call.record_id, call.correlation_id, test_did, 'TRY', 'run', 4],
  )
  const { input_hash, output_hash, ...meta } = record.meta
  assert.deepEqual(meta, {
    caller_kind: 'Agent',
    caller_level: 'L0',
    capability: 'svc.try.run',
    credential: 'abcdefgh',
    endpoint: 'native',
    grant: 'svc.try.*',
    grant_source: 'key',
    origin: 'http',
    usage: {
      bps: [10_000, 10_000, 0],
      ms: 3,
      quanta: String((3n * 18n + 15n * 3n) * 10n ** 13n),
      rate: 0,
      tokens_in: 10,
      tokens_out: 5,
      uwh: 4,
    },
    version: 'v1.0.0',
  })
  for (const hash of [input_hash, output_hash]) assert.match(String(hash), /^[0-9a-f]{64}$/)
  assert.deepEqual(metadata, {
    correlation_id: call.correlation_id,
    protocol: 'TRY',
    version: 'v1.0.0',
    operation: 'run',
    audit_head: record.record_hash,
    audit_record_id: record.id,
    usage: { tokens_in: 10, tokens_out: 5, seconds: 0.003, watt_hours: 0.000004, amount_usd: '0.000099' },
    replayed: false,
  })
  assert.deepEqual(ports.settled, [(3n * 18n + 15n * 3n) * 10n ** 13n])
  assert.deepEqual(ports.dispatched, [['TRY', 'run', 'success', 'ok']])
})

test('content never enters a record, and equal content cannot be recognized across records', async () => {
  const request = { input: { secret: 'canary' } }
  const [first, second] = [
    await succeed({}, { output_text: '{"out":"canary"}' }, request),
    await succeed({}, {}, request),
  ]
  assert.ok(!JSON.stringify(first.record).includes('canary'))
  assert.notEqual(first.record.meta.input_hash, second.record.meta.input_hash)
})

test('inputs of writes are retained beside the chain, unless the operation or their size forbids it', async () => {
  const storedOf = async ({ ports, record }: Awaited<ReturnType<typeof succeed>>) => {
    const hash = String(record.meta.input_hash)
    return (await ports.audit_log.forTenant(test_tenant).openInputs([hash]))[hash]
  }
  const request = { input: { b: 1, a: 2 } }
  assert.deepEqual(await storedOf(await succeed({}, {}, request)), { a: 2, b: 1 })
  assert.equal(await storedOf(await succeed({ effect: 'read' }, {}, request)), undefined)
  assert.equal(await storedOf(await succeed({ keep_input: false }, {}, request)), undefined)
  assert.equal(await storedOf(await succeed({}, { replayed: true }, request)), undefined)
  assert.equal(await storedOf(await succeed({}, {}, { input: { a: 'x'.repeat(70_000) } })), undefined)
})

test('a replay is recorded as one, costs nothing and releases its reservation', async () => {
  const { record, metadata, ports } = await succeed({}, { replayed: true })
  assert.deepEqual([record.meta.replayed, record.meta.usage], [true, undefined])
  assert.deepEqual([metadata.replayed, metadata.usage.amount_usd], [true, '0.000000'])
  assert.deepEqual(ports.settled, [0n])
})

test("a module's metadata is only in the record", async () => {
  const { record, metadata } = await succeed({}, { module_metadata: { model: 'built-in' } })
  assert.deepEqual(record.meta.module, { model: 'built-in' })
  assert.ok(!JSON.stringify(metadata).includes('built-in'))
})

test('every code is recorded under the event and outcome of its row', async () => {
  for (const code of Object.keys(refusals) as RefusalCode[]) {
    const { ports, call, records } = await open(4)
    recordRefusal(call, refuse(code, 'One sentence.', { reason: 'why', retry_after_ms: 7 }), ports)
    const { event, outcome } = refusals[code]
    assert.equal(gist(records()[0]), `${event} ${outcome} ${code} stage 3`)
    assert.deepEqual([records()[0]?.meta.reason, records()[0]?.meta.retry_after_ms], ['why', 7], code)
    assert.deepEqual(ports.dispatched, [['TRY', 'run', outcome, code]])
  }
})

test('a refusal records what was known so far, and never caller text as a label', async () => {
  const { ports, call, records } = await open(1, {}, { protocol: 'MADE UP', operation: 'too' })
  call.stage = 1
  recordRefusal(call, refuse('unknown_protocol', 'Protocol MADE UP is not registered here.'), ports)
  const [record] = records()
  assert.deepEqual([record?.protocol, record?.operation], [undefined, undefined])
  assert.deepEqual(record?.meta, {
    caller_kind: 'Agent',
    caller_level: 'L0',
    code: 'unknown_protocol',
    credential: 'abcdefgh',
    origin: 'http',
    reason: 'unknown_protocol',
    stage: 1,
    supplied: {
      operation: 'too',
      protocol: 'MADE UP',
      sentence: 'Protocol MADE UP is not registered here.',
      version: 'v1.0.0',
    },
  })
  assert.deepEqual(ports.dispatched, [['unknown', 'unknown', 'refused', 'unknown_protocol']])
})

test("a module's own sentence and the payload's keys stay out of the record", async () => {
  const { ports, call, records } = await open(7)
  call.stage = 7
  const faults = [{ pointer: '/canary', message: 'is not a known field' }]
  recordRefusal(call, refuse('invalid_payload', 'canary is wrong', { reason: 'schema', faults }), ports)
  assert.ok(!JSON.stringify(records()[0]).includes('canary'))
  assert.equal(records()[0]?.meta.fault_count, 1)
})

test('no detail of a refusal replaces a fact of the engine', async () => {
  const { ports, call, records } = await open(7)
  call.stage = 7
  const hostile = { target_tenant: 'tenb', code: 'x', stage: 0, capability: 'x', grant: 'x' }
  recordRefusal(call, refuse('policy_denied', 'No.', { ...hostile, reason: 'why' }), ports)
  const foreign_words = { ...hostile, gate: 'MACE-quorum', reason: 'why' }
  recordRefusal(call, refuseForeign('policy_denied', 'No.', foreign_words), ports)
  const [own, foreign] = records()
  for (const { meta, event_type } of [own!, foreign!]) {
    const engine = [meta.target_tenant, meta.code, meta.stage, meta.capability, meta.grant, meta.gate]
    const { capability } = call.operation!
    assert.deepEqual(engine, [undefined, 'policy_denied', 7, capability, call.grant!.name, undefined])
    assert.equal(event_type, 'Error')
  }
  assert.deepEqual([own!.meta.reason, foreign!.meta.reason], ['why', 'policy_denied'])
  assert.deepEqual([own!.meta.supplied, foreign!.meta.supplied], [hostile, foreign_words])
})

test('the cause of a bug goes to the log and, truncated, to the record', async () => {
  const { ports, call, records } = await open(7)
  const cause = new TypeError('x'.repeat(1000))
  recordRefusal(call, asRefusal(cause), ports)
  assert.equal(gist(records()[0]), 'Error error internal stage 6')
  const { cause: recorded } = records()[0]!.meta.supplied as { cause: string }
  assert.equal(recorded.length, 200)
  assert.match(recorded, /^TypeError: x/)
  assert.deepEqual(
    ports.logged.map(({ level, fields }) => [level, fields.err]),
    [['error', cause]],
  )
})

test('a dry run is recorded as an authorization check, with its verdict; a bug in it is not lost', async () => {
  const { ports, call, records } = await open(7)
  recordDryRun(call, undefined, ports)
  recordDryRun(call, refuse('rate_limited', 'x', { reason: 'bucket empty' }), ports)
  recordDryRun(call, asRefusal(new Error('down')), ports)
  assert.deepEqual(records().map(gist), [
    'AuthorizationCheck success ok stage 6',
    'AuthorizationCheck refused rate_limited stage 6',
    'AuthorizationCheck error internal stage 6',
  ])
  assert.deepEqual([...new Set(records().map(({ meta }) => meta.dry_run))], [true])
  assert.deepEqual(records()[2]?.meta.supplied, { cause: 'Error: down' })
  assert.deepEqual([ports.settled, ports.logged.length], [[], 1])
})

test('a nested call records its depth, a cross-tenant call its target', async () => {
  const within = { correlation_id: '33333333-3333-4333-8333-333333333333', depth: 2 }
  const { ports, call, records } = await open(1, {}, { tenant_id: 'globex' }, { within })
  recordRefusal(call, refuse('capability_denied', 'x'), ports)
  assert.deepEqual([records()[0]?.meta.depth, records()[0]?.meta.target_tenant], [2, 'globex'])
})
