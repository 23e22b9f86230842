// The operator's settings, failures, and slow loads.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { sql } from '@svc/database/sql'
import { openTestLoader, type TestLoader } from '../../checks/plugins/test-loader.ts'
import { type WrittenPlugin, writePlugin } from '../../checks/plugins/written-plugin.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import { eventually } from '../../checks/suite/eventually.ts'
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
const say = (name: string, enabled: boolean) =>
  enablePlugin(store.store.engine, { name, version: undefined, enabled, allow_downgrade: false })

test('a disabled plugin does not serve, whatever its folder contains, and serves again when enabled', async () => {
  put('greeting')
  await scene.later()
  await say('greeting', false)
  await scene.settle()
  assert.deepEqual([scene.routed(), scene.alive.size], [[], 0])
  assert.deepEqual(await scene.states(), { 'greeting@1.0.0': 'Disabled: disabled' })
  await say('greeting', true)
  await scene.settle()
  assert.deepEqual(
    [scene.routed(), await scene.states()],
    [['GREET v1.0.0'], { 'greeting@1.0.0': 'Registered' }],
  )
  writeFileSync(join(scene.directory, 'greeting/plugin.toml'), 'nonsense')
  await scene.later()
  await say('greeting', false)
  await scene.settle()
  assert.deepEqual([scene.routed(), scene.alive.size], [[], 0])
})

test('a load that hangs blocks nobody: others load, are disabled, and the loader closes', async () => {
  put('one', { name: 'one', protocol: 'ONE' })
  await scene.later()
  scene.onLoad = (key) => (key.startsWith('slow') ? new Promise(() => {}) : Promise.resolve())
  put('slow', { name: 'slow', protocol: 'SLOW' })
  await scene.loader.scan()
  put('two', { name: 'two', protocol: 'TWO' })
  await scene.loader.scan()
  await scene.loader.scan()
  assert.deepEqual(scene.routed(), ['ONE v1.0.0', 'TWO v1.0.0'])
  await say('one', false)
  await scene.loader.scan()
  assert.deepEqual(scene.routed(), ['TWO v1.0.0'])
  assert.equal(scene.loader.problem, undefined)
  await scene.loader.close()
  assert.equal(scene.alive.size, 0)
})

test('an engine is not ready before the plugins found at its start are loaded', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  scene.onLoad = () => promise
  put('greeting')
  await scene.loader.scan()
  assert.match(scene.loader.problem!, /being loaded/)
  resolve()
  await scene.settle()
  assert.equal(scene.loader.problem, undefined)
})

test('a load that became unwanted is closed, and its replacement is loaded', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  scene.onLoad = () => promise
  put('greeting')
  await scene.loader.scan()
  await eventually(() => assert.equal(scene.loads.length, 1))
  put('greeting', { component: Buffer.from('new'), signed_at: '2026-11-02T00:00:00Z' })
  await scene.loader.scan()
  resolve()
  await scene.later()
  assert.deepEqual([scene.loads.length, scene.alive.size], [2, 1])
  assert.deepEqual(await scene.states(), { 'greeting@1.0.0': 'Registered' })
})

test('a plugin disabled during its load never serves, and leaves nothing', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  put('greeting')
  await scene.later()
  scene.onLoad = () => promise
  put('greeting', { component: Buffer.from('new'), signed_at: '2026-11-02T00:00:00Z' })
  await scene.loader.scan()
  await eventually(() => assert.equal(scene.loads.length, 2))
  await say('greeting', false)
  await scene.loader.scan()
  resolve()
  await scene.later()
  await eventually(() => assert.equal(scene.alive.size, 0))
  assert.deepEqual([scene.routed(), await scene.states()], [[], { 'greeting@1.0.0': 'Disabled: disabled' }])
})

test('nothing serves that is not stored: a plugin that cannot be stored is closed, and tried again', async () => {
  await scene.close()
  let is_down = true
  const clock = {
    ...manualClock('2026-11-16T08:00:00Z'),
    now_ms() {
      if (is_down) throw new Error('the database is down')
      return 0
    },
  }
  scene = openTestLoader(store.store.engine, { clock })
  put('greeting')
  await scene.settle()
  assert.deepEqual([scene.routed(), scene.alive.size], [[], 0])
  assert.notEqual(scene.loader.problem, undefined)
  is_down = false
  await scene.settle()
  assert.deepEqual(
    [scene.routed(), await scene.states()],
    [['GREET v1.0.0'], { 'greeting@1.0.0': 'Registered' }],
  )
  assert.equal(scene.loader.problem, undefined)
})

test('a folder that changed before its load is simply read again', async () => {
  put('greeting')
  await scene.loader.scan()
  put('greeting', { component: Buffer.from('new'), signed_at: '2026-11-02T00:00:00Z' })
  await scene.later()
  assert.deepEqual(await scene.states(), { 'greeting@1.0.0': 'Registered' })
  assert.deepEqual(scene.rejected, [])
})

test('a plugin that cannot be loaded is in Error with its reason, is retried a few times, and then left', async () => {
  let tries = 0
  scene.onLoad = async () => {
    tries++
    throw new Error('it is no component')
  }
  put('greeting')
  await scene.settle()
  assert.deepEqual(await scene.states(), { 'greeting@1.0.0': 'Error: cannot be loaded' })
  for (let i = 0; i < 10; i++) {
    scene.clock.advance(180_000)
    await scene.settle()
  }
  assert.deepEqual([tries, scene.rejected], [3, []])
  scene.onLoad = async () => {}
  await say('greeting', true)
  await scene.settle()
  assert.deepEqual(await scene.states(), { 'greeting@1.0.0': 'Registered' })
})

test('a plugin that breaks while it serves is unloaded, in Error with its reason, and retried', async () => {
  put('greeting')
  await scene.later()
  scene.alive.get('greeting@1.0.0')!.onBroken('it does not start')
  await scene.settle()
  assert.deepEqual(
    [scene.routed(), await scene.states()],
    [[], { 'greeting@1.0.0': 'Error: cannot be started' }],
  )
  scene.clock.advance(60_000)
  await scene.settle()
  assert.deepEqual(
    [scene.routed(), await scene.states()],
    [['GREET v1.0.0'], { 'greeting@1.0.0': 'Registered' }],
  )
  const [old] = [...scene.alive.values()]
  put('greeting', { signer: null })
  await scene.later()
  old!.onBroken('it does not start')
  await scene.settle()
  assert.deepEqual(scene.routed(), [])
})

test('without auto_discover nothing serves before the operator enables it; waiting versions may coexist', async () => {
  await scene.close()
  scene = openTestLoader(store.store.engine, { config: { auto_discover: false } })
  put('a', { version: '1.0.0' })
  put('b', { version: '1.1.0' })
  await scene.later()
  assert.deepEqual(await scene.states(), {
    'greeting@1.0.0': 'Pending: awaits enable',
    'greeting@1.1.0': 'Pending: awaits enable',
  })
  assert.deepEqual([scene.rejected, scene.routed()], [[], []])
  await enablePlugin(store.store.engine, {
    name: 'greeting',
    version: '1.1.0',
    enabled: true,
    allow_downgrade: false,
  })
  await scene.later()
  await say('greeting', true)
  await scene.later()
  assert.deepEqual(scene.routed(), ['GREET v1.0.0', 'GREET v1.1.0'])
})

test('a changed configuration is passed to the plugin again; an unreadable one changes nothing', {
  timeout: 180_000,
}, async () => {
  const file = join(scene.directory, 'greeting.json')
  put('greeting')
  await scene.settle()
  const config = () => scene.alive.get('greeting@1.0.0')!.config()
  assert.deepEqual(config(), {})
  for (const [text, expected] of [
    ['{"language":"fr"}', { language: 'fr' }],
    ['{"language":', { language: 'fr' }],
    ['[1]', { language: 'fr' }],
    [JSON.stringify({ x: 'x'.repeat(64 * 1024) }), { language: 'fr' }],
    ['{}', {}],
  ] as const) {
    writeFileSync(file, text)
    await scene.settle()
    assert.deepEqual(config(), expected)
  }
  rmSync(file)
  execFileSync('mkfifo', [file])
  await scene.settle()
  assert.equal(scene.loader.problem, undefined)
})

test("a folder that cannot be read is the loader's problem; serving plugins go on", async () => {
  put('greeting')
  await scene.later()
  rmSync(scene.directory, { recursive: true })
  await scene.later()
  assert.match(scene.loader.problem!, /cannot be read \(ENOENT\)/)
  assert.deepEqual(scene.routed(), ['GREET v1.0.0'])
})

test('an engine without a plugin folder does not change the state of others', async () => {
  put('greeting')
  await scene.later()
  const other = openTestLoader(store.store.engine, {
    may_be_absent: true,
    config: { directory: join(scene.directory, 'nowhere') },
  })
  await other.later()
  await other.later()
  assert.equal(other.loader.problem, undefined)
  assert.deepEqual(await scene.states(), { 'greeting@1.0.0': 'Registered' })
  await other.loader.close()
})

test('two engines of different versions on one folder do not overrule each other endlessly', async () => {
  const older = openTestLoader(store.store.engine, {
    svc_version: '1.0.0',
    config: { directory: scene.directory },
  })
  put('greeting', { min_svc_version: '1.2.0' })
  for (let i = 0; i < 4; i++) {
    await scene.later()
    await older.later()
  }
  assert.deepEqual([scene.routed(), older.routed(), older.rejected.length], [['GREET v1.0.0'], [], 1])
  await older.loader.close()
})

test('a hostile manifest does not hide other plugins', async () => {
  const endpoint = 'svc.\u0000'
  put('a', { name: 'evil', signer: null, integrations: { x: { kind: 'capability', endpoint } } })
  put('c', { name: 'zero', version: '1.0.0-a..b', signer: null })
  put('d', { name: 'greeting', version: '1.0.0-a..b', signer: null })
  await scene.later()
  put('b')
  await scene.later()
  assert.equal(scene.loader.problem, undefined)
  assert.deepEqual(await scene.states(), {
    'evil@1.0.0': 'Pending: not signed',
    'greeting@1.0.0': 'Registered',
    'greeting@1.0.0-a..b': 'Pending: not signed',
    'zero@1.0.0-a..b': 'Pending: not signed',
  })
})
