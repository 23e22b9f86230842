import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { sql } from '@svc/database/sql'
import { openTestLoader, type TestLoader } from '../../checks/plugins/test-loader.ts'
import { stranger, type WrittenPlugin, writePlugin } from '../../checks/plugins/written-plugin.ts'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import { enablePlugin } from './plugin-store.ts'

let store: TestStore
let scene: TestLoader
before(async () => {
  store = await openTestStore()
})
after(() => store?.close())
beforeEach(async () => {
  await sql`DELETE FROM plugins`.execute(store.store.engine)
  scene = openTestLoader(store.store.engine)
})
afterEach(() => scene.close())

const put = (folder: string, plugin: WrittenPlugin = {}) => writePlugin(join(scene.directory, folder), plugin)
const take = (folder: string) => rmSync(join(scene.directory, folder), { recursive: true })
const say = (name: string, enabled: boolean, allow_downgrade = false) => {
  const [plugin, version] = name.split('@') as [string, string | undefined]
  return enablePlugin(store.store.engine, { name: plugin, version, enabled, allow_downgrade })
}
const build = (text: string) => ({ component: Buffer.from(text) })
const later_signed = '2026-11-02T00:00:00Z'

test('a new plugin serves at once, and is removed when its folder stays away', async () => {
  assert.match(scene.loader.problem!, /not looked at yet/)
  put('greeting')
  await scene.settle()
  assert.equal(scene.loader.problem, undefined)
  assert.deepEqual(await scene.states(), { 'greeting@1.0.0': 'Registered' })
  assert.deepEqual(scene.routed(), ['GREET v1.0.0'])
  take('greeting')
  await scene.settle()
  assert.deepEqual(scene.routed(), ['GREET v1.0.0'])
  await scene.later()
  assert.deepEqual([scene.routed(), scene.alive.size], [[], 0])
  assert.deepEqual(await scene.states(), { 'greeting@1.0.0': 'Removed: removed' })
})

test('a rejected plugin stays Pending, is reported once, and is not read again until it changes', async () => {
  put('unsigned', { name: 'unsigned', signer: null })
  put('strange', { name: 'strange', signer: stranger })
  mkdirSync(join(scene.directory, 'empty'))
  symlinkSync('/', join(scene.directory, 'link'))
  symlinkSync('/', join(put('inside', { name: 'inside' }) && scene.directory, 'inside/link'))
  await scene.settle()
  assert.deepEqual(scene.rejected, [])
  for (let i = 0; i < 3; i++) await scene.later()
  const expected = {
    'empty@': 'Pending: no manifest',
    'inside@': 'Pending: not a plain file',
    'link@': 'Pending: not a plain file',
    'strange@1.0.0': 'Pending: untrusted publisher',
    'unsigned@1.0.0': 'Pending: not signed',
  }
  assert.deepEqual(await scene.states(), expected)
  assert.deepEqual(scene.rejected.map(({ name }) => name).sort(), [
    'empty',
    'inside',
    'link',
    'strange',
    'unsigned',
  ])
  put('unsigned', { name: 'unsigned' })
  await scene.later()
  assert.equal((await scene.states())['unsigned@1.0.0'], 'Registered')
  assert.equal(scene.rejected.length, 5)
})

test('a folder that is being copied in is not rejected halfway', async () => {
  const { files } = put('greeting')
  rmSync(join(scene.directory, 'greeting/plugin.wasm'))
  await scene.settle()
  writeFileSync(join(scene.directory, 'greeting/plugin.wasm'), 'no comp')
  scene.clock.advance(1_900)
  await scene.settle()
  writeFileSync(join(scene.directory, 'greeting/plugin.wasm'), files.get('plugin.wasm')!)
  scene.clock.advance(1_900)
  await scene.settle()
  assert.deepEqual([await scene.states(), scene.rejected], [{ 'greeting@1.0.0': 'Registered' }, []])
})

test('a loaded plugin serves on while its folder is swapped, broken, or has unacceptable content', async () => {
  put('greeting')
  await scene.later()
  renameSync(join(scene.directory, 'greeting'), join(scene.directory, '.old'))
  await scene.settle()
  renameSync(join(scene.directory, '.old'), join(scene.directory, 'greeting'))
  await scene.later()
  assert.deepEqual([scene.loads.length, scene.routed()], [1, ['GREET v1.0.0']])
  writeFileSync(join(scene.directory, 'greeting/plugin.wasm'), 'evil')
  await scene.later()
  assert.equal((await scene.states())['greeting@1.0.0'], 'Pending: bad signature')
  writeFileSync(join(scene.directory, 'greeting/plugin.toml'), 'nonsense')
  await scene.later()
  assert.equal((await scene.states())['greeting@'], 'Pending: bad manifest')
  put('greeting', { version: '1.1.0', signer: null })
  await scene.later()
  assert.deepEqual([scene.loads.length, scene.routed()], [1, ['GREET v1.0.0']])
  put('greeting', { version: '1.1.0' })
  await scene.settle()
  assert.deepEqual(scene.routed(), ['GREET v1.0.0', 'GREET v1.1.0'])
  await scene.later()
  assert.deepEqual(scene.routed(), ['GREET v1.1.0'])
})

test('a build that was signed later replaces the one that serves; an earlier one does not', async () => {
  put('greeting')
  await scene.later()
  const [first] = [...scene.alive.values()]
  put('greeting', { ...build('new'), signed_at: later_signed })
  await scene.later()
  const [second] = [...scene.alive.values()]
  assert.notEqual(second?.digest, first?.digest)
  assert.deepEqual([scene.alive.size, scene.routed()], [1, ['GREET v1.0.0']])
  put('greeting', build('old'))
  await scene.later()
  assert.equal((await scene.states())['greeting@1.0.0'], 'Pending: downgrade')
  assert.deepEqual([...scene.alive.values()], [second])
  await say('greeting@1.0.0', true, true)
  await scene.later()
  assert.equal((await scene.states())['greeting@1.0.0'], 'Registered')
  assert.notEqual([...scene.alive.values()][0]?.digest, second?.digest)
})

test('versions run side by side, even if they arrive together, on every engine and after a restart', async () => {
  put('b', { version: '1.1.0' })
  put('a', { version: '1.2.0-rc.1' })
  put('c', { version: '1.0.0' })
  await scene.settle()
  assert.deepEqual(scene.loads, ['greeting@1.0.0', 'greeting@1.1.0', 'greeting@1.2.0-rc.1'])
  const other = openTestLoader(store.store.engine, { config: { directory: scene.directory } })
  await other.later()
  for (const each of [scene, other])
    assert.deepEqual(each.routed(), ['GREET v1.0.0', 'GREET v1.1.0', 'GREET v1.2.0-rc.1'])
  await other.loader.close()
  take('c')
  await scene.later()
  put('c', { version: '1.0.0' })
  await scene.later()
  assert.equal((await scene.states())['greeting@1.0.0'], 'Pending: downgrade')
})

test('a plugin that was unreadable for a while is no downgrade when it is readable again', async () => {
  put('a', { version: '1.0.0' })
  put('b', { version: '1.1.0' })
  await scene.later()
  put('a', { version: '1.0.0', signer: null })
  await scene.later()
  assert.equal((await scene.states())['greeting@1.0.0'], 'Pending: not signed')
  put('a', { version: '1.0.0' })
  const restarted = openTestLoader(store.store.engine, { config: { directory: scene.directory } })
  await restarted.later()
  assert.deepEqual(restarted.routed(), ['GREET v1.0.0', 'GREET v1.1.0'])
  await restarted.loader.close()
})

test('of two folders with the same plugin the one that served goes on; the other takes its place when it is gone', async () => {
  put('b')
  await scene.later()
  put('a')
  put('c', { signer: null })
  await scene.later()
  assert.deepEqual(await scene.states(), {
    'greeting@1.0.0': 'Registered',
    'a@': 'Pending: twice',
    'c@': 'Pending: twice',
  })
  for (let i = 0; i < 3; i++) await scene.later()
  assert.equal(scene.rejected.length, 2)
  take('b')
  take('c')
  await scene.later()
  assert.deepEqual(scene.routed(), ['GREET v1.0.0'])
  assert.deepEqual(await scene.states(), { 'greeting@1.0.0': 'Registered' })
})

test('a version that another plugin serves is refused until it is free', async () => {
  put('one', { name: 'one' })
  await scene.settle()
  put('two', { name: 'two' })
  await scene.later()
  assert.equal((await scene.states())['two@1.0.0'], 'Pending: version taken')
  assert.equal(scene.rejected.length, 1)
  take('one')
  await scene.later()
  await scene.later()
  assert.deepEqual(await scene.states(), { 'one@1.0.0': 'Removed: removed', 'two@1.0.0': 'Registered' })
  put('two', { name: 'two', protocol: 'OTHER', signed_at: later_signed })
  put('three', { name: 'three', protocol: 'THIRD' })
  await scene.later()
  assert.deepEqual(scene.routed(), ['OTHER v1.0.0', 'THIRD v1.0.0'])
  put('two', { name: 'two', protocol: 'THIRD', signed_at: '2026-11-03T00:00:00Z' })
  await scene.later()
  assert.equal((await scene.states())['two@1.0.0'], 'Pending: version taken')
  assert.deepEqual(scene.routed(), ['OTHER v1.0.0', 'THIRD v1.0.0'])
})
