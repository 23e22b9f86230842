import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '@svc/contract/database'
import { verifyExport } from '@svc/sdk/verify/export'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import fc from 'fast-check'
import {
  type ArchiveScene,
  begin_ms,
  callers,
  correlationOf,
  full_pages,
  openArchiveScene,
  record_count,
  tenant_id,
} from '../../checks/log-archive/archive-scene.ts'
import { hashAt } from '../pages/read-hashes.ts'
import { findRecord, proveRecord } from '../query/audit-log-reads.ts'
import { callEdges } from '../query/call-edges.ts'
import { authoritiesUsed, gatherEvidence } from '../query/control-query.ts'
import { exportChain } from '../query/export.ts'
import { queryOf } from '../query/query.ts'
import type { RecordFilter } from '../query/record-filter.ts'
import { correlationsNaming, findRecords, publicKeys } from '../query/records.ts'
import { replayRecord, spanFaults } from '../query/replay.ts'
import { countSpan, firstUnsound, spanOf, verifySpan } from '../query/span.ts'
import { readDue } from '../sinks/fan-out-store.ts'
import { asOwner } from '../test-audit-log.ts'
import { archiveBatch } from './archive-pages.ts'

let scene: ArchiveScene
before(async () => {
  scene = await openArchiveScene()
})
after(() => scene.close())

const span = { first_seq: 1, last_seq: record_count }
const at = (second: number) => new Date(begin_ms + second * 1_000).toISOString()
const period = { from: at(200), to: at(900) }

const maybe = <Value>(values: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values })
const moment = fc.integer({ min: -4_000, max: 1_500 }).map(at)
const seq = fc.integer({ min: 0, max: record_count + 2 })
const filters = fc.record({
  correlation_ids: maybe(
    fc.array(fc.nat(record_count - 1).map(correlationOf), { minLength: 1, maxLength: 3 }),
  ),
  event_types: maybe(fc.subarray(['ProtocolInvocation', 'TreatySigned', 'custom.rare'], { minLength: 1 })),
  protocol: maybe(fc.constantFrom('MAX', 'MOAT', 'NONE')),
  operation: maybe(fc.constantFrom('audit_query', 'odd\ufffdname')),
  outcome: maybe(fc.constantFrom('success', 'refused')),
  caller_did: maybe(fc.constantFrom(...callers)),
  from: maybe(moment),
  to: maybe(moment),
  after_seq: maybe(seq),
  before_seq: maybe(seq),
  newest_first: fc.boolean(),
  limit: fc.constantFrom(1, 20, 300, 2_000),
})
const searches = fc.sample(filters, { numRuns: 60, seed: 5 }).map((drawn) => {
  const set = Object.entries(drawn).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set) as unknown as RecordFilter
})

/** Everything that reads records, one answer each. */
async function answers(db: Database): Promise<Record<string, unknown>> {
  const query = queryOf(db)
  const searched = []
  for (const filter of searches) searched.push(await findRecords(db, tenant_id, filter))
  const name = { tenant_id, correlation_id: correlationOf(3), record_id: searched.flat()[0]!.id }
  const [record] = await findRecords(db, tenant_id, { after_seq: 399, limit: 1 })
  return {
    searched,
    one: await findRecord(query, [tenant_id], { ...name, ...record!, record_id: record!.id }),
    receipt: await proveRecord(query, record!),
    replayed: await replayRecord(db, tenant_id, (await hashAt(query, tenant_id, 300))!),
    exported: await Array.fromAsync(exportChain(db, tenant_id)),
    part: await Array.fromAsync(exportChain(db, tenant_id, { from_seq: 250, to_seq: 600 })),
    period: await spanOf(db, tenant_id, period.from, period.to),
    counts: await countSpan(db, tenant_id, span),
    verdict: await verifySpan(db, tenant_id, span),
    unsound: await firstUnsound(db, tenant_id, [1, 256, 257, 1_000, record_count]),
    faults: await spanFaults(db, tenant_id, 1, record_count),
    edges: await callEdges(query, tenant_id, period),
    refusals: await gatherEvidence(db, tenant_id, span, [{ outcomes: ['refused'] }]),
    authorities: await authoritiesUsed(db, tenant_id, span, 10),
    naming: await correlationsNaming(db, tenant_id, ['custom.rare'], ['rare'], 10),
  }
}

async function stored(): Promise<{ hot: number; cold: number; queued: number; digest: string }> {
  return await asOwner(scene.database.url, async (client) => {
    const { rows } = await client.query(
      `SELECT count(bytes)::int AS hot, (count(*) - count(bytes))::int AS cold,
         (SELECT count(*)::int FROM audit_hot_pages) AS queued,
         encode(sha256(string_agg(p.*::text, ',' ORDER BY page)::bytea), 'hex') AS digest
       FROM (SELECT tenant_id, page, last_seq, before_hash, hashes, keys, from_at, to_at, latest_at, is_late, format,
         part_ends, sha256 FROM audit_pages) AS p JOIN audit_pages USING (tenant_id, page)`,
    )
    return rows[0]
  })
}

test('every answer is the same before pages are archived, afterwards, and once they are back', async () => {
  const hot = await scene.fresh(answers)
  assert.deepEqual(hot.verdict, { ok: true, gaps: [] })
  assert.equal((hot.exported as string[]).filter((line) => line.startsWith('{"record"')).length, record_count)
  const rows_before = await stored()
  assert.deepEqual([rows_before.hot, rows_before.cold, rows_before.queued], [full_pages, 0, full_pages])

  const batch = await scene.archiveAll()
  assert.deepEqual([batch.claimed, batch.pages, batch.altered], [full_pages, full_pages, []])
  const rows_archived = await stored()
  assert.deepEqual(
    [rows_archived.hot, rows_archived.cold, rows_archived.queued, rows_archived.digest],
    [0, full_pages, 0, rows_before.digest],
  )
  const cold = await scene.fresh(answers)
  for (const [name, answer] of Object.entries(hot)) assert.deepEqual(cold[name], answer, name)
  const { ok } = await verifyExport(cold.exported as string[])
  assert.equal(ok, true)

  assert.equal(await scene.restoreAll(), full_pages)
  assert.deepEqual(await stored(), rows_before)
  assert.deepEqual(await scene.fresh(answers), hot)
})

test('a receipt from an archived page verifies, and a sink is sent archived records', async () => {
  await scene.archiveAll()
  await scene.fresh(async (db) => {
    const [record] = await findRecords(db, tenant_id, { after_seq: 299, limit: 1 })
    const receipt = await proveRecord(queryOf(db), record!)
    const keys = (await publicKeys(db, tenant_id)).map(({ public_key }) => public_key)
    assert.equal((await verifyReceipt(receipt, keys)).ok, true)
  })
  const due = [{ tenant_id, seq: 0, record_hash: '0'.repeat(64) }]
  const limits = { rows_max: 300, bytes_max: 1e9 }
  const { engine_pool, engine } = scene.store
  assert.equal((await readDue(engine_pool, due, limits, engine.page_archive)).length, 300)
  await scene.restoreAll()
})

test('pages younger than asked, and those another engine claims, stay', async () => {
  const { store, pages } = scene
  const old = { older_than: new Date(begin_ms), claim_s: 60 }
  assert.equal((await archiveBatch(store.engine, pages, old)).claimed, 0)
  await asOwner(scene.database.url, (client) =>
    client.query(`UPDATE audit_hot_pages SET claimed_until = 'infinity' WHERE page > 1`),
  )
  const batch = await scene.archiveAll()
  assert.equal(batch.pages, 2)
  await asOwner(scene.database.url, (client) =>
    client.query(`UPDATE audit_hot_pages SET claimed_until = '-infinity'`),
  )
  const at_once = await Promise.all([scene.archiveAll(), scene.archiveAll(), scene.archiveAll()])
  assert.deepEqual(
    at_once.flatMap(({ altered }) => altered),
    [],
  )
  assert.equal((await stored()).hot, 0)
  await scene.restoreAll()
})

test('two engines that archive the same page do no harm', async () => {
  // Both have claimed it, as after a claim that ended while its engine was slow.
  const copies: string[] = []
  scene.faults.put = async (name, bytes) => {
    copies.push(name)
    if (copies.length === 1) await scene.archiveAll()
    await scene.objects.put(name, bytes)
  }
  await scene.archiveAll()
  delete scene.faults.put
  assert.ok(new Set(copies).size < copies.length, 'some page was written twice')
  assert.equal((await stored()).hot, 0)
  const verdict = await scene.fresh((db) => verifySpan(db, tenant_id, span))
  assert.deepEqual(verdict, { ok: true, gaps: [] })
  await scene.restoreAll()
})

const page_bytes = 'SELECT bytes FROM audit_pages WHERE tenant_id = $1 AND page = 1'
const refused_changes: Record<string, string> = {
  'other bytes': `UPDATE audit_pages SET bytes = bytes || 'x' WHERE tenant_id = $1`,
  'the same bytes': `UPDATE audit_pages SET bytes = bytes WHERE tenant_id = $1`,
  'a hash': `UPDATE audit_pages SET bytes = NULL, sha256 = sha256('x') WHERE tenant_id = $1`,
  'a summary': `UPDATE audit_pages SET bytes = NULL, to_at = now() WHERE tenant_id = $1`,
  'keys alone': `UPDATE audit_pages SET keys[1] = 5 WHERE tenant_id = $1`,
  'a place': `UPDATE audit_pages SET bytes = NULL, page = page + 9, last_seq = last_seq + 2304 WHERE tenant_id = $1`,
  'a row that is deleted': 'DELETE FROM audit_pages WHERE tenant_id = $1',
}
for (const [name, change] of Object.entries(refused_changes)) {
  test(`the database refuses ${name}, also to its owner`, async () => {
    await asOwner(scene.database.url, async (client) => {
      await assert.rejects(client.query(change, [tenant_id]), /takes new rows only/)
    })
  })
}

test('only bytes with the page’s hash leave or come back, and only by the engine', async () => {
  await asOwner(scene.database.url, async (client) => {
    const { rows } = await client.query<{ bytes: Buffer }>(page_bytes, [tenant_id])
    const { bytes } = rows[0]!
    const setBytes = 'UPDATE audit_pages SET bytes = $2 WHERE tenant_id = $1 AND page = 1'
    await client.query(setBytes, [tenant_id, null])
    const other = Buffer.concat([bytes.subarray(0, -1), Buffer.from('x')])
    await assert.rejects(client.query(setBytes, [tenant_id, other]), /neither leave nor come back/)
    await assert.rejects(client.query(setBytes, [tenant_id, null]), /takes new rows only/)
    await client.query(setBytes, [tenant_id, bytes])
  })
  const change = { text: 'UPDATE audit_pages SET bytes = NULL WHERE page = 1', values: [] }
  await assert.rejects(
    scene.as(tenant_id, (db) => db.execute(change)),
    /permission denied/,
  )
  for (const text of ['SELECT FROM audit_hot_pages', 'UPDATE audit_hot_pages SET claimed_until = now()'])
    await assert.rejects(
      scene.as(tenant_id, (db) => db.execute({ text, values: [] })),
      /permission denied/,
    )
  const rest = { text: 'UPDATE audit_pages SET to_at = now() WHERE page = 1', values: [] }
  await assert.rejects(scene.store.engine.execute(rest), /permission denied/)
})
