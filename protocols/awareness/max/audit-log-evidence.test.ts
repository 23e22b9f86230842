import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { entryOf, exportLines, rotateTestKey } from '@svc/audit/test-audit-log'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { verifyExport } from '@svc/sdk/verify/export'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import { writeOver } from '../../../checks/conformance/awareness/written-over.ts'
import { ask, assertRefusal, assertSuccess } from '../../../checks/conformance/dispatch/expectations.ts'
import { type InProcessService, startInProcess } from '../../../checks/engines/in-process.ts'
import type { Addresses } from '../../../checks/engines/running-engine.ts'

let service: InProcessService
before(async () => {
  service = await startInProcess()
})
after(() => service.stop())

function query(caller: Addresses, input: object) {
  return ask(caller, 'audit_query', input, {}, { protocol: 'MAX' })
}

interface Note {
  readonly size: number
  readonly note: string
}

interface Found {
  readonly records: AuditRecord[]
  readonly next_after_seq?: number
  readonly proofs: { seq: number; tree_size: number; inclusion_path: string[] }[]
  readonly keys: { public_key: string; from_seq: number; until_seq: number | null }[]
  readonly checkpoints: Note[]
  readonly newest_checkpoint: Note
}

async function found(caller: Addresses, input: object): Promise<Found> {
  return assertSuccess(await query(caller, input)).output as unknown as Found
}

/** Writes records in several batches, each part under its own key. */
async function tenantWithAuditLog(tenant_id: string, parts: readonly number[]): Promise<Addresses> {
  const caller = await service.newCaller({ tenant_id })
  const { audit_log } = service.service
  await audit_log.ready(tenant_id)
  for (const [i, part] of parts.entries()) {
    if (i > 0) await rotateTestKey(service.db_url, tenant_id, service.service.root_keys)
    for (let n = 0; n < part; n++) {
      audit_log.record(entryOf(tenant_id))
      if (n % 3 === 0) await audit_log.flush()
    }
    await audit_log.flush()
  }
  return caller
}

/** Works like a client: pages up to the newest checkpoint known at the start, then the notes. */
async function assemble(caller: Addresses, from_seq: number, limit: number): Promise<string[]> {
  const query = { limit, include_checkpoints: true }
  const first = await found(caller, { ...query, after_seq: from_seq - 1 })
  const { keys, newest_checkpoint } = first
  const to_seq = newest_checkpoint.size
  const { tenant_id } = caller
  const previous_hash = first.records[0]!.previous_hash
  const format = 'svc-audit-export/1'
  const header = { format, tenant_id, origin: `svc/${tenant_id}`, keys, from_seq, to_seq, previous_hash }
  const [records, notes] = [[] as AuditRecord[], [] as Note[]]
  for (let page = first; ; page = await found(caller, { ...query, after_seq: page.next_after_seq })) {
    records.push(...page.records.filter(({ seq }) => seq <= to_seq))
    notes.push(...page.checkpoints.filter(({ size }) => size <= to_seq))
    if (records.length > to_seq - from_seq) break
  }
  const lines = records.map(({ previous_hash: _, record_hash, ...record }) =>
    canonicalJson({ record, record_hash }),
  )
  return [JSON.stringify(header), ...lines, ...notes.map(({ note }) => JSON.stringify({ checkpoint: note }))]
}

test('an export assembled from pages equals the export, across key rotations and page sizes', async () => {
  const caller = await tenantWithAuditLog('paged', [7, 4, 9])
  const whole = await exportLines(service.db_url, 'paged')
  const to_seq = 22
  for (const limit of [4, 11, 1000]) {
    const lines = await assemble(caller, 1, limit)
    const verdict = await verifyExport(lines)
    assert.ok(verdict.ok && verdict.roots_checked, `${verdict.reason}`)
    assert.ok(verdict.records >= to_seq && verdict.checkpoints >= 10)
    assert.deepEqual(lines.slice(1, 1 + to_seq), whole.slice(1, 1 + to_seq))
    assert.deepEqual(JSON.parse(lines[0]!).keys, JSON.parse(whole[0]!).keys)
  }
  const part = await verifyExport(await assemble(caller, 10, 4))
  assert.deepEqual([part.ok, part.roots_checked], [true, false])
})

test('with proofs each record can be verified alone, whatever the selector', async () => {
  const caller = await tenantWithAuditLog('proved', [6, 5])
  const wishes = [
    { after_seq: 0, limit: 200 },
    { event_type: ['AuditKeyRotated'] },
    { outcome: 'success', after_seq: 3 },
  ]
  for (const wish of wishes) {
    const { records, proofs, keys, checkpoints } = await found(caller, { ...wish, include_proofs: true })
    assert.ok(records.length > 0)
    assert.deepEqual(
      proofs.map(({ seq }) => seq),
      records.map(({ seq }) => seq),
    )
    const trusted = keys.map(({ public_key }) => public_key)
    for (const [i, record] of records.entries()) {
      const { tree_size, inclusion_path } = proofs[i]!
      const checkpoint = checkpoints.find(({ size }) => size === tree_size)!.note
      const receipt = { record, tree_size, inclusion_path, checkpoint }
      assert.deepEqual(await verifyReceipt(receipt, trusted), { ok: true })
      assert.equal(
        (await verifyReceipt({ ...receipt, record: { ...record, latency_ms: 9 } }, trusted)).ok,
        false,
      )
    }
  }
})

test('notes are at records of the page, once each and in order, with those the proofs lead to', async () => {
  const caller = await tenantWithAuditLog('noted', [8])
  const all = (await found(caller, { after_seq: 0, include_checkpoints: true })).checkpoints
  const page = { after_seq: 1, limit: 4 }
  const plain = await found(caller, { ...page, include_checkpoints: true })
  assert.deepEqual(
    plain.checkpoints,
    all.filter(({ size }) => size >= 2 && size <= 5),
  )
  assert.ok(plain.newest_checkpoint.size >= 8)
  assert.equal(plain.proofs, undefined)
  const both = await found(caller, { ...page, include_checkpoints: true, include_proofs: true })
  const sizes = both.checkpoints.map(({ size }) => size)
  const covering = all.find(({ size }) => size >= 5)!.size
  assert.deepEqual(sizes, [...new Set([...plain.checkpoints.map(({ size }) => size), covering])])
})

test('evidence is returned only on request, and an empty page has only keys and the newest note', async () => {
  const caller = await tenantWithAuditLog('quiet', [2])
  const bare = await found(caller, { after_seq: 0 })
  for (const name of ['keys', 'checkpoints', 'newest_checkpoint', 'proofs'])
    assert.equal(Object.hasOwn(bare, name), false, name)
  const wish = { protocol: 'NONE', include_checkpoints: true, include_proofs: true }
  const none = await found(caller, wish)
  assert.deepEqual([none.records, none.checkpoints, none.proofs], [[], [], []])
  assert.equal(none.keys.length, 1)
  const fresh = await service.newCaller({ tenant_id: 'fresh' })
  const first = await found(fresh, { after_seq: 0, include_checkpoints: true })
  assert.deepEqual([first.records, first.checkpoints, first.newest_checkpoint], [[], [], undefined])
})

test('a record without a proof is returned without one, and the others with theirs', async () => {
  const caller = await tenantWithAuditLog('gone', [9])
  await writeOver(service, 'deleted', 'gone', 2)
  const { records, proofs } = await found(caller, { after_seq: 0, include_proofs: true })
  assert.ok(records.length > proofs.length)
  assert.ok(records.every(({ seq }) => seq !== 2))
})

test('all proofs lead to one tree, and at most 200 are returned at once', async () => {
  const caller = await tenantWithAuditLog('limits', [1])
  const proof_report = `sha256:${'0'.repeat(64)}`
  const two = await query(caller, { after_seq: 0, include_proofs: true, proof_report })
  assertRefusal(two, { code: 'invalid_payload', stage: 7, reason: 'two_trees' })
  for (let i = 0; i < 210; i++) service.service.audit_log.record(entryOf('limits'))
  await service.service.audit_log.flush()
  const many = await query(caller, { after_seq: 0, limit: 1000, include_proofs: true })
  assertRefusal(many, { code: 'invalid_payload', stage: 7, reason: 'too_large' })
  const { checkpoints } = await found(caller, { after_seq: 0, limit: 1000, include_checkpoints: true })
  assert.ok(checkpoints.length > 0)
})
