import assert from 'node:assert/strict'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '@svc/audit/test-audit-log'
import { system_clock } from '../clock/system.ts'
import { fileStore } from './file-store.ts'

const bytes = Buffer.from('the bytes of a page')

test('an object is stored whole, comes back, and may be written again', async () => {
  const folder = await newFolder()
  const store = fileStore(folder, system_clock)
  assert.equal(await store.get('pages/ab/one', 100), undefined)
  await Promise.all([1, 2, 3].map(() => store.put('pages/ab/one', bytes)))
  assert.deepEqual(await store.get('pages/ab/one', bytes.length), bytes)
  assert.equal(await store.get('pages/ab/one', bytes.length - 1), undefined, 'longer than it may be')
  assert.deepEqual(await readdir(join(folder, 'unfinished')), [])
})

test('what a killed process left is removed an hour later, and not before', async () => {
  const folder = await newFolder()
  const unfinished = join(folder, 'unfinished')
  await mkdir(unfinished, { recursive: true })
  for (const name of ['old', 'new']) await writeFile(join(unfinished, name), 'half')
  const long_ago = new Date('2020-01-01T00:00:00Z')
  await utimes(join(unfinished, 'old'), long_ago, long_ago)
  await fileStore(folder, system_clock).put('a', bytes)
  assert.deepEqual(await readdir(unfinished), ['new'])
})

test('a write that fails leaves nothing behind, and is no missing object', async () => {
  const folder = await newFolder()
  const store = fileStore(folder, system_clock)
  await mkdir(join(folder, 'taken/a'), { recursive: true })
  await assert.rejects(store.put('taken', bytes), /EISDIR|ENOTEMPTY|EEXIST/)
  assert.deepEqual(await readdir(join(folder, 'unfinished')), [])
  await assert.rejects(store.get('taken', 10_000), /EISDIR/)
})
