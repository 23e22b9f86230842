// T13: a plugin that differs from what a trusted publisher signed, or is older than before, stays Pending
// with one PluginRejected, and the engine goes on.
import assert from 'node:assert/strict'
import {
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { dispatch } from '../../engines/running-engine.ts'
import { is_long } from '../../faults/scene/chance.ts'
import { type PluginScene, startPluginScene } from '../../plugins/plugin-scene.ts'
import { rejectionsOf } from '../../plugins/rejections.ts'
import { watPlugin } from '../../plugins/wat-plugin.ts'
import { publisher, stranger, type WrittenPlugin, writePlugin } from '../../plugins/written-plugin.ts'
import { eventually } from '../../suite/eventually.ts'
import { pace } from '../../suite/real-time.ts'

const swaps_wanted = is_long ? 2_000 : 600

let scene: PluginScene
let component: Uint8Array
let evil: Uint8Array
let plugins: string

before(async () => {
  scene = await startPluginScene({
    SVC_PLUGIN_WATCH_INTERVAL_MS: '100',
    SVC_TRUSTED_PUBLISHERS: publisher.did,
  })
  plugins = join(scene.data_dir, 'plugins')
  component = await watPlugin({ answer: '{"from":"publisher"}' })
  evil = await watPlugin({ answer: '{"from":"evil"}' })
})
after(() => scene?.stop())

const put = (folder: string, plugin: WrittenPlugin = {}) =>
  writePlugin(join(plugins, folder), { name: folder, protocol: protocolOf(folder), component, ...plugin })
const protocolOf = (folder: string) => folder.replaceAll('-', '').toUpperCase()
const call = (folder: string) =>
  dispatch(scene.engine, { protocol: protocolOf(folder), operation: 'run', input: {} })

const rejections = () => rejectionsOf(scene.data_dir)

interface Case {
  readonly reason: string
  readonly plugin?: WrittenPlugin
  /** Changes its folder after installation. */
  spoil?(path: string): void
}

/** Every way a folder can differ from what was signed, by the engine's message. */
const cases: Readonly<Record<string, Case>> = {
  unsigned: { reason: 'not signed', plugin: { signer: null } },
  untrusted: { reason: 'untrusted publisher', plugin: { signer: stranger } },
  wrongkey: {
    reason: 'bad signature',
    spoil: (path) => replaceIn(path, publisher.public_key, stranger.public_key),
  },
  wrongname: {
    reason: 'bad signature',
    plugin: { signer: stranger },
    spoil: (path) => replaceIn(path, stranger.did, publisher.did),
  },
  swapped: { reason: 'bad signature', spoil: (path) => writeFileSync(join(path, 'plugin.wasm'), evil) },
  described: { reason: 'bad signature', spoil: (path) => writeFileSync(join(path, 'operations.json'), '{}') },
  retold: { reason: 'bad signature', spoil: (path) => replaceIn(path, 'A plugin of', 'The plugin of') },
  added: { reason: 'bad signature', spoil: (path) => writeFileSync(join(path, 'less'), '') },
  removed: {
    reason: 'bad signature',
    plugin: { files: { more: 'x' } },
    spoil: (path) => unlinkSync(join(path, 'more')),
  },
  renamed: {
    reason: 'bad signature',
    plugin: { files: { more: 'x' } },
    spoil: (path) => renameSync(join(path, 'more'), join(path, 'most')),
  },
  gone: { reason: 'no component', spoil: (path) => unlinkSync(join(path, 'plugin.wasm')) },
  pathup: {
    reason: 'bad manifest',
    spoil: (path) => replaceIn(path, '"plugin.wasm"', '"../unsigned/plugin.wasm"'),
  },
  pathroot: { reason: 'bad manifest', spoil: (path) => replaceIn(path, '"plugin.wasm"', '"/etc/hostname"') },
  linked: {
    reason: 'not a plain file',
    spoil(path) {
      renameSync(path, join(scene.folder, 'linked'))
      symlinkSync(join(scene.folder, 'linked'), path)
    },
  },
  linkinside: {
    reason: 'not a plain file',
    spoil(path) {
      renameSync(join(path, 'plugin.wasm'), join(scene.folder, 'outside.wasm'))
      symlinkSync(join(scene.folder, 'outside.wasm'), join(path, 'plugin.wasm'))
    },
  },
  huge: { reason: 'too large', spoil: (path) => truncateSync(join(path, 'plugin.wasm'), 65 * 1024 * 1024) },
  empty: { reason: 'no manifest', spoil: (path) => unlinkSync(join(path, 'plugin.toml')) },
  toonew: { reason: 'min_svc_version', plugin: { min_svc_version: '9999.0.0' } },
}

function replaceIn(folder: string, from: string, to: string): void {
  const path = join(folder, 'plugin.toml')
  const text = readFileSync(path, 'utf8')
  assert.ok(text.includes(from), `${from} is not in ${text}`)
  writeFileSync(path, text.replaceAll(from, to))
}

test('whatever differs from what a trusted publisher signed stays Pending, with exactly one PluginRejected, and the rest serves', async () => {
  put('good')
  for (const [folder, { plugin, spoil }] of Object.entries(cases)) {
    // Hidden until it is complete.
    writePlugin(join(plugins, '.made'), { name: folder, protocol: protocolOf(folder), component, ...plugin })
    spoil?.(join(plugins, '.made'))
    renameSync(join(plugins, '.made'), join(plugins, folder))
  }
  await scene.untilState('good', 'Registered')
  for (const [folder, { reason }] of Object.entries(cases)) {
    const pending = await scene.untilState(folder, 'Pending')
    const { status, body } = await call(folder)
    assert.deepEqual([pending.reason, status, body.error?.code], [reason, 404, 'unknown_protocol'], folder)
  }
  // Each was reported once, also after more scans: a scan that finds a fence was begun after the one before.
  for (const fence of ['fence-one', 'fence-two']) {
    put(fence, { signer: stranger })
    await untilRejected(fence, 1)
  }
  const rejected = await rejections()
  for (const [folder, { reason }] of Object.entries(cases)) {
    const own = rejected.filter(({ plugin }) => plugin === folder)
    assert.deepEqual(
      own.map((each) => each.reason),
      [reason],
      folder,
    )
  }
  assert.equal(rejected.length, Object.keys(cases).length + 2)
  assert.deepEqual((await call('good')).body.output, { from: 'publisher' })
  assert.equal((await fetch(`${scene.engine.api_url}/ready`)).status, 200)
})

test('an older signed version does not come back, alone or beside the newer one; nor an older build', async () => {
  put('aged', { version: '1.1.0' })
  await scene.untilState('aged', 'Registered')
  put('aged-before', { name: 'aged', protocol: 'AGED', version: '1.0.0', component: evil })
  const older = await scene.untilState('aged', 'Pending')
  assert.deepEqual([older.version, older.reason], ['1.0.0', 'downgrade'])
  put('aged', { version: '1.1.0', signed_at: '2026-10-01T00:00:00Z', component: evil })
  await untilRejected('aged', 2)
  const versions = await dispatch(scene.engine, {
    protocol: 'AGED',
    version: 'v1.0.0',
    operation: 'run',
    input: {},
  })
  assert.equal(versions.status, 404)
  assert.deepEqual((await call('aged')).body.output, { from: 'publisher' })
  // Removed and restored, it is still older.
  rmSync(join(plugins, 'aged'), { recursive: true })
  rmSync(join(plugins, 'aged-before'), { recursive: true })
  await scene.untilState('aged', 'Removed')
  put('aged', { version: '1.0.0', component: evil })
  await untilRejected('aged', 3)
  assert.equal((await call('aged')).status, 404)
  await scene.run('enable', 'aged@1.0.0', '--allow-downgrade')
  await scene.untilState('aged', 'Registered')
  assert.deepEqual((await call('aged')).body.output, { from: 'evil' })
})

async function untilRejected(plugin: string, count: number): Promise<void> {
  await eventually(async () => {
    const rejected = (await rejections()).filter((each) => each.plugin === plugin)
    assert.equal(rejected.length, count, JSON.stringify(rejected))
  })
}

test('a folder swapped continuously while the engine reads it never admits unsigned content', async (t) => {
  const [good, bad] = [join(scene.folder, 'good'), join(scene.folder, 'bad')]
  writePlugin(good, { name: 'race', protocol: 'RACE', component })
  writePlugin(bad, { name: 'race', protocol: 'RACE', component })
  writeFileSync(join(bad, 'plugin.wasm'), evil)
  const place = join(plugins, 'race')
  let swaps = 0
  const answers = new Set<string>()
  while (swaps < swaps_wanted) {
    for (const source of [good, bad]) {
      renameSync(source, place)
      if (swaps++ % 7 === 0) await pace(swaps % 40)
      writeFileSync(join(place, 'plugin.wasm'), source === good ? evil : component)
      writeFileSync(join(place, 'plugin.wasm'), source === good ? component : evil)
      renameSync(place, source)
    }
    if (swaps % 20 === 0) answers.add(String((await call('race')).body.output?.from))
  }
  t.diagnostic(`N=${swaps} swaps`)
  answers.delete('undefined')
  assert.ok(
    [...answers].every((from) => from === 'publisher'),
    [...answers].join(),
  )
  renameSync(good, place)
  await scene.untilState('race', 'Registered')
  assert.deepEqual((await call('race')).body.output, { from: 'publisher' })
  assert.equal((await fetch(`${scene.engine.api_url}/ready`)).status, 200)
})
