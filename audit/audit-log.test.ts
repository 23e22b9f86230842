import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, mock, test } from 'node:test'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import { Pool } from 'pg'
import { type TestDatabase, testDatabase } from '../checks/rehearsal/test-database.ts'
import { eventually } from '../checks/suite/eventually.ts'
import { listSegments, segmentPath } from './journal/journal-directory.ts'
import { proveRecord } from './query/audit-log-reads.ts'
import { clientQuery } from './query/client-query.ts'
import {
  asOwner,
  entryOf,
  newFolder,
  openTestAuditLog,
  recorded,
  recordIds,
  rotateTestKey,
  verifyChain,
} from './test-audit-log.ts'
import { storedRecords } from './test-stored.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

test('records of several tenants become one verified chain each, in order', async (t) => {
  const audit_log = await openTestAuditLog(database.url, await newFolder(), { segment_bytes: 100_000 })
  t.after(() => audit_log.close())
  const sent = new Map<string, string[]>(['alpha', 'beta', 'gamma'].map((tenant) => [tenant, []]))
  for (let turn = 0; turn < 60; turn++) {
    for (const [tenant, ids] of sent) {
      for (let i = 0; i <= turn % 9; i++) {
        const entry = entryOf(tenant, { meta: { turn, i } })
        ids.push(entry.id)
        audit_log.record(entry)
      }
    }
    await audit_log.written()
  }
  await audit_log.flush()
  for (const [tenant, ids] of sent) {
    const verdict = await verifyChain(database.url, tenant)
    assert.equal(verdict.reason, undefined)
    assert.equal(verdict.records, ids.length)
    assert.equal(verdict.head, await headInDatabase(tenant))
    assert.deepEqual(await recordIds(database.url, tenant), ids)
  }
  assert.equal(audit_log.pending_bytes(), 0)
  assert.equal(audit_log.state(), 'normal')
  await audit_log.close()
})

function headInDatabase(tenant_id: string): Promise<string> {
  return asOwner(database.url, async (client) => {
    const sql = `SELECT encode(head_hash, 'hex') AS head FROM chain_heads WHERE tenant_id = $1`
    return (await client.query(sql, [tenant_id])).rows[0].head
  })
}

test('an answer waits for the journal, the head follows the commit, and a receipt proves the record', async (t) => {
  const audit_log = await openTestAuditLog(database.url, await newFolder(), { fsync: 'always' })
  t.after(() => audit_log.close())
  await audit_log.ready('receipts')
  assert.equal(audit_log.ready('receipts'), undefined)
  assert.equal(audit_log.head('receipts'), null)
  const key = await audit_log.forTenant('receipts').sign(Buffer.from('a'))
  for (let i = 0; i < 30; i++) {
    const entry = entryOf('receipts')
    audit_log.record(entry)
    await audit_log.written()
    assert.ok(audit_log.pending_bytes() >= 0)
    const receipt = await audit_log.receipt('receipts', entry.correlation_id, entry.id)
    assert.deepEqual(await verifyReceipt(receipt, [key.public_key]), { ok: true })
    assert.equal(receipt.record.seq, i + 1)
    assert.equal(audit_log.head('receipts'), receipt.record.record_hash)
    const other = { ...receipt, record: { ...receipt.record, latency_ms: 9 } }
    assert.equal((await verifyReceipt(other, [key.public_key])).ok, false)
  }
  await assert.rejects(audit_log.receipt('receipts', entryOf('x').id, entryOf('x').id), /is not in the chain/)
  await audit_log.close()
})

test('a receipt and a place need no question to the database, and are those that the database gives', async (t) => {
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  t.after(() => audit_log.close())
  for (let n = 0; n < 300; n++) audit_log.record(entryOf('proved'))
  const entry = entryOf('proved')
  audit_log.record(entry)
  const { id: record_id, correlation_id } = entry
  const statements = mock.method(Pool.prototype, 'query')
  t.after(() => statements.mock.restore())
  const name = { tenant_id: 'proved', correlation_id, record_id }
  const [receipt, place] = await Promise.all([
    audit_log.receipt('proved', correlation_id, record_id),
    audit_log.committed(name),
  ])
  assert.equal(statements.mock.callCount(), 0)
  await asOwner(database.url, async (client) => {
    const { chain_head, ...proof } = await proveRecord(clientQuery(client), receipt.record)
    assert.deepEqual(receipt, proof)
    const { record, tree_size } = proof
    assert.deepEqual(place, { record, tree_size, chain_head })
  })
})

test('two audit logs interleaved on one database give one gap-free chain per tenant', async () => {
  const audit_logs = await Promise.all(
    [1, 2].map(async () => openTestAuditLog(database.url, await newFolder())),
  )
  const ids = new Set<string>()
  for (let turn = 0; turn < 100; turn++) {
    for (const audit_log of audit_logs) {
      for (const tenant of ['shared-a', 'shared-b']) {
        const entry = entryOf(tenant)
        ids.add(entry.id)
        audit_log.record(entry)
      }
      await audit_log.written()
    }
  }
  await Promise.all(audit_logs.map((audit_log) => audit_log.flush()))
  const records = [
    ...(await recordIds(database.url, 'shared-a')),
    ...(await recordIds(database.url, 'shared-b')),
  ]
  assert.equal(records.length, 400)
  assert.deepEqual(new Set(records), ids)
  for (const tenant of ['shared-a', 'shared-b']) assert.ok((await verifyChain(database.url, tenant)).ok)
  await Promise.all(audit_logs.map((audit_log) => audit_log.close()))
})

test('committed segments are deleted and a clean restart writes nothing twice', async () => {
  const dir = await newFolder()
  const ids: string[] = []
  for (let run = 0; run < 3; run++) {
    const audit_log = await openTestAuditLog(database.url, dir, { segment_bytes: 2_000 })
    for (let i = 0; i < 20; i++) {
      const entry = entryOf('restarts')
      ids.push(entry.id)
      audit_log.record(entry)
      await audit_log.written()
    }
    await audit_log.close()
    assert.ok(listSegments(dir).size <= 2, 'old segments are gone')
    assert.ok(!readdirSync(dir).includes('lock'))
  }
  assert.deepEqual(await recordIds(database.url, 'restarts'), ids)
})

test('segments being synced when they were committed are deleted on closing', async (t) => {
  const disk = Promise.withResolvers<void>()
  let syncs = 0
  const sync = () => {
    syncs++
    return disk.promise
  }
  const dir = await newFolder()
  const audit_log = await openTestAuditLog(database.url, dir, { segment_bytes: 2_000, files: { sync } })
  t.after(() => audit_log.close())
  await audit_log.ready('slow-disk')
  await asOwner(database.url, async (client) => {
    // Nothing is committed, and so nothing deleted, until the disk is busy with all of it.
    await client.query("BEGIN; SELECT FROM chain_heads WHERE tenant_id = 'slow-disk' FOR UPDATE")
    for (let i = 0; i < 20; i++) {
      audit_log.record(entryOf('slow-disk'))
      await audit_log.written()
    }
    await eventually(() => assert.ok(syncs > 2))
    await client.query('COMMIT')
  })
  await audit_log.flush()
  const closing = audit_log.close()
  disk.resolve()
  await closing
  assert.ok(listSegments(dir).size <= 2, `${listSegments(dir).size} segments are left`)
})

test('retained inputs are sealed on disk and in the audit log, opened by commitment, and redacted singly', async (t) => {
  const dir = await newFolder()
  const audit_log = await openTestAuditLog(database.url, dir)
  t.after(() => audit_log.close())
  await audit_log.ready('inputs')
  const texts = ['{"secret":"canary-one"}', '{"secret":"canary-two"}', '"canary-one"']
  const hashes = texts.map((text) => {
    const entry = entryOf('inputs')
    const commitment = audit_log.commitment('inputs', entry.id, text)
    audit_log.record(entry, { commitment, text })
    return commitment
  })
  const first = hashes[0]!
  assert.notEqual(
    first,
    audit_log.commitment('inputs', entryOf('inputs').id, texts[0]!),
    'the salt differs by record',
  )
  await audit_log.flush()
  const journal = readFileSync(segmentPath(dir, 1), 'latin1')
  assert.ok(journal.includes('"tenant_id":"inputs"'))
  assert.ok(!journal.includes('canary'))
  const tenant = audit_log.forTenant('inputs')
  assert.deepEqual(await tenant.openInputs([...hashes, 'f'.repeat(64)]), {
    [first]: { secret: 'canary-one' },
    [hashes[1]!]: { secret: 'canary-two' },
    [hashes[2]!]: 'canary-one',
  })
  await asOwner(database.url, async (client) => {
    await client.query('UPDATE audit_inputs SET wrapped_key = NULL WHERE input_hash = $1', [first])
    const { rows } = await client.query('SELECT sealed FROM audit_inputs')
    for (const row of rows) assert.ok(!row.sealed.toString('latin1').includes('canary'))
  })
  const after_redaction = await tenant.openInputs(hashes.slice(0, 2))
  assert.deepEqual(after_redaction, { [first]: 'redacted', [hashes[1]!]: { secret: 'canary-two' } })
  assert.deepEqual(await audit_log.forTenant('other').openInputs(hashes), {})
  assert.ok((await verifyChain(database.url, 'inputs')).ok)
  await audit_log.close()
})

test('an unknown event is stored as Error and counted, never dropped', async (t) => {
  let unknown = 0
  const onUnknownEvent = () => unknown++
  const audit_log = await openTestAuditLog(database.url, await newFolder(), { onUnknownEvent })
  t.after(() => audit_log.close())
  const record = await recorded(audit_log, entryOf('unknown', { event_type: 'Nonsense' }))
  assert.equal(record.event_type, 'Error')
  assert.deepEqual(record.meta.supplied, { original_event_type: 'Nonsense' })
  assert.equal(unknown, 1)
  await audit_log.close()
})

test('an invalid entry becomes a record that says so', async (t) => {
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  t.after(() => audit_log.close())
  const append = (more: object) => recorded(audit_log, entryOf('hostile', more))
  const odd = [
    { operation: 'a\u0000b\nc', caller_did: '', protocol: '\ud800' },
    { meta: { text: '\u0000 \u2028 ,"tenant_id":"other' } },
    { timestamp: '2026-02-31T00:00:00Z' },
    { timestamp: '0000-01-01T00:00:00Z' },
    { operation: undefined, protocol: undefined },
  ]
  for (const more of odd) assert.equal((await append(more)).event_type, 'ProtocolInvocation')
  assert.equal((await append({ meta: { bad: '\udfff' } })).meta.unrecordable, 'meta')
  assert.equal((await append({ meta: { big: 'x'.repeat(300_000) } })).meta.unrecordable, 'meta')
  assert.equal((await append({ latency_ms: Number.NaN })).meta.unrecordable, 'latency_ms')
  assert.ok((await verifyChain(database.url, 'hostile')).ok)
  audit_log.record(entryOf('Not A Tenant'))
  await assert.rejects(audit_log.written(), /no tenant id/)
  await audit_log.close()
  audit_log.record(entryOf('hostile'))
  await assert.rejects(audit_log.written(), /closed/)
})

test('checkpoints before and after a rotation are signed by the key of their time', async (t) => {
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  t.after(() => audit_log.close())
  const tenant = audit_log.forTenant('rotating')
  await recorded(audit_log, entryOf('rotating'))
  const first = await tenant.sign(Buffer.from('x'))
  const { new_key_id } = await rotateTestKey(database.url, 'rotating')
  await recorded(audit_log, entryOf('rotating'))
  const second = await tenant.sign(Buffer.from('x'))
  assert.equal(second.key_id, new_key_id)
  assert.notEqual(second.key_id, first.key_id)
  assert.ok((await verifyChain(database.url, 'rotating')).ok)
  // The old key signed the record that names the new one, so either vouches for both; an unrelated key vouches for nothing.
  for (const { public_key } of [first, second])
    assert.ok((await verifyChain(database.url, 'rotating', { trustedKeys: [public_key] })).verified)
  const strange = await verifyChain(database.url, 'rotating', { trustedKeys: ['A'.repeat(43)] })
  assert.match(strange.reason ?? '', /not among the keys you trust/)
  await audit_log.close()
})

test('the fan-out is notified after a commit, when records can be read', async (t) => {
  const reads: Promise<string[]>[] = []
  const onCommitted = () => void reads.push(recordIds(database.url, 'told'))
  const audit_log = await openTestAuditLog(database.url, await newFolder(), { onCommitted })
  t.after(() => audit_log.close())
  const entry = entryOf('told')
  audit_log.record(entry)
  await audit_log.flush()
  assert.deepEqual(await reads[0], [entry.id])
  await audit_log.close()
})

test("a sealed chain takes no append; later records go to the operator's chain", async (t) => {
  const audit_log = await openTestAuditLog(database.url, await newFolder(), {
    operator_tenant_id: 'the-operator',
  })
  t.after(() => audit_log.close())
  audit_log.record(entryOf('ending'))
  audit_log.record(entryOf('ending', { event_type: 'ChainSealed' }))
  audit_log.record(entryOf('ending', { meta: { n: 1 } }))
  await audit_log.flush()
  audit_log.record(entryOf('ending', { meta: { n: 2 } }))
  await audit_log.flush()
  assert.equal((await verifyChain(database.url, 'ending')).records, 2)
  const records = await asOwner(database.url, (client) => storedRecords(client, 'the-operator'))
  const metas = records.map(({ body }) => JSON.parse(body!).meta)
  assert.deepEqual(metas, [
    { n: 1, sealed_tenant_id: 'ending' },
    { n: 2, sealed_tenant_id: 'ending' },
  ])
  await asOwner(database.url, async (client) => {
    await assert.rejects(client.query(`UPDATE chain_heads SET seq = 9 WHERE tenant_id = 'ending'`), /sealed/)
    const copy = `INSERT INTO audit_tail SELECT tenant_id, first_seq + 9, last_seq + 9, before_hash, hashes, from_at,
      to_at, format, bytes FROM audit_tail WHERE tenant_id = 'ending'`
    await assert.rejects(client.query(copy), /sealed/)
  })
  await audit_log.close()
})

test('a turn of thousands of records with large inputs is written completely, in frames that fit', async (t) => {
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  t.after(() => audit_log.close())
  const text = JSON.stringify({ text: '"'.repeat(2_000_000) })
  const ids: string[] = []
  for (let i = 0; i < 5_000; i++) {
    const entry = entryOf('crowd')
    ids.push(entry.id)
    audit_log.record(entry, i % 1_000 === 0 ? { commitment: `c${i}`, text } : undefined)
  }
  audit_log.record(entryOf('crowd', { id: ids[0] }), {
    commitment: 'huge',
    text: `"${'x'.repeat(9_000_000)}"`,
  })
  await audit_log.written()
  await audit_log.flush()
  assert.deepEqual((await recordIds(database.url, 'crowd')).slice(0, -1), ids)
  const inputs = await audit_log.forTenant('crowd').openInputs(['c0', 'c4000', 'huge'])
  assert.deepEqual(inputs, { c0: JSON.parse(text), c4000: JSON.parse(text) })
  await audit_log.close()
})

test('a projection commits or rolls back with its records', async (t) => {
  await asOwner(database.url, (client) =>
    client.query(
      'CREATE TABLE projected (tenant_id text, seq bigint); GRANT INSERT ON projected TO svc_engine',
    ),
  )
  const source = `let calls = 0
    export const projections = [async (client, records) => {
      for (const { tenant_id, seq } of records) await client.query('INSERT INTO projected VALUES ($1, $2)', [tenant_id, seq])
      if (++calls < 3) throw new Error('not yet')
    }]`
  const projection_modules = [`data:text/javascript,${encodeURIComponent(source)}`]
  const audit_log = await openTestAuditLog(database.url, await newFolder(), { projection_modules })
  t.after(() => audit_log.close())
  for (let i = 0; i < 3; i++) audit_log.record(entryOf('projected'))
  await audit_log.flush()
  assert.equal((await verifyChain(database.url, 'projected')).records, 3)
  const { rows } = await asOwner(database.url, (client) =>
    client.query('SELECT * FROM projected ORDER BY seq'),
  )
  assert.deepEqual(
    rows.map((row) => `${row.tenant_id} ${row.seq}`),
    ['projected 1', 'projected 2', 'projected 3'],
  )
  await audit_log.close()
})
