import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { after, before, test } from 'node:test'
import { publicKeys } from '@svc/audit/query/records'
import { canonicalJson, contentHash } from '@svc/contract/signing/canonical-json'
import type { Static } from 'typebox'
import { spoils_more, type Way, ways, writeOver } from '../../../checks/conformance/awareness/written-over.ts'
import { ask, assertRefusal, assertSuccess } from '../../../checks/conformance/dispatch/expectations.ts'
import { type InProcessService, startInProcess } from '../../../checks/engines/in-process.ts'
import type { Addresses } from '../../../checks/engines/running-engine.ts'
import { brokenRecords, type ComplianceReport } from './compliance-report.ts'

const period = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
const target_seq = 5
let service: InProcessService
let tenants = 0

before(async () => {
  service = await startInProcess()
})
after(() => service.stop())

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
async function max(caller: Addresses, operation: string, input: object): Promise<any> {
  return assertSuccess(await ask(caller, operation, input, {}, { protocol: 'MAX' })).output
}

/** A tenant with ten records: five written through MAX, and the calls that wrote them. */
async function tenantWithAuditLog(): Promise<Addresses> {
  const caller = await service.newCaller({ tenant_id: `reports-${tenants++}` })
  for (let i = 0; i < 5; i++) await max(caller, 'audit_log_entry', { event_type: 'custom.x', meta: { i } })
  return caller
}

/** Verifies the statement as a JWS library would: compact form, EdDSA, a key of the tenant's audit log. */
async function openAttestation(attestation: string, tenant_id: string): Promise<Record<string, unknown>> {
  const [header_text = '', payload_text = '', signature = ''] = attestation.split('.')
  const [header, payload] = [header_text, payload_text].map((part) =>
    Buffer.from(part, 'base64url').toString(),
  )
  const { alg, typ, kid } = JSON.parse(header!)
  assert.deepEqual([alg, typ], ['EdDSA', 'svc-report+jws'])
  const keys = await publicKeys(service.service.store.engine, tenant_id)
  const x = keys.find(({ key_id }) => key_id === kid)?.public_key
  assert.ok(x, 'the header names no key of the audit log')
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
  const signed = Buffer.from(`${header_text}.${payload_text}`)
  assert.ok(verify(null, signed, key, Buffer.from(signature, 'base64url')))
  assert.ok(
    !verify(null, Buffer.concat([signed, Buffer.from('x')]), key, Buffer.from(signature, 'base64url')),
  )
  assert.equal(canonicalJson(JSON.parse(payload!)), payload, 'the payload is not canonical')
  return JSON.parse(payload!)
}

test('a report counts its period, names the root and the head, and is signed', async () => {
  const caller = await tenantWithAuditLog()
  const answer = await ask(caller, 'compliance_report', { period }, {}, { protocol: 'MAX' })
  const report = assertSuccess(answer).output as unknown as Static<typeof ComplianceReport>
  const records = await service.records(caller.tenant_id)
  const { attestation, report_id, mars_ref, controls, framework_about, ...rest } = report
  assert.deepEqual(rest, {
    head: records[9]!.record_hash,
    first_seq: 1,
    last_seq: 10,
    record_count: 10,
    merkle_root: rest.merkle_root,
    tree_size: 10,
    counts: { success: 10, refused: 0, error: 0, by_event: { 'custom.x': 5, ProtocolInvocation: 5 } },
    chain_verified: true,
    gaps: [],
    authorities: [],
    authorities_truncated: false,
  })
  assert.deepEqual([mars_ref, controls.length], [null, 6])
  const signed = await openAttestation(attestation, caller.tenant_id)
  const { report_id: signed_id, tenant_id, period: signed_period, framework, issued_at, ...same } = signed
  assert.deepEqual(same, { ...rest, controls, framework_about })
  assert.deepEqual([tenant_id, signed_period, framework], [caller.tenant_id, period, 'core'])
  assert.deepEqual([signed_id, report_id], [report_id, contentHash({ ...signed, report_id: undefined })])
  const events = records.filter(({ event_type }) => event_type === 'ComplianceReportIssued')
  const { meta, correlation_id } = events[0]!
  assert.deepEqual([events.length, correlation_id], [1, answer.body.metadata.correlation_id])
  const span = { chain_verified: true, first_seq: 1, last_seq: 10 }
  assert.deepEqual(meta, { ...span, framework, period, origin: 'http', report_id })
  assert.equal(new Date(issued_at as string).toISOString(), issued_at)
})

test('only records in the half-open period are counted', async () => {
  const caller = await tenantWithAuditLog()
  const records = await service.records(caller.tenant_id)
  const [from, to] = [records[2]!.timestamp, records[8]!.timestamp]
  const inside = records.filter(({ timestamp }) => timestamp >= from && timestamp < to)
  const report = await max(caller, 'compliance_report', { period: { from, to }, include_controls: false })
  assert.deepEqual(
    [report.first_seq, report.last_seq, report.record_count, report.controls],
    [inside[0]!.seq, inside.at(-1)!.seq, inside.length, []],
  )
})

test('a period without records is an empty report, signed like any other', async () => {
  const caller = await tenantWithAuditLog()
  const empty = { from: '2001-01-01T00:00:00Z', to: '2001-01-01T00:00:00.5Z' }
  const report = await max(caller, 'compliance_report', { period: empty, framework: 'soc2' })
  const { record_count, first_seq, last_seq, chain_verified, controls } = report
  assert.deepEqual([record_count, first_seq, last_seq, chain_verified], [0, 0, 0, true])
  const states = new Set(controls.map(({ status }: { status: string }) => status))
  assert.deepEqual([controls.length, [...states].sort()], [33, ['no_evidence', 'not_shown']])
  assert.equal((await openAttestation(report.attestation, caller.tenant_id)).framework, 'soc2')
})

test('a period that ends before it begins, has not begun, or names a time that does not exist, is refused', async () => {
  const cases = [
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 'empty_period', '/period'],
    ['2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00Z', 'empty_period', '/period'],
    ['2026-02-30T00:00:00Z', '2026-03-30T00:00:00Z', 'no_such_moment', '/period/from'],
    ['2026-01-01T00:00:00Z', '2026-06-31T00:00:00Z', 'no_such_moment', '/period/to'],
    ['2099-01-01T00:00:00Z', '2100-01-01T00:00:00Z', 'future_period', '/period/from'],
  ] as const
  for (const [from, to, reason, pointer] of cases) {
    const answer = await ask(service, 'compliance_report', { period: { from, to } }, {}, { protocol: 'MAX' })
    const { details } = assertRefusal(answer, { code: 'invalid_payload', stage: 7, reason })
    assert.equal((details.faults as { pointer: string }[])[0]?.pointer, pointer)
  }
})

for (const way of Object.keys(ways) as Way[]) {
  test(`a broken chain yields a signed report saying so, never a refusal: ${way}`, async () => {
    const caller = await tenantWithAuditLog()
    await service.records(caller.tenant_id)
    const log = { db: service.service.store.engine, tenant_id: caller.tenant_id }
    assert.equal(await brokenRecords(log, period), 0)
    await writeOver(service, way, caller.tenant_id, target_seq)
    assert.equal(await brokenRecords(log, period), 1)
    const report = await max(caller, 'compliance_report', { period })
    assert.deepEqual([report.chain_verified, report.gaps], [false, []])
    // If all later hashes were recomputed, only the signatures show it, and they cover whole batches.
    if (spoils_more.includes(way)) assert.ok(report.first_bad_seq <= target_seq)
    else assert.equal(report.first_bad_seq, target_seq)
    const signed = await openAttestation(report.attestation, caller.tenant_id)
    assert.deepEqual([signed.chain_verified, signed.first_bad_seq], [false, report.first_bad_seq])
    const filter = { event_types: ['ComplianceReportIssued'] }
    const [event] = await service.records(caller.tenant_id, filter)
    assert.equal(event?.meta.chain_verified, false)
  })
}

test('a missing record is a gap', async () => {
  const caller = await tenantWithAuditLog()
  await writeOver(service, 'deleted', caller.tenant_id, target_seq)
  const report = await max(caller, 'compliance_report', { period })
  const { chain_verified, first_bad_seq, gaps, record_count } = report
  assert.deepEqual([chain_verified, first_bad_seq, gaps, record_count], [false, target_seq, [target_seq], 9])
})

test('progress is streamed', async () => {
  const caller = await tenantWithAuditLog()
  const headers = { accept: 'text/event-stream' }
  const { body } = await ask(caller, 'compliance_report', { period }, headers, { protocol: 'MAX' })
  const events = [...(body as string).matchAll(/^event: (\w+)$/gm)].map(([, event]) => event)
  assert.deepEqual(events, ['progress', 'progress', 'result'])
})
