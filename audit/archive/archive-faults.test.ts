import assert from 'node:assert/strict'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { Refusal, refusals } from '@svc/contract/refusal'
import { verifyExport } from '@svc/sdk/verify/export'
import {
  type ArchiveScene,
  full_pages,
  openArchiveScene,
  record_count,
  tenant_id,
} from '../../checks/log-archive/archive-scene.ts'
import { exportChain } from '../query/export.ts'
import { findRecords } from '../query/records.ts'
import { replayRecords, spanFaults } from '../query/replay.ts'
import { firstUnsound, verifySpan } from '../query/span.ts'
import { asOwner } from '../test-audit-log.ts'
import { nameOf } from './page-store.ts'
import { checkArchive } from './restore-pages.ts'

let scene: ArchiveScene
before(async () => {
  scene = await openArchiveScene()
})
after(() => scene.close())
afterEach(async () => {
  scene.faults.put = undefined
  scene.faults.get = undefined
  await scene.restoreAll()
  assert.deepEqual(await verdict(), { ok: true, gaps: [] })
})

const span = { first_seq: 1, last_seq: record_count }
const verdict = () => scene.fresh((db) => verifySpan(db, tenant_id, span))

async function hotPages(): Promise<number> {
  const sql = 'SELECT count(bytes)::int AS hot FROM audit_pages'
  return await asOwner(scene.database.url, async (client) => (await client.query(sql)).rows[0].hot)
}

async function objectOf(page: number): Promise<string> {
  const sql = `SELECT encode(sha256, 'hex') AS name FROM audit_pages WHERE page = $1`
  const { rows } = await asOwner(scene.database.url, (client) => client.query(sql, [page]))
  return join(scene.folder, nameOf(rows[0].name))
}

const damages: Record<string, (path: string, bytes: Buffer) => Promise<void>> = {
  'is missing': (path) => rm(path),
  'is half written': (path, bytes) => writeFile(path, bytes.subarray(0, bytes.length / 2)),
  'is empty': (path) => writeFile(path, ''),
  'has one other byte': (path, bytes) => {
    bytes[100]! ^= 1
    return writeFile(path, bytes)
  },
  'is longer': (path, bytes) => writeFile(path, Buffer.concat([bytes, Buffer.from('x')])),
  'is another page': async (path) => writeFile(path, await readFile(await objectOf(3))),
}

for (const [name, damage] of Object.entries(damages)) {
  test(`an object that ${name} is shown as unreadable records, and every verifier reports it`, async () => {
    await scene.archiveAll()
    const path = await objectOf(1)
    const bytes = await readFile(path)
    await damage(path, Buffer.from(bytes))
    try {
      await scene.fresh(async (db) => {
        const bad = { ok: false, first_bad_seq: 257, gaps: [] }
        assert.deepEqual(await verifySpan(db, tenant_id, span), bad)
        assert.equal(await firstUnsound(db, tenant_id, [256, 300, 600]), 300)
        assert.deepEqual(await spanFaults(db, tenant_id, 200, 258), [257, 258])
        const records = await findRecords(db, tenant_id, { after_seq: 254, before_seq: 259, limit: 10 })
        assert.deepEqual(
          records.map(({ seq, meta }) => [seq, meta.unreadable]),
          [
            [255, undefined],
            [256, undefined],
            [257, true],
            [258, true],
          ],
        )
        const [replayed] = await replayRecords(db, tenant_id, { after_seq: 256, limit: 1 })
        assert.deepEqual([replayed?.hash_ok, replayed?.signature_ok], [false, false])
        const exported = await Array.fromAsync(exportChain(db, tenant_id))
        assert.equal((await verifyExport(exported)).ok, false)
      })
      const batches = await Array.fromAsync(checkArchive(scene.store.engine, scene.pages, {}))
      assert.deepEqual(
        batches.flatMap(({ unreadable }) => unreadable.map(({ page }) => page)),
        [1],
      )
      assert.equal(await scene.restoreAll(), full_pages - 1)
    } finally {
      await writeFile(path, bytes)
    }
  })
}

/** Refused with a sentence and a code that says to try again. */
async function assertRefused(sentence: RegExp): Promise<void> {
  const reads = [
    () => verdict(),
    () => scene.fresh((db) => findRecords(db, tenant_id, { limit: 10 })),
    () =>
      scene.fresh((db) => findRecords(db, tenant_id, { protocol: 'MOAT', newest_first: true, limit: 2_000 })),
    () => scene.fresh((db) => Array.fromAsync(exportChain(db, tenant_id))),
  ]
  for (const read of reads)
    await assert.rejects(read, (error) => {
      assert.ok(error instanceof Refusal)
      assert.match(error.message, sentence)
      assert.deepEqual([error.code, error.details.unavailable], ['unavailable', 'log_archive'])
      assert.equal(refusals[error.code].retry, 'back_off')
      return true
    })
}

test('an archive that does not answer refuses what needs it, and nothing else', async () => {
  await scene.archiveAll()
  scene.faults.get = async () => {
    throw new Error('connect ECONNREFUSED')
  }
  await assertRefused(/The archive of the audit log cannot be reached now/)
  const newest = await scene.fresh((db) =>
    findRecords(db, tenant_id, { newest_first: true, limit: record_count - full_pages * 256 }),
  )
  assert.equal(newest.at(-1)!.seq, full_pages * 256 + 1)
})

test('a folder that is not mounted is an archive that does not answer, not one with missing pages', async () => {
  await scene.archiveAll()
  scene.faults.get = async () => undefined
  await assertRefused(/cannot be reached now/)
  await assert.rejects(
    scene.pages.prepare(async () => true),
    /a folder of this test has no svc-log-archive, so it is not the archive of this log, or is not mounted/,
  )
})

test('a disk that is unmounted while pages are written to it takes none of them', async () => {
  scene.faults.put = async (name, bytes) => {
    await scene.objects.put(name, bytes)
    await rm(join(scene.folder, 'svc-log-archive'), { force: true })
  }
  await assert.rejects(scene.archiveAll(), /or is not mounted/)
  assert.equal(await hotPages(), full_pages)
  await scene.pages.prepare(async () => false)
})

test('a program without an archive refuses what is in it', async () => {
  await scene.archiveAll()
  const read = asOwner(scene.database.url, (client) => Array.fromAsync(exportChain(client, tenant_id)))
  await assert.rejects(read, /its operator must set SVC_LOG_ARCHIVE/)
})

const write_faults: Record<string, { fault: () => void; error: RegExp }> = {
  'no space left': {
    fault: () => {
      scene.faults.put = async () => {
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      }
    },
    error: /ENOSPC/,
  },
  'half of the object': {
    fault: () => {
      scene.faults.put = (name, bytes) => scene.objects.put(name, bytes.subarray(0, bytes.length / 2))
    },
    error: /returned other bytes than were written/,
  },
  'an object that is gone when it is read back': {
    fault: () => {
      scene.faults.put = async () => {}
    },
    error: /returned other bytes than were written/,
  },
  'no answer when it is read back': {
    fault: () => {
      scene.faults.get = async () => {
        throw new Error('read ECONNRESET')
      }
    },
    error: /ECONNRESET/,
  },
}
for (const [name, { fault, error }] of Object.entries(write_faults)) {
  test(`with ${name} every page stays in PostgreSQL`, async () => {
    await rm(join(scene.folder, 'pages'), { recursive: true, force: true })
    fault()
    await assert.rejects(scene.archiveAll(), error)
    assert.equal(await hotPages(), full_pages)
    scene.faults.put = undefined
    scene.faults.get = undefined
    assert.equal((await scene.archiveAll()).pages, full_pages)
  })
}

test('one page that fails leaves the others of its batch where they belong', async () => {
  await rm(join(scene.folder, 'pages'), { recursive: true, force: true })
  const failing = nameOf((await objectOf(0)).slice(-64))
  scene.faults.put = async (name, bytes) => {
    if (name === failing) throw new Error('EIO')
    await scene.objects.put(name, bytes)
  }
  await assert.rejects(scene.archiveAll(), /EIO/)
  const hot = await hotPages()
  assert.ok(hot >= 1 && hot < full_pages, `${hot} pages stayed`)
})

test('a page that was altered in PostgreSQL stays there as evidence', async () => {
  const change = (sql: string) =>
    asOwner(scene.database.url, async (client) => {
      await client.query('SET session_replication_role = replica')
      await client.query(sql)
    })
  await asOwner(scene.database.url, (client) =>
    client.query('CREATE TABLE page_before AS SELECT bytes FROM audit_pages WHERE page = 2'),
  )
  await change(`UPDATE audit_pages SET bytes = overlay(bytes PLACING 'x' FROM 90) WHERE page = 2`)
  try {
    const batch = await scene.archiveAll()
    assert.deepEqual(
      batch.altered.map(({ page }) => page),
      [2],
    )
    assert.equal(await hotPages(), 1)
    assert.deepEqual((await scene.archiveAll()).claimed, 0, 'it is looked at again much later')
    const drop = { text: 'UPDATE audit_pages SET bytes = NULL WHERE page = 2', values: [] }
    await assert.rejects(scene.store.engine.execute(drop), /neither leave nor come back/)
    assert.equal((await verdict()).ok, false)
  } finally {
    await change('UPDATE audit_pages SET bytes = (SELECT bytes FROM page_before) WHERE page = 2')
    await change(`UPDATE audit_hot_pages SET claimed_until = '-infinity'`)
    await change('DROP TABLE page_before')
  }
})

test('an archive in a folder has whole objects only, and nothing unfinished', async () => {
  await scene.archiveAll()
  assert.deepEqual(await readdir(join(scene.folder, 'unfinished')), [])
  const names = await readdir(join(scene.folder, 'pages'), { recursive: true, withFileTypes: true })
  assert.equal(names.filter((entry) => entry.isFile()).length, full_pages)
})
