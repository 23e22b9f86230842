import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import type { AuditLog } from '../audit-log.ts'
import { proveRecord } from '../query/audit-log-reads.ts'
import { clientQuery } from '../query/client-query.ts'
import {
  asOwner,
  entryOf,
  newFolder,
  openTestAuditLog,
  rotateTestKey,
  verifyChain,
} from '../test-audit-log.ts'
import { storedRecords } from '../test-stored.ts'
import { recordOf } from './stored-record.ts'

const tenant_id = 'thinned'
let database: TestDatabase
let audit_log: AuditLog

before(async () => {
  database = await testDatabase()
  audit_log = await openTestAuditLog(database.url, await newFolder())
  await audit_log.ready(tenant_id)
})
after(async () => {
  await audit_log.close()
  await database.close()
})

/** In batches of 64, each with a checkpoint. */
async function grow(records: number): Promise<void> {
  for (let left = records; left > 0; left -= 64) {
    for (let i = 0; i < Math.min(64, left); i++) audit_log.record(entryOf(tenant_id))
    await audit_log.flush()
  }
}

function sizes(from: number, to: number): Promise<number[]> {
  return asOwner(database.url, async (client) => {
    const { rows } = await client.query<{ size: string }>(
      'SELECT size FROM audit_checkpoints WHERE tenant_id = $1 AND size BETWEEN $2 AND $3 ORDER BY size',
      [tenant_id, from, to],
    )
    return rows.map(({ size }) => Number(size))
  })
}

test('of a full page one checkpoint stays, and those that a witness or an older key signed', async () => {
  await grow(128)
  await rotateTestKey(database.url, tenant_id)
  await grow(64)
  const [rotated_at] = await sizes(129, 192)
  const cosigned = (await sizes(129, 255)).at(-1)!
  await asOwner(database.url, (client) =>
    client.query(`INSERT INTO audit_cosignatures VALUES ($1, 'w.example', '00000000', $2, $3)`, [
      tenant_id,
      cosigned,
      `— w.example ${Buffer.alloc(76).toString('base64')}\n`,
    ]),
  )
  await grow(10)
  await grow(20)
  await grow(600)
  assert.deepEqual(await sizes(1, 256), [rotated_at, cosigned, 223])
  assert.equal((await sizes(257, 512)).length, 1)
  assert.equal((await sizes(513, 768)).length, 4, 'the newest page keeps all')
})

test('every record can still be proved, and the log verifies', async () => {
  await asOwner(database.url, async (client) => {
    const records = (await storedRecords(client, tenant_id)).map(recordOf)
    for (const seq of [1, 64, 128, 200, 256, 257]) {
      const receipt = await proveRecord(clientQuery(client), records[seq - 1]!)
      assert.ok(receipt.tree_size >= seq)
    }
  })
  const verdict = await verifyChain(database.url, tenant_id)
  assert.equal(verdict.ok, true, JSON.stringify(verdict))
})

test('nobody deletes the last checkpoint of a page, nor any of an open one', async () => {
  const [last] = (await sizes(257, 512)).slice(-1)
  const newest = (await sizes(1, Number.MAX_SAFE_INTEGER)).slice(-2)
  for (const size of [last, newest[0]])
    await assert.rejects(
      asOwner(database.url, (client) =>
        client.query('DELETE FROM audit_checkpoints WHERE tenant_id = $1 AND size = $2', [tenant_id, size]),
      ),
      /only for a later one of the same full page/,
    )
})
