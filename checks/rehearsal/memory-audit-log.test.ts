import assert from 'node:assert/strict'
import test from 'node:test'
import type { AuditLog } from '@svc/audit/audit-log'
import { entryOf } from '@svc/audit/test-audit-log'
import { genesis_hash, recordHash } from '@svc/contract/audit/audit-record'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { AuditLogPort } from '@svc/engine/ports'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import { MemoryAuditLog } from './memory-audit-log.ts'

test("the real audit log satisfies the engine's port", () => {
  // The compiler is the check: the folder of the audit log may not import the engine.
  const asPort: (audit_log: AuditLog) => AuditLogPort = (audit_log) => audit_log
  assert.equal(typeof asPort, 'function')
})

test('records link as in the real audit log, one chain per tenant', async () => {
  const audit_log = new MemoryAuditLog()
  assert.equal(audit_log.head('acme'), null)
  for (let i = 0; i < 20; i++) audit_log.record(entryOf(i % 2 ? 'acme' : 'rival'))
  await audit_log.written()
  for (const tenant of ['acme', 'rival']) {
    let previous = genesis_hash
    for (const [i, record] of audit_log.records(tenant).entries()) {
      const { previous_hash, record_hash, ...body } = record
      assert.equal(body.seq, i + 1)
      assert.equal(previous_hash, previous)
      assert.equal(record_hash, recordHash(previous, canonicalJson(body)))
      previous = record_hash
    }
    assert.equal(audit_log.head(tenant), previous)
  }
})

test("a receipt is proven by the tenant's key and by no other", async () => {
  const audit_log = new MemoryAuditLog()
  const entries = Array.from({ length: 300 }, () => entryOf('acme'))
  for (const entry of entries) audit_log.record(entry)
  const { public_key } = await audit_log.forTenant('acme').sign(Buffer.from('x'))
  const rival = await audit_log.forTenant('rival').sign(Buffer.from('x'))
  for (const entry of [entries[0]!, entries[255]!, entries[299]!]) {
    const receipt = await audit_log.receipt('acme', entry.correlation_id, entry.id)
    assert.deepEqual(await verifyReceipt(receipt, [public_key]), { ok: true })
    assert.equal((await verifyReceipt(receipt, [rival.public_key])).ok, false)
    assert.equal((await verifyReceipt({ ...receipt, inclusion_path: [] }, [public_key])).ok, false)
    assert.equal((await verifyReceipt({ ...receipt, tree_size: 299 }, [public_key])).ok, false)
    assert.equal((await verifyReceipt({ ...receipt, checkpoint: '' }, [public_key])).ok, false)
  }
  await assert.rejects(
    audit_log.receipt('rival', entries[0]!.correlation_id, entries[0]!.id),
    /not in the chain/,
  )
})

test('the ring drops the oldest records and still proves the newest', async () => {
  const audit_log = new MemoryAuditLog({ records_max: 10 })
  const entries = Array.from({ length: 100 }, () => entryOf('acme'))
  for (const entry of entries) audit_log.record(entry)
  assert.ok(audit_log.records('acme').length <= 15)
  assert.equal(audit_log.records('acme').at(-1)?.seq, 100)
  const last = entries.at(-1)!
  assert.equal((await audit_log.receipt('acme', last.correlation_id, last.id)).tree_size, 100)
})

test('inputs, unknown events and faults behave as in the real audit log', async () => {
  let unknown = 0
  const audit_log = new MemoryAuditLog({ onUnknownEvent: () => unknown++ })
  assert.equal(audit_log.ready('acme'), undefined)
  const entry = entryOf('acme', { event_type: 'Nonsense' })
  const commitment = audit_log.commitment('acme', entry.id, '{"a":1}')
  audit_log.record(entry, { commitment, text: '{"a":1}' })
  assert.deepEqual(await audit_log.forTenant('acme').openInputs([commitment, 'none']), {
    [commitment]: { a: 1 },
  })
  assert.equal(unknown, 1)
  assert.equal(audit_log.records('acme')[0]?.event_type, 'Error')
  const next = entryOf('acme')
  audit_log.record(next)
  const name = { tenant_id: 'acme', record_id: next.id, correlation_id: next.correlation_id }
  const { record, tree_size, chain_head } = await audit_log.committed(name)
  assert.deepEqual([record.seq, tree_size, chain_head], [2, 2, record.record_hash])
  await assert.rejects(audit_log.committed({ ...name, record_id: 'another' }), /is not in the chain/)
  audit_log.record(entryOf('No Tenant'))
  await assert.rejects(audit_log.written(), /no tenant id/)
  audit_log.failWrites(new Error('disk full'))
  audit_log.record(entryOf('acme'))
  await assert.rejects(audit_log.written(), /disk full/)
  assert.equal(audit_log.records('acme').length, 2)
  audit_log.setState('overflow')
  assert.equal(audit_log.state(), 'overflow')
})
