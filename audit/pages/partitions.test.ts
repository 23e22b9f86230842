import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { app_role, engine_role, tenant_setting } from '@svc/database/migration'
import type { Client } from 'pg'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { clientQuery } from '../query/client-query.ts'
import { asOwner } from '../test-audit-log.ts'
import { pagesOfPeriod, pagesWithTerms, placesOfKeys } from './find-pages.ts'
import { addLogRanges } from './partitions.ts'
import { readRecords } from './read-records.ts'

const next_range = 2 ** 26

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

async function insertPage(client: Client, tenant_id: string, page: number): Promise<void> {
  await client.query(
    `INSERT INTO audit_pages (tenant_id, page, last_seq, before_hash, hashes, keys, from_at, to_at, latest_at, is_late, format,
       part_ends, sha256, bytes)
     SELECT $1, $2::bigint, $2 * 256 + 256, sha256(''), decode(repeat('00', 8192), 'hex'), array_fill(7, ARRAY[512]), at, at, at,
       false, 1, '{1,2,3,4}', sha256('text'), 'text'
     FROM (SELECT '2026-01-01'::timestamptz + $2 * interval '1 s') AS moment(at)`,
    [tenant_id, page],
  )
  await client.query(`INSERT INTO audit_terms VALUES ($1, 'event:Error', $2)`, [tenant_id, page])
}

test('the next range of a long log is made before the log reaches it, by the engine itself', async () => {
  await asOwner(database.url, async (client) => {
    const query = clientQuery(client)
    await client.query(`SET ROLE ${engine_role}`)
    const setLength = (tenant_id: string, seq: number) =>
      client.query(
        `INSERT INTO chain_heads (tenant_id, seq, head_hash) VALUES ($1, $2, sha256(''))
         ON CONFLICT (tenant_id) DO UPDATE SET seq = excluded.seq`,
        [tenant_id, seq],
      )
    await setLength('short', 1_000)
    assert.equal(await addLogRanges(query), 0)
    await insertPage(client, 'long', next_range - 1)
    await assert.rejects(insertPage(client, 'long', next_range), /no partition of relation/)
    await setLength('long', (next_range * 256) / 2)
    assert.deepEqual([await addLogRanges(query), await addLogRanges(query)], [1, 0])
    await insertPage(client, 'long', next_range)
    await setLength('long', next_range * 256 * 1.5)
    assert.equal(await addLogRanges(query), 1)
    await insertPage(client, 'long', next_range * 2)
    const range = { first_page: 0, last_page: next_range * 3 }
    const pages = [next_range * 2, next_range, next_range - 1]
    assert.deepEqual(await pagesWithTerms(query, 'long', [['event:Error']], range, true, 9), pages)
    assert.deepEqual((await placesOfKeys(query, 'long', [7], range, true, 2)).length, 2 * 512)
    assert.equal((await pagesOfPeriod(query, 'long', {})).last_full, pages[0])
  })
})

test('no part of the log is changed past its table', async () => {
  await asOwner(database.url, async (client) => {
    for (const name of ['audit_pages_0_0', 'audit_terms_0_0'])
      for (const text of [`UPDATE ${name} SET page = 0`, `DELETE FROM ${name}`, `TRUNCATE ${name}`])
        await assert.rejects(client.query(text), /takes new rows only/, text)
    await client.query(`SET ROLE ${engine_role}`)
    await assert.rejects(client.query('SELECT FROM audit_pages_0_0'), /permission denied/)
    await client.query(`RESET ROLE; SET ROLE ${app_role}`)
    await assert.rejects(client.query('SELECT svc_add_log_range(0, 9)'), /permission denied/)
  })
})

test('a question about one log opens the parts of that log alone', async () => {
  await asOwner(database.url, async (client) => {
    await client.query(`BEGIN; SET LOCAL ROLE ${app_role}; SET LOCAL ${tenant_setting} = 'short'`)
    const ask = clientQuery(client)
    const parts = new Set<string>()
    const query = async <Row>(sql: string, values: readonly unknown[]) => {
      const plan = await ask<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, COSTS OFF) ${sql}`, values)
      for (const { 'QUERY PLAN': line } of plan)
        if (!line.includes('never executed'))
          for (const [part] of line.matchAll(/audit_(pages|terms)_\d+_\d+\b/g)) parts.add(part)
      return await ask<Row>(sql, values)
    }
    const range = { first_page: 0, last_page: 9 }
    await pagesWithTerms(query, 'short', [['event:Error']], range, false, 9)
    await pagesOfPeriod(query, 'short', { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' })
    await readRecords(query, 'short', [{ from_seq: 1, to_seq: 600 }])
    const numbers = new Set([...parts].map((part) => part.replace(/^audit_[a-z]+_/, '')))
    assert.equal(numbers.size, 1, [...parts].join(' '))
    await client.query('ROLLBACK')
  })
})
