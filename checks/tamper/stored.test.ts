// A log that is altered where it is stored is found by every verifier that sees what was altered, and by no other.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { nameOf } from '@svc/audit/archive/page-store'
import { asOwner } from '@svc/audit/test-audit-log'
import { full_pages, tenant_id } from '../log-archive/archive-scene.ts'
import {
  page_forgeries,
  type StoredForgery,
  summary_forgeries,
  tree_forgeries,
  type Verifier,
} from './stored-forgeries.ts'
import { openStoredScene, other_id, type StoredScene } from './stored-scene.ts'

let scene: StoredScene
before(async () => {
  scene = await openStoredScene()
})
after(() => scene.archive.close())

const verifiers: readonly Verifier[] = ['report', 'query', 'export', 'tiles', 'check']

async function finders(): Promise<Verifier[]> {
  const verdicts = await scene.verdicts()
  return verifiers.filter((name) => !verdicts[name]).sort()
}

test('nobody calls an unchanged log invalid, in PostgreSQL and in the archive', async () => {
  assert.deepEqual(await finders(), [])
  await scene.archive.archiveAll()
  assert.deepEqual(await finders(), [])
  await scene.archive.restoreAll()
})

const forgeries: Readonly<Record<string, StoredForgery>> = {
  ...page_forgeries,
  ...summary_forgeries,
  ...tree_forgeries,
}
for (const [name, { forge, finders: expected }] of Object.entries(forgeries)) {
  test(`stored: ${name}`, async () => {
    await scene.forged(
      (client) => forge(client, tenant_id, other_id),
      async () => assert.deepEqual(await finders(), [...expected].sort()),
    )
  })
}

async function objectOf(page: number, of_tenant = tenant_id): Promise<string> {
  const sql = `SELECT encode(sha256, 'hex') AS name FROM audit_pages WHERE tenant_id = $1 AND page = $2`
  const { rows } = await asOwner(scene.archive.database.url, (client) => client.query(sql, [of_tenant, page]))
  return join(scene.archive.folder, nameOf(rows[0].name))
}

/** What is put in the place of an archived page; undefined where it is deleted. */
const objects: Readonly<
  Record<string, (bytes: Buffer) => Promise<Uint8Array | undefined> | Uint8Array | undefined>
> = {
  'one other byte': (bytes) => bytes.fill(bytes[100]! ^ 1, 100, 101),
  'half of it': (bytes) => bytes.subarray(0, bytes.length / 2),
  nothing: () => Buffer.alloc(0),
  'more than it': (bytes) => Buffer.concat([bytes, bytes]),
  'another page of the same log': async () => await readFile(await objectOf(3)),
  'a page of another log': async () => await readFile(await objectOf(0, other_id)),
  'bytes that become far more': (bytes) => {
    const bomb = zstdCompressSync(Buffer.alloc(128 * 1024 * 1024))
    return Buffer.concat([bomb, bytes]).subarray(0, bytes.length)
  },
  'no object': () => undefined,
}

for (const [name, forge] of Object.entries(objects)) {
  test(`archived: ${name} in the place of a page`, async () => {
    await scene.archive.archiveAll()
    const path = await objectOf(1)
    const bytes = await readFile(path)
    const forged = await forge(Buffer.from(bytes))
    if (forged) await writeFile(path, forged)
    else await rm(path)
    try {
      assert.deepEqual(await finders(), ['check', 'export', 'query', 'report'])
      assert.match((await scene.check()).text, /archived page 1 \(/)
      // All others, and those of the other log.
      assert.equal(await scene.archive.restoreAll(), full_pages)
    } finally {
      await writeFile(path, bytes)
      await scene.archive.restoreAll()
    }
  })
}

test('archived: two logs with the pages of each other', async () => {
  await scene.archive.archiveAll()
  const paths = [await objectOf(1), await objectOf(0, other_id)]
  const contents = await Promise.all(paths.map((path) => readFile(path)))
  await Promise.all(paths.map((path, at) => writeFile(path, contents[1 - at]!)))
  try {
    assert.deepEqual(await finders(), ['check', 'export', 'query', 'report'])
    assert.match((await scene.check()).text, /archived page 1 \(\w+\), other page 0 \(/)
    assert.equal(await scene.archive.restoreAll(), full_pages - 1)
  } finally {
    await Promise.all(paths.map((path, at) => writeFile(path, contents[at]!)))
    await scene.archive.restoreAll()
  }
})

test('archived: an altered page under its own hash, in the archive and in the database', async () => {
  await scene.archive.archiveAll()
  await scene.forged(
    async (client) => {
      const bytes = await readFile(await objectOf(2))
      const path = join(scene.archive.folder, nameOf(hash('sha256', bytes)))
      await writeFile(path, bytes)
      // The valid object of page 2, which page 1 names from now on.
      await client.query(
        `UPDATE audit_pages p SET sha256 = b.sha256, part_ends = b.part_ends FROM audit_pages b
         WHERE p.tenant_id = $1 AND p.page = 1 AND b.tenant_id = $1 AND b.page = 2`,
        [tenant_id],
      )
    },
    async () => assert.deepEqual(await finders(), ['check', 'export', 'query', 'report']),
  )
  await scene.archive.restoreAll()
})
