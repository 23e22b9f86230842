import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bodyText, entryText, genesis_hash, recordHash } from '@svc/contract/audit/audit-record'
import { sql } from '@svc/database/sql'
import type { Client } from 'pg'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import { verifySpan } from '../query/span.ts'
import { asOwner, entryOf } from '../test-audit-log.ts'
import { overwrite, storedRecords, storeRecords } from '../test-stored.ts'
import { OpenPages } from './open-pages.ts'
import type { PageRecord } from './page.ts'
import { insertPages, insertTail } from './page-sql.ts'

let scene: TestStore
before(async () => {
  scene = await openTestStore()
})
after(() => scene.close())

function recordsFor(tenant_id: string, count: number): PageRecord[] {
  let previous_hash = genesis_hash
  return Array.from({ length: count }, (_, index) => {
    const seq = index + 1
    const body = bodyText(entryText(entryOf(tenant_id)), seq)
    const record_hash = recordHash(previous_hash, body)
    const record = { tenant_id, seq, body, fields: JSON.parse(body), previous_hash, record_hash }
    previous_hash = record_hash
    return record
  })
}

async function sizesOf(client: Client, tenant_id: string): Promise<{ pages: number; pieces: number }> {
  const { rows } = await client.query(
    `SELECT (SELECT count(*)::int FROM audit_pages WHERE tenant_id = $1) AS pages,
       (SELECT count(*)::int FROM audit_tail WHERE tenant_id = $1) AS pieces`,
    [tenant_id],
  )
  return rows[0]
}

test('small pieces become pages, whether the writer remembers them or reads them', async () => {
  await asOwner(scene.database.url, async (client) => {
    const remembering = new OpenPages()
    for (const tenant_id of ['remembered', 'read']) {
      const records = recordsFor(tenant_id, 600)
      for (let from = 0; from < records.length; from += 7) {
        const batch = records.slice(from, from + 7)
        if (tenant_id === 'read') {
          await storeRecords(client, batch)
          continue
        }
        const { pages, pieces } = await remembering.add(client, batch)
        if (pages.length > 0) await insertPages(client, pages)
        if (pieces.length > 0) await insertTail(client, pieces)
      }
      const stored = await storedRecords(client, tenant_id)
      assert.deepEqual(
        stored.map(({ body }) => body),
        records.map(({ body }) => body),
      )
      assert.deepEqual(await sizesOf(client, tenant_id), { pages: 2, pieces: 13 })
    }
    const { rows } = await client.query(
      `SELECT count(DISTINCT (page, is_late, from_at, to_at, latest_at, array_length(keys, 1)))::int AS different
       FROM audit_pages WHERE tenant_id IN ('remembered', 'read')`,
    )
    assert.equal(rows[0].different, 2)
  })
})

test('what a failed commit left in memory is not taken for what is stored', async () => {
  await asOwner(scene.database.url, async (client) => {
    const open_pages = new OpenPages()
    const records = recordsFor('failed', 256)
    await storeRecords(client, records.slice(0, 100))
    // Two attempts that were rolled back.
    await open_pages.add(client, recordsFor('failed', 120).slice(100))
    await open_pages.add(client, records.slice(100, 256))
    const { pages } = await open_pages.add(client, records.slice(100, 256))
    await insertPages(client, pages)
    assert.deepEqual(
      (await storedRecords(client, 'failed')).map(({ body }) => body),
      records.map(({ body }) => body),
    )
  })
})

test('records that were changed stay where they are, and the log goes on', async () => {
  await asOwner(scene.database.url, async (client) => {
    const records = recordsFor('changed', 600)
    await storeRecords(client, records.slice(0, 200))
    await overwrite(client, 'changed', 20, ({ body }) => ({ body: body!.replace('success', 'refused') }))
    await storeRecords(client, records.slice(200))
    assert.deepEqual(await sizesOf(client, 'changed'), { pages: 1, pieces: 3 })
    assert.equal((await storedRecords(client, 'changed')).length, 600)
  })
  await scene.as('changed', async (db) => {
    const verdict = await verifySpan(db, 'changed', { first_seq: 1, last_seq: 600 })
    assert.deepEqual(verdict, { ok: false, first_bad_seq: 20, gaps: [] })
  })
})

test('the database takes no page with other hashes than the records it replaces', async () => {
  await asOwner(scene.database.url, async (client) => {
    const records = recordsFor('swapped', 256)
    await storeRecords(client, records.slice(0, 200))
    const others = recordsFor('swapped', 256)
    const { pages } = await new OpenPages().add(client, others)
    await assert.rejects(insertPages(client, pages), /only for the page that holds them/)
  })
})

test('the view for psql has every record once, and only those of its reader', async () => {
  const records = recordsFor('viewed', 300)
  await asOwner(scene.database.url, async (client) => {
    await storeRecords(client, records.slice(0, 290))
    await storeRecords(client, records.slice(290))
  })
  const look = (tenant_id: string) =>
    scene.as(tenant_id, (db) =>
      sql<{ seq: string; record_hash: string; stored_in: string }>`
        SELECT seq, record_hash, stored_in FROM audit_log WHERE tenant_id = 'viewed' ORDER BY seq`.all(db),
    )
  assert.deepEqual(
    await look('viewed'),
    records.map(({ seq, record_hash }) => ({
      seq: String(seq),
      record_hash,
      stored_in: seq <= 256 ? 'page' : 'tail',
    })),
  )
  assert.deepEqual(await look('rival'), [])
})
