// Backups of database and archive: the database first, then the archive. The other order loses pages, and that is noticed.
import assert from 'node:assert/strict'
import { cp, rm } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { fileStore } from '@svc/adapters/log-archive/file-store'
import { CachedArchive } from '@svc/adapters/log-archive/page-archive'
import { archiveBatch } from '@svc/audit/archive/archive-pages'
import { pageStore } from '@svc/audit/archive/page-store'
import { exportChain } from '@svc/audit/query/export'
import { asOwner, newFolder } from '@svc/audit/test-audit-log'
import { type ExportVerdict, verifyExport } from '@svc/sdk/verify/export'
import { type TestDatabase, testDatabase } from '../rehearsal/test-database.ts'
import { storeAt } from '../rehearsal/test-store.ts'
import { until } from '../suite/eventually.ts'
import { type ArchiveScene, full_pages, openArchiveScene, tenant_id } from './archive-scene.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const halfway = new Date('2026-11-15T10:10:00Z')

let scene: ArchiveScene
let lines: string[]
before(async () => {
  scene = await openArchiveScene()
  lines = await scene.fresh((db) => Array.fromAsync(exportChain(db, tenant_id)))
})
after(() => scene.close())

const archiveHalf = () => archiveBatch(scene.store.engine, scene.pages, { older_than: halfway, claim_s: 0 })

const nameOf = ({ url }: TestDatabase) => new URL(url).pathname.slice(1)

/** Copies the database on its server, as a dump at this moment would. Nobody may be connected meanwhile. */
async function backUpDatabase(): Promise<TestDatabase> {
  const copy = await testDatabase()
  const server = new URL(scene.database.url)
  server.pathname = '/postgres'
  await asOwner(server.href, async (client) => {
    const name = nameOf(scene.database)
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
    await until('nobody is connected', async () => {
      const others = await client.query('SELECT FROM pg_stat_activity WHERE datname = $1', [name])
      return others.rowCount === 0
    })
    await client.query(`DROP DATABASE ${nameOf(copy)} WITH (FORCE)`)
    await client.query(`CREATE DATABASE ${nameOf(copy)} TEMPLATE ${name} STRATEGY file_copy`)
  })
  return copy
}

async function backUpArchive(): Promise<string> {
  const copy = await newFolder()
  await cp(scene.folder, copy, { recursive: true })
  return copy
}

/** What a verifier says about the restored log. */
async function restored(database: TestDatabase, folder: string): Promise<[string[], ExportVerdict]> {
  const pages = pageStore(fileStore(folder, system_clock))
  const page_archive = new CachedArchive({ pages, log: quiet })
  const store = await storeAt(database.url, { page_archive })
  try {
    const exported = await Array.fromAsync(exportChain(store.engine, tenant_id))
    return [exported, await verifyExport(exported)]
  } finally {
    await store.close()
    await database.close()
    await rm(folder, { recursive: true })
  }
}

test('the database first, then the archive: every record comes back', async () => {
  assert.equal((await archiveHalf()).pages, 2)
  const database = await backUpDatabase()
  assert.equal((await scene.archiveAll()).pages, full_pages - 2, 'pages leave between the two backups')
  const [exported, verdict] = await restored(database, await backUpArchive())
  assert.deepEqual(exported, lines)
  assert.equal(verdict.ok, true)
  await scene.restoreAll()
})

test('the archive first, then the database: pages that left in between are missing, and a verifier says so', async () => {
  await rm(`${scene.folder}/pages`, { recursive: true, force: true })
  await asOwner(scene.database.url, (client) =>
    client.query('UPDATE audit_hot_pages h SET hot_since = p.to_at FROM audit_pages p WHERE p.page = h.page'),
  )
  assert.equal((await archiveHalf()).pages, 2)
  const folder = await backUpArchive()
  assert.equal((await scene.archiveAll()).pages, full_pages - 2)
  const [exported, verdict] = await restored(await backUpDatabase(), folder)
  assert.equal(exported.filter((line) => line.startsWith('{"record":null')).length, (full_pages - 2) * 256)
  assert.equal(verdict.ok, false)
})
