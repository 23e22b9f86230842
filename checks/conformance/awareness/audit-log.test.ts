import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { exportChain } from '@svc/audit/query/export'
import { type AuditRecord, genesis_hash } from '@svc/contract/audit/audit-record'
import * as schema from '@svc/contract/audit/audit-record-schema'
import { verifyExport } from '@svc/sdk/verify/export'
import { Compile } from 'typebox/compile'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { ask, assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'

const trial = trialProtocol()
let service: InProcessService

before(async () => {
  service = await startInProcess({ more_protocols: [trial.protocol] })
  assertSuccess(await ask(service, 'note', { text: 'Grüße, 世界 "quoted" \\ and \u2028' }))
  assertRefusal(await ask(service, 'echo', { 'clé é': 1 }), { code: 'invalid_payload', stage: 7 })
  assertRefusal(await ask(service, 'fail', { how: 'bug' }), { code: 'internal', stage: 7 })
  const meta = { text: '世界', number: 1e-7, nested: [{ b: 1, a: 2 }] }
  const input = { event_type: 'custom.words', meta }
  assertSuccess(await dispatch(service, { protocol: 'MAX', operation: 'audit_log_entry', input }))
})
after(() => service.stop())

async function exported(): Promise<string[]> {
  await service.service.audit_log.flush()
  return Array.fromAsync(exportChain(service.service.store.engine, service.tenant_id))
}

test('record_hash_n = sha256(previous_hash_(n-1) concatenated with canonical JSON of record n): sha256sum agrees', async () => {
  let previous = genesis_hash
  let links = 0
  for (const line of await exported()) {
    const [, body = '', record_hash] =
      /^\{"record":(\{.*\}),"record_hash":"([0-9a-f]{64})"\}$/.exec(line) ?? []
    if (record_hash === undefined) continue
    const sum = execFileSync('sh', ['-c', `printf '%s%s' "$prev" "$json" | sha256sum`], {
      env: { ...process.env, prev: previous, json: body },
      encoding: 'utf8',
    })
    assert.equal(sum.slice(0, 64), record_hash)
    previous = record_hash
    links++
  }
  assert.ok(links >= 6)
  const { metadata } = assertSuccess(await ask(service, 'echo'))
  assert.equal(metadata.audit_head, previous, 'chain_head equals the latest record_hash')
})

test('Every decision, allowed or refused, enters a hash-chained, signed audit chain, verifiable offline', async () => {
  const verdict = await verifyExport(await exported())
  assert.equal(verdict.ok, true, JSON.stringify(verdict))
  const broken = (await exported()).map((line) => line.replace('"outcome":"refused"', '"outcome":"success"'))
  assert.equal((await verifyExport(broken)).ok, false)
})

test('Audit record: its fields, as published', async () => {
  const check = Compile(schema.AuditRecord)
  const records = await service.records(service.tenant_id)
  for (const record of records) assert.deepEqual([...check.Errors(record)], [], record.event_type)
  assert.deepEqual(
    records.map(({ seq }) => seq),
    records.map((_, index) => index + 1),
  )
})

test('ProtocolInvocation: protocol, operation, tenant, outcome, latency_ms', async () => {
  const { metadata } = assertSuccess(await ask(service, 'echo'))
  const [record] = await service.records(service.tenant_id, { correlation_ids: [metadata.correlation_id] })
  assert.ok(record)
  const { event_type, protocol, operation, tenant_id, outcome, caller_did } = record
  assert.deepEqual(
    { event_type, protocol, operation, tenant_id, outcome, caller_did },
    {
      event_type: 'ProtocolInvocation',
      protocol: 'TRIAL',
      operation: 'echo',
      tenant_id: service.tenant_id,
      outcome: 'success',
      caller_did: service.agent_did,
    },
  )
  assert.ok(record.latency_ms > 0)
})

test('Stage 7 failure: Error with error string and latency_ms', async () => {
  const answer = await ask(service, 'fail', { how: 'adapter_error' })
  const { correlation_id } = assertRefusal(answer, { code: 'adapter_error', stage: 7 })
  const [record] = await service.records(service.tenant_id, { correlation_ids: [correlation_id] })
  assert.deepEqual(
    [record?.event_type, record?.outcome, record?.meta.code, record?.meta.reason],
    ['Error', 'error', 'adapter_error', 'as told'],
  )
  assert.ok((record?.latency_ms ?? 0) > 0)
})

test("custom events from protocols via the context's audit record call, under the call's correlation id", async () => {
  const { metadata } = assertSuccess(await ask(service, 'note', { text: 'twelve chars' }))
  const records = await service.records(service.tenant_id, { correlation_ids: [metadata.correlation_id] })
  assert.deepEqual(records.map(({ event_type }) => event_type).sort(), ['ProtocolInvocation', 'custom.noted'])
  const noted = records.find(({ event_type }) => event_type === 'custom.noted')
  assert.equal(noted?.meta.length, 12)
})

test("records hold refs, sizes and commitments, never content, and no refusal's sentence quotes a payload", async () => {
  const canary = 'canary-4711'
  assertSuccess(await ask(service, 'note', { text: canary }))
  await ask(service, 'note', { text: canary, [canary]: canary })
  await ask(service, 'echo', { say: canary.repeat(50) })
  const text = JSON.stringify(await service.records(service.tenant_id))
  assert.ok(!text.includes(canary))
})

test('Audit write: no answer leaves before its record is kept, so each answer is in the audit log at once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      index % 2 ? ask(service, 'echo') : ask(service, 'echo', { unknown: 1 }),
    ),
  )
  const ids = answers.map(({ headers }) => headers.get('x-correlation-id')!)
  const input = { correlation_ids: ids, limit: 1000 }
  const query = await dispatch(service, { protocol: 'MAX', operation: 'audit_query', input })
  const found_ids = (assertSuccess(query).output.records as AuditRecord[]).map(
    ({ correlation_id }) => correlation_id,
  )
  assert.deepEqual(found_ids.sort(), ids.sort())
})
