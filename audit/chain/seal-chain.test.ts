import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verifyExport } from '@svc/sdk/verify/export'
import { Pool } from 'pg'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import type { AuditLog } from '../audit-log.ts'
import { queryOf } from '../query/query.ts'
import {
  asOwner,
  entryOf,
  exportLines,
  newFolder,
  openTestAuditLog,
  test_root_keys,
  verifyChain,
} from '../test-audit-log.ts'
import { probeKeys } from './keys.ts'
import { sealChain } from './seal-chain.ts'

let database: TestDatabase
let audit_log: AuditLog
before(async () => {
  database = await testDatabase()
  audit_log = await openTestAuditLog(database.url, await newFolder())
})
after(async () => {
  await audit_log.close()
  await database.close()
})

function orderOf(tenant_id: string) {
  const { id, correlation_id, timestamp, caller_did } = entryOf(tenant_id)
  return { id, correlation_id, timestamp, caller_did, tenant_id, meta: { reason: 'wound up' } }
}

async function filled(tenant_id: string): Promise<string> {
  await audit_log.ready(tenant_id)
  for (let i = 0; i < 3; i++) audit_log.record(entryOf(tenant_id))
  await audit_log.flush()
  return audit_log.head(tenant_id)!
}

test('a chain ends with the record that says so, under a last signature, and its key is destroyed', async () => {
  const head = await filled('ended')
  const wrong = { ...orderOf('ended'), expected_head: '0'.repeat(64) }
  await assert.rejects(audit_log.forTenant('ended').seal(wrong), { details: { reason: 'head moved', head } })
  const seal = await audit_log.forTenant('ended').seal({ ...orderOf('ended'), expected_head: head })
  assert.deepEqual([seal.final_seq, seal.final_hash], [4, audit_log.head('ended')])
  const verdict = await verifyChain(database.url, 'ended', {
    trustedKeys: [seal.public_key],
    checkpoints: [seal.checkpoint],
  })
  assert.deepEqual([verdict.ok, verdict.sealed, verdict.head], [true, true, seal.final_hash])
  const keys = await asOwner(database.url, (client) =>
    client.query(`SELECT FROM audit_keys WHERE tenant_id = 'ended' AND sealed_private IS NOT NULL`),
  )
  assert.equal(keys.rowCount, 0)
  await assert.rejects(audit_log.forTenant('ended').sign(Buffer.from('more')), /destroyed/)
  assert.deepEqual(await audit_log.forTenant('ended').seal(orderOf('ended')), seal)
})

test("later records about a sealed chain, also with a receipt, go to the operator's chain", async () => {
  await filled('silent')
  await audit_log.forTenant('silent').seal(orderOf('silent'))
  const later = entryOf('silent', { meta: { n: 1 } })
  audit_log.record(later)
  const receipt = await audit_log.receipt('silent', later.correlation_id, later.id)
  assert.deepEqual([receipt.record.tenant_id, receipt.record.meta.sealed_tenant_id], ['operator', 'silent'])
  assert.equal((await verifyChain(database.url, 'silent')).records, 4)
})

test('no record can be forged behind a seal, and a master key is not blamed for destroyed keys', async () => {
  await filled('forged')
  await audit_log.forTenant('forged').seal(orderOf('forged'))
  const lines = await exportLines(database.url, 'forged')
  const { record_hash } = JSON.parse(lines[4]!)
  const forged = lines.with(0, lines[0]!.replace('"to_seq":4', '"to_seq":5'))
  const extra = JSON.stringify({ record: { ...JSON.parse(lines[4]!).record, seq: 5 }, record_hash })
  const verdict = await verifyExport(forged.toSpliced(5, 0, extra))
  assert.deepEqual([verdict.ok, verdict.first_bad_seq], [false, 5])
  const probe = await asOwner(database.url, (client) => probeKeys(queryOf(client), test_root_keys))
  assert.deepEqual(probe.unopened, [])
})

test('two concurrent seals find one end; an empty chain can end as well', async () => {
  const pool = new Pool({ connectionString: database.url, max: 4 })
  // A connection may still be closing when the database is dropped under it.
  pool.on('error', () => {})
  try {
    const seals = await Promise.all(
      Array.from({ length: 4 }, () => sealChain(pool, test_root_keys, orderOf('raced'))),
    )
    assert.deepEqual(new Set(seals.map(({ final_hash }) => final_hash)).size, 1)
    assert.equal(seals[0]!.final_seq, 1)
  } finally {
    await pool.end()
  }
})
