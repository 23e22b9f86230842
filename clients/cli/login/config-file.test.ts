import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { withLock, writeConfig } from './config-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-config-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const never = new AbortController().signal
const modeOf = (path: string) => statSync(path).mode & 0o777

test('it is written atomically, and folders and file are made private', async () => {
  mkdirSync(join(folder, '.svc/profiles'), { recursive: true })
  for (const open of ['.svc', '.svc/profiles']) chmodSync(join(folder, open), 0o755)
  const path = join(folder, '.svc/profiles/work.json')
  await writeConfig(path, { api_key: 'first' })
  assert.deepEqual(
    [modeOf(path), modeOf(join(folder, '.svc')), modeOf(join(folder, '.svc/profiles'))],
    [0o600, 0o700, 0o700],
  )
  const writes = Array.from({ length: 20 }, (_, i) => writeConfig(path, { api_key: String(i).repeat(5_000) }))
  let is_done = false
  const all = Promise.all(writes).then(() => {
    is_done = true
  })
  while (!is_done) {
    assert.match(JSON.parse(readFileSync(path, 'utf8')).api_key, /^(first|(\d+?)\2*)$/)
    await new Promise(setImmediate)
  }
  await all
  assert.deepEqual(readdirSync(join(folder, '.svc/profiles')), ['work.json'])
})

test('only the fields of a config file are written, in a fixed order', async () => {
  const path = join(folder, 'fields/config.json')
  await writeConfig(path, { tenant_id: 't', auth_url: 'a', ...{ password: 'p' } })
  assert.equal(readFileSync(path, 'utf8'), '{\n  "auth_url": "a",\n  "tenant_id": "t"\n}\n')
})

test('work is serialized, in any order, and the lock is released even on failure', async () => {
  const path = join(folder, 'locked/config.json')
  let inside = 0
  const turns = Array.from({ length: 8 }, (_, i) =>
    withLock(path, never, async () => {
      assert.equal(++inside, 1)
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
      inside--
      if (i === 3) throw new Error('the fourth fails')
      return i
    }),
  )
  const done = await Promise.allSettled(turns)
  assert.equal(done.filter(({ status }) => status === 'fulfilled').length, 7)
  assert.deepEqual(readdirSync(join(folder, 'locked')), [])
})

test('waiting for a lock can be aborted', async () => {
  const path = join(folder, 'stopped/config.json')
  const stopping = new AbortController()
  await withLock(path, never, async () => {
    const waiting = withLock(path, stopping.signal, () => assert.fail('two at once'))
    stopping.abort(new Error('stopped'))
    await assert.rejects(waiting)
  })
  assert.deepEqual(readdirSync(join(folder, 'stopped')), [])
})

test('a write error is one sentence, and leaves no temporary files', async () => {
  writeFileSync(join(folder, 'file'), '')
  const path = join(folder, 'file/config.json')
  await assert.rejects(writeConfig(path, {}), {
    name: 'UsageError',
    message: /cannot be written \(E[A-Z]+\)/,
  })
  await assert.rejects(
    withLock(path, never, async () => 1),
    { name: 'UsageError' },
  )
})
