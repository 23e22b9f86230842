import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { canReach, findPostgresBinaries, placeBinaries } from './postgres-binaries.ts'

const stranger = { uid: 65_533, gid: 65_533 }
let folder = ''
let native = ''
let elsewhere = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-binaries-'))
  await chmod(folder, 0o755)
  native = join(folder, 'package', 'native')
  elsewhere = join(folder, 'elsewhere')
  for (const name of ['bin', 'lib', 'share']) await mkdir(join(native, name), { recursive: true })
  for (const name of ['bin/postgres', 'bin/initdb', 'lib/libpq.so.5.18', 'share/postgres.bki']) {
    await writeFile(join(native, name), name, { mode: name.startsWith('bin') ? 0o755 : 0o644 })
  }
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(links))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('reachable binaries are used in place, with their missing links restored', async () => {
  for (const user of [undefined, stranger]) {
    assert.equal(await placeBinaries(native, '18.4.0', user, elsewhere), native)
    assert.equal(await readlink(join(native, 'lib', 'libpq.so.5')), 'libpq.so.5.18')
  }
})

test('binaries in a private folder are copied once to where the other user can run them', async () => {
  await chmod(join(native, 'share', 'postgres.bki'), 0o600)
  await chmod(dirname(native), 0o700)
  const home = await placeBinaries(native, '18.4.0', stranger, elsewhere)
  assert.equal(home, join(elsewhere, 'postgres-18.4.0'))
  for (const name of ['bin/postgres', 'bin/initdb', 'lib', 'share']) {
    assert.ok(await canReach(stranger, join(home, name)), name)
  }
  assert.equal((await stat(join(home, 'share', 'postgres.bki'))).mode & 0o777, 0o644)
  await rm(join(home, 'lib', 'libpq.so.5'))
  const { ino } = await stat(join(home, 'bin', 'postgres'))
  assert.equal(await placeBinaries(native, '18.4.0', stranger, elsewhere), home)
  assert.equal((await stat(join(home, 'bin', 'postgres'))).ino, ino)
  assert.equal(await readlink(join(home, 'lib', 'libpq.so.5')), 'libpq.so.5.18')
})

test('reachability depends on every folder of the path', async () => {
  assert.equal(await canReach(stranger, native), true)
  assert.equal(await canReach(stranger, join(native, 'missing')), false)
  await chmod(join(folder, 'package'), 0o750)
  assert.equal(await canReach(stranger, native), false)
  const { uid, gid } = await stat(folder)
  assert.equal(await canReach({ uid, gid: stranger.gid }, native), true)
  assert.equal(await canReach({ uid: stranger.uid, gid }, native), true)
})

test('this machine has binaries, and never runs them as root', async () => {
  const postgres_binaries = await findPostgresBinaries()
  assert.equal(postgres_binaries.major, '18')
  assert.ok((await stat(postgres_binaries.postgres)).isFile())
  assert.equal(postgres_binaries.user === undefined, process.getuid?.() !== 0)
})
