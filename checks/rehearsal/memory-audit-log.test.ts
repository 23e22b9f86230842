import assert from 'node:assert/strict'
import test from 'node:test'
import type { Book } from '@svc/audit/audit-log'
import { entryOf } from '@svc/audit/test-audit-log'
import { genesis_hash, recordHash } from '@svc/contract/audit/audit-record'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { AuditBook } from '@svc/engine/ports'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import { MemoryBook } from './memory-audit-log.ts'

test('the real book is what the engine asks for', () => {
  // The compiler is the check: the folder of the book may not import the engine.
  const asPort: (book: Book) => AuditBook = (book) => book
  assert.equal(typeof asPort, 'function')
})

test('records link as in the real book, one chain a tenant', async () => {
  const book = new MemoryBook()
  assert.equal(book.head('acme'), null)
  for (let i = 0; i < 20; i++) book.record(entryOf(i % 2 ? 'acme' : 'rival'))
  await book.written()
  for (const tenant of ['acme', 'rival']) {
    let previous = genesis_hash
    for (const [i, record] of book.records(tenant).entries()) {
      const { previous_hash, record_hash, ...body } = record
      assert.equal(body.seq, i + 1)
      assert.equal(previous_hash, previous)
      assert.equal(record_hash, recordHash(previous, canonicalJson(body)))
      previous = record_hash
    }
    assert.equal(book.head(tenant), previous)
  }
})

test('a receipt is proven by the key of the tenant and by no other', async () => {
  const book = new MemoryBook()
  const entries = Array.from({ length: 300 }, () => entryOf('acme'))
  for (const entry of entries) book.record(entry)
  const { public_key } = await book.forTenant('acme').sign(Buffer.from('x'))
  const rival = await book.forTenant('rival').sign(Buffer.from('x'))
  for (const entry of [entries[0]!, entries[255]!, entries[299]!]) {
    const receipt = await book.receipt('acme', entry.correlation_id, entry.id)
    assert.deepEqual(await verifyReceipt(receipt, [public_key]), { ok: true })
    assert.equal((await verifyReceipt(receipt, [rival.public_key])).ok, false)
    assert.equal((await verifyReceipt({ ...receipt, inclusion_path: [] }, [public_key])).ok, false)
    assert.equal((await verifyReceipt({ ...receipt, tree_size: 299 }, [public_key])).ok, false)
    assert.equal((await verifyReceipt({ ...receipt, checkpoint: '' }, [public_key])).ok, false)
  }
  await assert.rejects(book.receipt('rival', entries[0]!.correlation_id, entries[0]!.id), /not in the chain/)
})

test('the ring forgets the oldest records and goes on proving the newest', async () => {
  const book = new MemoryBook({ records_max: 10 })
  const entries = Array.from({ length: 100 }, () => entryOf('acme'))
  for (const entry of entries) book.record(entry)
  assert.ok(book.records('acme').length <= 15)
  assert.equal(book.records('acme').at(-1)?.seq, 100)
  const last = entries.at(-1)!
  assert.equal((await book.receipt('acme', last.correlation_id, last.id)).tree_size, 100)
})

test('inputs, unknown events and faults behave as in the real book', async () => {
  let unknown = 0
  const book = new MemoryBook({ onUnknownEvent: () => unknown++ })
  assert.equal(book.ready('acme'), undefined)
  const entry = entryOf('acme', { event_type: 'Nonsense' })
  const commitment = book.commitment('acme', entry.id, '{"a":1}')
  book.record(entry, { commitment, text: '{"a":1}' })
  assert.deepEqual(await book.forTenant('acme').openInputs([commitment, 'none']), { [commitment]: { a: 1 } })
  assert.equal(unknown, 1)
  assert.equal(book.records('acme')[0]?.event_type, 'Error')
  const next = entryOf('acme')
  book.record(next)
  const name = { tenant_id: 'acme', record_id: next.id, correlation_id: next.correlation_id }
  const { record, tree_size, chain_head } = await book.committed(name)
  assert.deepEqual([record.seq, tree_size, chain_head], [2, 2, record.record_hash])
  await assert.rejects(book.committed({ ...name, record_id: 'another' }), /is not in the chain/)
  book.record(entryOf('No Tenant'))
  await assert.rejects(book.written(), /no tenant id/)
  book.failWrites(new Error('disk full'))
  book.record(entryOf('acme'))
  await assert.rejects(book.written(), /disk full/)
  assert.equal(book.records('acme').length, 2)
  book.setState('overflow')
  assert.equal(book.state(), 'overflow')
})
