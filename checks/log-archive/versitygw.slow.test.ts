// The archive in a bucket of a real S3-compatible server: archived, read, refused while it is away, altered, restored.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { bucketStore } from '@svc/adapters/log-archive/bucket-store'
import { checkArchive } from '@svc/audit/archive/restore-pages'
import { exportChain } from '@svc/audit/query/export'
import { verifySpan } from '@svc/audit/query/span'
import { verifyExport } from '@svc/sdk/verify/export'
import { findVersitygwMissing, startVersitygw } from '../neighbours/test-versitygw.ts'
import { type ArchiveScene, full_pages, openArchiveScene, record_count, tenant_id } from './archive-scene.ts'

const skip = findVersitygwMissing()
const span = { first_seq: 1, last_seq: record_count }
const sound = { ok: true, gaps: [] }

const verdict = (scene: ArchiveScene) => scene.fresh((db) => verifySpan(db, tenant_id, span))

test('pages live in a bucket of versitygw', { skip, timeout: 1_800_000 }, async (t) => {
  const server = await startVersitygw()
  t.after(() => server.close())
  await server.createBucket('logs')
  const place = server.placeOf('logs', 'svc/prod')
  const scene = await openArchiveScene(bucketStore(place, system_clock))
  t.after(() => scene.close())
  const exported = () => scene.fresh((db) => Array.fromAsync(exportChain(db, tenant_id)))
  const before = await exported()
  assert.equal((await scene.archiveAll()).pages, full_pages)

  await t.test('every record is read from the bucket as it was', async () => {
    assert.deepEqual(await exported(), before)
    assert.equal((await verifyExport(before)).ok, true)
    assert.deepEqual(await verdict(scene), sound)
  })

  await t.test('while the server is away reads are refused, and afterwards answered', async () => {
    await server.stop()
    await assert.rejects(verdict(scene), /The archive of the audit log cannot be reached now/)
    await server.start()
    assert.deepEqual(await verdict(scene), sound)
  })

  await t.test(
    'wrong keys and a missing bucket are refused, and take no page for a missing one',
    async () => {
      const object = 'pages/ab/none'
      for (const [wrong, sentence] of [
        [{ secret_access_key: 'other' }, /answered 403 SignatureDoesNotMatch/],
        [{ access_key_id: 'other' }, /answered 404 XAdminUserNotFound/],
        [{ bucket: 'others' }, /answered 404 NoSuchBucket/],
      ] as const)
        await assert.rejects(bucketStore({ ...place, ...wrong }, system_clock).get(object, 10), sentence)
      assert.equal(await bucketStore(place, system_clock).get(object, 10), undefined)
    },
  )

  await t.test('an object that is altered or missing in the server is reported', async () => {
    const [path = ''] = globSync(join(server.folder, 'logs/svc/prod/pages/*/*'))
    const bytes = await readFile(path)
    const changes = [
      () => writeFile(path, bytes.subarray(0, 500)),
      () => writeFile(path, Buffer.alloc(bytes.length, 1)),
      () => rm(path),
    ]
    for (const change of changes) {
      await change()
      assert.equal((await verdict(scene)).ok, false)
      const batches = await Array.fromAsync(checkArchive(scene.store.engine, scene.pages, {}))
      assert.equal(batches.flatMap(({ unreadable }) => unreadable).length, 1)
    }
    await scene.objects.put(`pages/${path.split('/').slice(-2).join('/')}`, bytes)
    assert.deepEqual(await verdict(scene), sound)
  })

  assert.equal(await scene.restoreAll(), full_pages)
  assert.deepEqual(await exported(), before)
})
