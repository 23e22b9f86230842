// A compliance report over HTTP: what a small log shows of each control, what it has no evidence of, and what no log of calls can show.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import { unresolved } from '@svc/contract/identity/identity'
import { framework_names, frameworks } from '@svc/protocols/awareness/max/frameworks/frameworks'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { ask, assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'

const period = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
let service: InProcessService
let auditor: Addresses

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

before(async () => {
  service = await startInProcess({
    more_protocols: [trialProtocol().protocol],
    identity: {
      resolve: (did) => ({
        outcome: 'Resolved',
        identity: { ...unresolved(did), auth_method: 'test', conformance_level: 'L1' },
      }),
    },
  })
  auditor = await service.newCaller({ tenant_id: 'small-log', capabilities: ['svc.max.*'] })
  await max(auditor, 'audit_log_entry', { event_type: 'custom.forged', outcome: 'refused', meta: {} })
  await max(auditor, 'audit_query', { after_seq: 0, limit: 1 })
  assertRefusal(await ask(auditor, 'echo'), {
    code: 'capability_denied',
    stage: 4,
  })
})
after(() => service.stop())

async function max(caller: Addresses, operation: string, input: object): Promise<Fields> {
  return assertSuccess(await ask(caller, operation, input, {}, { protocol: 'MAX' })).output
}

function refused(input: object, more: object = {}) {
  return ask(auditor, 'compliance_report', input, {}, { protocol: 'MAX', ...more })
}

test('a SOC 2 report of a small log: evidence with records and proofs, none in the period, and what is not shown', async () => {
  const report = await max(auditor, 'compliance_report', { period, framework: 'soc2' })
  const of = (id: string): Fields => report.controls.find((control: Fields) => control.id === id)
  assert.equal(report.controls.length, 33)

  const access = of('CC6.1')
  assert.equal(access.status, 'evidence')
  const [calls, denied] = access.evidence
  assert.deepEqual(
    [calls.event_types, calls.must.field, calls.exceptions],
    [['ProtocolInvocation'], 'grant', 0],
  )
  assert.deepEqual([denied.count, denied.exceptions, denied.first], [1, 0, denied.last])
  const { records, proofs } = await max(auditor, 'audit_query', {
    after_seq: denied.first.seq - 1,
    limit: 1,
    proof_report: report.report_id,
  })
  const [record] = records
  assert.equal(denied.first.ref, `max://small-log/record/${record.record_hash}`)
  assert.deepEqual([record.meta.code, record.outcome], ['capability_denied', 'refused'])
  assert.ok(proofs.length === 1, 'the record is proved to be in the tree that the report signs')
  assert.match(access.gap, /does not go through this engine/)

  assert.equal(of('CC7.4').status, 'no_evidence')
  assert.deepEqual(
    of('CC7.4').evidence.map(({ count }: Fields) => count),
    [0, 0, 0],
  )
  const people = of('CC1.4')
  assert.deepEqual([people.status, people.evidence], ['not_shown', []])
  assert.match(people.gap, /background checks of staff are outside this system/)

  const refusals = of('CC7.2').evidence[0]
  assert.deepEqual(
    [refusals.count, refusals.exceptions],
    [1, 0],
    'the forged refusal is a note, so it counts nowhere',
  )
})

test('the files of a report show question, evidence and gap of each control', async () => {
  const { report_id, controls } = await max(auditor, 'compliance_report', { period, framework: 'eu-ai-act' })
  const { content } = await max(auditor, 'compliance_report_file', { report_id, format: 'csv' })
  const csv = Buffer.from(content, 'base64').toString('utf8').replaceAll('"', '')
  for (const { id, question, gap, evidence } of controls) {
    assert.ok(csv.includes(question) && csv.includes(`Controls,${id} gap,${gap}`), id)
    for (const { counts } of evidence) assert.ok(csv.includes(counts), id)
  }
  const stranger = await service.newCaller({ tenant_id: 'elsewhere', capabilities: ['svc.max.*'] })
  const foreign = await ask(
    stranger,
    'compliance_report_file',
    { report_id, format: 'csv' },
    {},
    { protocol: 'MAX' },
  )
  assertRefusal(foreign, { code: 'invalid_payload', stage: 7, reason: 'not_found' })
})

test('a framework that does not exist is refused with the names of those that do', async () => {
  for (const framework of ['SOC2', 'hipaa', '', '__proto__']) {
    const error = assertRefusal(await refused({ period, framework }), { code: 'invalid_payload', stage: 7 })
    for (const name of framework_names) assert.ok(JSON.stringify(error).includes(name), JSON.stringify(error))
  }
})

test('forged and foreign periods are refused', async () => {
  const forged = [
    { from: '2026-12-01T00:00:00Z', to: '2026-11-01T00:00:00Z' },
    { from: '2099-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' },
    { from: '2026-02-30T00:00:00Z', to: '2026-03-30T00:00:00Z' },
    { from: 'yesterday', to: 'today' },
    { ...period, tenant_id: 'elsewhere' },
    {},
  ]
  for (const input of forged)
    assertRefusal(await refused({ period: input }), { code: 'invalid_payload', stage: 7 })
  const abroad = await refused({ period }, { tenant_id: 'elsewhere' })
  assertRefusal(abroad, { code: 'capability_denied', stage: 4, reason: 'no active treaty' })
})

test('every query asks for operations that are served', () => {
  const served = new Set(
    catalogue.flatMap(({ id, operations }) => Object.keys(operations).map((name) => `${id}.${name}`)),
  )
  for (const framework of framework_names)
    for (const { id, queries } of frameworks[framework].controls)
      for (const name of queries.flatMap(({ operations = [] }) => operations))
        assert.ok(served.has(name), `${id} ${name}`)
})
