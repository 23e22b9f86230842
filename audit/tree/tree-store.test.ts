import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { genesis_hash } from '@svc/contract/audit/audit-record'
import { app_role, tenant_setting } from '@svc/database/migration'
import { isGrownFrom } from '@svc/sdk/verify/paths'
import { rootOfPath } from '@svc/sdk/verify/tree'
import fc from 'fast-check'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { seqOfHash } from '../pages/read-hashes.ts'
import { callEdges } from '../query/call-edges.ts'
import type { Query } from '../query/client-query.ts'
import { queryOf } from '../query/query.ts'
import { asOwner, entryOf } from '../test-audit-log.ts'
import { storeRecords } from '../test-stored.ts'
import { leavesOf } from './leaves.ts'
import { appendLeaf, type Frontier, leafHash, rootOf } from './merkle.ts'
import { newestNote } from './signed-notes.ts'
import { parseTile, readTile } from './tiles.ts'
import { treeHead } from './tree-head.ts'
import { consistencyProof, inclusionProof } from './tree-store.ts'

/** Past 2^16, so that two stored levels are used. */
const count = 66_000
let database: TestDatabase
const hashes = Array.from({ length: count }, (_, i) =>
  createHash('sha256')
    .update(String(i + 1))
    .digest(),
)
const roots: string[] = ['']
/** Of the records only their hashes matter here. */
const fields = { ...entryOf('tall'), seq: 1 }

before(async () => {
  database = await testDatabase()
  const frontier: Frontier = []
  const nodes: { level: number; index: number; hash: string }[] = []
  for (const [i, hash] of hashes.entries()) {
    appendLeaf(frontier, i, leafHash(hash), (node) =>
      nodes.push({ ...node, hash: node.hash.toString('hex') }),
    )
    roots.push(rootOf(frontier).toString('hex'))
  }
  await asOwner(database.url, async (client) => {
    let previous_hash = genesis_hash
    const records = hashes.map((hash, i) => {
      const record_hash = hash.toString('hex')
      const record = { tenant_id: 'tall', seq: i + 1, body: '{}', fields, previous_hash, record_hash }
      previous_hash = record_hash
      return record
    })
    await storeRecords(client, records)
    await client.query(
      `INSERT INTO audit_tree SELECT 'tall', level, index, decode(hash, 'hex')
       FROM json_to_recordset($1) AS t(level smallint, index bigint, hash text)`,
      [JSON.stringify(nodes)],
    )
  })
})
after(() => database.close())

test('any record and any older size is proven from one query over a few short ranges', async () => {
  await asOwner(database.url, async (client) => {
    let rows_most = 0
    const ask = queryOf(client)
    const query: Query = async <Row>(sql: string, values: readonly unknown[]) => {
      const rows = await ask<Row>(sql, values)
      rows_most = Math.max(rows_most, rows.length)
      return rows
    }
    const size_of = fc.oneof(
      fc.integer({ min: 1, max: count }),
      fc.constantFrom(1, 255, 256, 257, 65_536, count),
    )
    await fc.assert(
      fc.asyncProperty(size_of, fc.nat(), async (size, at) => {
        const index = at % size
        const path = await inclusionProof(query, 'tall', index, size)
        const record_hash = hashes[index]!.toString('hex')
        assert.equal(await rootOfPath(record_hash, { index, size }, path), roots[size])
        const older = { size: index + 1, root: roots[index + 1]! }
        const proof = await consistencyProof(query, 'tall', older.size, size)
        assert.ok(await isGrownFrom(older, { size, root: roots[size]! }, proof))
      }),
      { numRuns: 60 },
    )
    assert.ok(rows_most <= 6 * 256, `${rows_most} rows`)
  })
})

test('a proof for a tree that does not exist is refused', async () => {
  await asOwner(database.url, async (client) => {
    const query = queryOf(client)
    await assert.rejects(inclusionProof(query, 'tall', 5, count + 1), /lacks its node/)
    await assert.rejects(inclusionProof(query, 'tall', 5, 5), RangeError)
    await assert.rejects(inclusionProof(query, 'nobody', 0, 2), /lacks its node/)
  })
})

test('no proof and no map scans a whole chain', async () => {
  await asOwner(database.url, async (client) => {
    await client.query('ANALYZE audit_pages, audit_tail, audit_terms, audit_tree')
    await client.query('INSERT INTO chain_heads (tenant_id, seq, head_hash) VALUES ($1, $2, $3)', ['tall', count, hashes.at(-1)]) // biome-ignore format: one thought
    await client.query(`BEGIN; SET LOCAL ROLE ${app_role}; SET LOCAL ${tenant_setting} = 'tall'`)
    const ask = queryOf(client)
    let queries = 0
    const query: Query = async <Row>(sql: string, values: readonly unknown[]) => {
      const plan = await ask<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, values)
      const text = plan.map((line) => line['QUERY PLAN']).join('\n')
      assert.doesNotMatch(text, /Seq Scan on audit_(pages|terms|tree)/, sql)
      queries++
      return await ask<Row>(sql, values)
    }
    assert.equal((await leavesOf(query, 'tall', 500, 502)).length, 3)
    assert.equal(await seqOfHash(query, 'tall', hashes[9]!.toString('hex')), 10)
    await treeHead(query, 'tall')
    await inclusionProof(query, 'tall', 5, count)
    for (const path of ['0/001', 'entries/001.p/3', '1/000.p/2'])
      assert.ok(await readTile(query, 'tall', parseTile(path)!), path)
    await newestNote(query, 'tall')
    const calls = { from: '2026-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z' }
    assert.deepEqual(await callEdges(query, 'tall', calls), { edges: [], complete: false })
    assert.ok(queries >= 9)
    await client.query('ROLLBACK')
  })
})
