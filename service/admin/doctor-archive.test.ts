import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { openPageStore } from '@svc/adapters/log-archive/open-page-store'
import { newFolder } from '@svc/audit/test-audit-log'
import { lookAtArchive } from './doctor-archive.ts'
import { chooseTarget } from './target.ts'

const look = async (env: Record<string, string>) =>
  (await lookAtArchive(chooseTarget(undefined, { SVC_DB_URL: 'postgres://none', ...env }), system_clock))[0]

test('an archive that is set is looked at, and none otherwise', async () => {
  assert.equal(await look({}), undefined)
  assert.equal(await look({ SVC_LOG_HOT_DAYS: '3' }), undefined, 'the check of the settings reports it')
  const folder = await newFolder()
  const env = { SVC_LOG_ARCHIVE: `file:${folder}` }
  assert.deepEqual((await look(env))?.status, 'warn')
  await openPageStore({ kind: 'file', folder }, system_clock).prepare(async () => false)
  assert.deepEqual(await look(env), {
    check: 'log archive',
    status: 'ok',
    seen: `file:${folder} answers`,
    advice: null,
  })
})

test('an archive that cannot be read is named with its reason', async () => {
  const folder = await newFolder()
  await writeFile(folder, 'a file in its place')
  const finding = await look({ SVC_LOG_ARCHIVE: `file:${folder}` })
  assert.equal(finding?.status, 'fail')
  assert.match(finding?.seen ?? '', /ENOTDIR/)
})
