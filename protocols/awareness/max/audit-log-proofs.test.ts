import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { entryOf } from '@svc/audit/test-audit-log'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { rootOfPath } from '@svc/sdk/verify/tree'
import { spoils_more, type Way, ways, writeOver } from '../../../checks/conformance/awareness/written-over.ts'
import { ask, assertRefusal, assertSuccess } from '../../../checks/conformance/dispatch/expectations.ts'
import { type InProcessService, startInProcess } from '../../../checks/engines/in-process.ts'
import type { Addresses } from '../../../checks/engines/running-engine.ts'

const period = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
const target_seq = 5
let service: InProcessService
let tenants = 0

before(async () => {
  service = await startInProcess()
})
after(() => service.stop())

function askMax(caller: Addresses, operation: string, input: object) {
  return ask(caller, operation, input, {}, { protocol: 'MAX' })
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
async function max(caller: Addresses, operation: string, input: object): Promise<any> {
  return assertSuccess(await askMax(caller, operation, input)).output
}

/** A tenant with ten records of its own, committed in a few batches. */
async function tenantWithAuditLog(): Promise<Addresses> {
  const caller = await service.newCaller({ tenant_id: `proofs-${tenants++}` })
  for (let i = 0; i < 5; i++) await max(caller, 'audit_log_entry', { event_type: 'custom.x', meta: { i } })
  return caller
}

test('verify recomputes hash, link and signature of the records found', async () => {
  const caller = await tenantWithAuditLog()
  const { records, verified } = await max(caller, 'audit_query', { after_seq: 0, verify: true })
  assert.ok(records.length >= 10)
  assert.deepEqual(verified, { ok: true })
  assert.equal((await max(caller, 'audit_query', { after_seq: 0 })).verified, undefined)
  const none = await max(caller, 'audit_query', { protocol: 'NONE', verify: true })
  assert.deepEqual([none.records, none.verified], [[], { ok: true }])
})

test('names that a column cannot hold unchanged do not count as tampering', async () => {
  const caller = await tenantWithAuditLog()
  for (const protocol of ['line\nbreak', '\u007f', 'é 世界', ' ']) {
    const input = { event_type: 'custom.odd', protocol, operation: protocol, meta: {} }
    await max(caller, 'audit_log_entry', input)
  }
  const { verified } = await max(caller, 'audit_query', { after_seq: 0, verify: true })
  assert.deepEqual(verified, { ok: true })
  assert.equal((await max(caller, 'compliance_report', { period })).chain_verified, true)
})

for (const way of Object.keys(ways) as Way[]) {
  test(`verify names the record where somebody wrote ${way}`, async () => {
    const caller = await tenantWithAuditLog()
    await writeOver(service, way, caller.tenant_id, target_seq)
    const { records, verified } = await max(caller, 'audit_query', { after_seq: 0, verify: true })
    assert.equal(verified.ok, false)
    // Some ways spoil everything that was compressed together.
    if (spoils_more.includes(way)) assert.ok(verified.first_bad_seq <= target_seq)
    else assert.equal(verified.first_bad_seq, target_seq)
    assert.deepEqual(
      records.slice(0, 10).map(({ seq }: AuditRecord) => seq),
      Array.from({ length: 10 }, (_, index) => index + 1),
    )
    const alone = await max(caller, 'audit_query', { after_seq: target_seq - 1, limit: 1, verify: true })
    assert.deepEqual(alone.verified, { ok: false, first_bad_seq: target_seq })
  })
}

test('verify names the record after one that was deleted', async () => {
  const caller = await tenantWithAuditLog()
  await writeOver(service, 'deleted', caller.tenant_id, target_seq)
  const { verified } = await max(caller, 'audit_query', { after_seq: 0, verify: true })
  assert.deepEqual(verified, { ok: false, first_bad_seq: target_seq + 1 })
  // Records of the same batch can no longer be proved; this is reported and is not a service failure.
  const before = await max(caller, 'audit_query', { after_seq: target_seq - 2, limit: 1, verify: true })
  assert.equal(before.verified.ok === true || before.verified.first_bad_seq === target_seq - 1, true)
})

test("proof_report gives RFC 6962 inclusion proofs against that report's root", async () => {
  const caller = await tenantWithAuditLog()
  const { report_id, merkle_root, tree_size } = await max(caller, 'compliance_report', { period })
  await max(caller, 'audit_log_entry', { event_type: 'custom.later', meta: {} })
  const { records, proofs } = await max(caller, 'audit_query', { after_seq: 0, proof_report: report_id })
  assert.ok(records.length > tree_size)
  assert.deepEqual(
    proofs.map(({ seq }: { seq: number }) => seq),
    Array.from({ length: tree_size }, (_, index) => index + 1),
    'what is younger than the report has no proof against it',
  )
  for (const { seq, tree_size: size, inclusion_path } of proofs) {
    assert.equal(size, tree_size)
    const { record_hash } = records[seq - 1]
    assert.equal(await rootOfPath(record_hash, { index: seq - 1, size }, inclusion_path), merkle_root)
    const other = records[seq % tree_size].record_hash
    assert.notEqual(await rootOfPath(other, { index: seq - 1, size }, inclusion_path), merkle_root)
  }
})

test("a report that does not exist and another tenant's report give the same answer", async () => {
  const [mine, theirs] = [await tenantWithAuditLog(), await tenantWithAuditLog()]
  const { report_id } = await max(theirs, 'compliance_report', { period })
  for (const proof_report of [report_id, `sha256:${'0'.repeat(64)}`]) {
    const answer = await askMax(mine, 'audit_query', { after_seq: 0, proof_report })
    const error = assertRefusal(answer, { code: 'invalid_payload', stage: 7, reason: 'not_found' })
    assert.equal(error.message, `There is no report ${proof_report} that you may see; check the id.`)
  }
})

test('at most 200 records are proved in one answer', async () => {
  const caller = await service.newCaller({ tenant_id: 'many' })
  await service.service.audit_log.ready('many')
  for (let i = 0; i < 250; i++) service.service.audit_log.record(entryOf('many'))
  await service.service.audit_log.flush()
  const { report_id } = await max(caller, 'compliance_report', { period })
  for (const wish of [{ verify: true }, { proof_report: report_id }]) {
    const answer = await askMax(caller, 'audit_query', { after_seq: 0, limit: 201, ...wish })
    const error = assertRefusal(answer, { code: 'invalid_payload', stage: 7, reason: 'too_large' })
    assert.equal((error.details.faults as { pointer: string }[])[0]?.pointer, '/limit')
  }
  const { verified } = await max(caller, 'audit_query', { after_seq: 0, limit: 200, verify: true })
  assert.deepEqual(verified, { ok: true })
})
