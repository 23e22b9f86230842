import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { inspectProcess } from './os-process.ts'
import { withStartLock } from './start-lock.ts'

let folder = ''
let path = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-lock-'))
  path = join(folder, 'start.lock')
})
after(() => rm(folder, { recursive: true, force: true }))

test('work under the lock never overlaps, and returns its value or error', async () => {
  let inside = 0
  let most = 0
  const work = Array.from({ length: 8 }, (_, n) =>
    withStartLock(path, async () => {
      most = Math.max(most, ++inside)
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
      inside--
      if (n === 3) throw new Error('failed inside')
      return n
    }),
  )
  const settled = await Promise.allSettled(work)
  assert.equal(most, 1)
  assert.deepEqual(
    settled.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason))),
    [0, 1, 2, 'Error: failed inside', 4, 5, 6, 7],
  )
  assert.deepEqual(await readdir(folder), [])
})

test('the lock names its holder while it is locked', async () => {
  await withStartLock(path, async () => {
    const started = (await inspectProcess(process.pid))?.started
    assert.equal(await readFile(path, 'utf8'), `${process.pid} ${started}`)
  })
})

test('a holder that died, or whose pid was reused, is ignored', async () => {
  for (const dead of ['999999999 1', `${process.pid} long-ago`, '']) {
    await writeFile(path, dead)
    assert.equal(await withStartLock(path, async () => 'done'), 'done', dead)
  }
  assert.deepEqual(await readdir(folder), [])
})
