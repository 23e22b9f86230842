// The engine's package: installed into an empty folder it serves, on the newest and the oldest supported
// Node.
import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { translator_package } from '@svc/adapters/plugins/translate'
import { mare } from '@svc/protocols/truth/mare/mare'
import { connect, keyOf } from '../conformance/gateway/mcp-scene.ts'
import { dispatch } from '../engines/running-engine.ts'
import { is_long } from '../faults/scene/chance.ts'
import { watPlugin } from '../plugins/wat-plugin.ts'
import { publisher, writePlugin } from '../plugins/written-plugin.ts'
import { eventually } from '../suite/eventually.ts'
import { filesBelow, type Installed, installEngine, npmInstall, npxEngine, npxUp, run, type StartedEngine, step_ms_max } from './installed-engine.ts' // biome-ignore format: one import
import { otherNode } from './other-node.ts'

/** The lowest that `engines` allows; installing it takes a while. */
const other_nodes = is_long ? ['24.12.0'] : []
const own_bin = dirname(process.execPath)
const plugin_env = { SVC_PLUGIN_WATCH_INTERVAL_MS: '100', SVC_TRUSTED_PUBLISHERS: publisher.did }

let installed: Installed
before(async () => {
  installed = await installEngine()
})
after(() => installed && rm(installed.home, { recursive: true, force: true }))

const entry = (from: string) => ({
  protocol: 'MAX',
  operation: 'audit_log_entry',
  input: { event_type: 'custom.packed', meta: { from } },
})

/** Everything that is located by a path: threads, tables, pages, sandboxes and their translator. */
async function exercise(t: TestContext, engine: StartedEngine, version: string): Promise<void> {
  assert.equal((await dispatch(engine, entry(version))).status, 200)
  t.diagnostic(`Node ${version}: npx svc-engine up listens after ${(engine.start_ms / 1000).toFixed(1)} s`)
  const metrics = await (await fetch(engine.metrics_url)).text()
  assert.match(metrics, new RegExp(`nodejs_version_info\\{[^}]*version="v${version.replaceAll('.', '\\.')}"`))

  const large = {
    ...entry(version),
    input: { event_type: 'custom.large', meta: { text: 'a'.repeat(300_000) } },
  }
  assert.equal(
    (await dispatch(engine, large)).body.error.code,
    'invalid_payload',
    'the reader of large bodies',
  )
  const score = { protocol: 'MARE', operation: 'score', input: mare.operations.score.example }
  assert.equal((await dispatch(engine, score)).status, 200, 'a thread that computes')
  await remember(engine)
  await answersOfPlugin(engine)

  const client = await connect(engine.mcp_url, { headers: keyOf(engine) })
  assert.ok((await client.listTools()).tools.some(({ name }) => name === 'svc.max.audit_query'))
  await client.close()
  for (const [place, words] of [
    [`${engine.api_url}/docs/`, /<h1[ >]/],
    [`${engine.api_url}/docs/packages`, /svc-engine/],
    [`${engine.api_url}/docs/pages.css`, /\{/],
    [`${engine.api_url}/openapi.json`, /"openapi"/],
    [engine.console_url, /<script/],
  ] as const) {
    const page = await fetch(place)
    assert.equal(page.status, 200, place)
    assert.match(await page.text(), words, place)
  }
}

async function remember(engine: StartedEngine): Promise<void> {
  const text = 'The harbour master closes the gate at noon.'
  const store = {
    protocol: 'MIND',
    operation: 'store_memory',
    input: { kind: 'semantic', payload: { text } },
  }
  const answer = await dispatch(engine, store)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const question = { predicate: { semantic: { text: 'When does the port shut?' } } }
  const recalled = await dispatch(engine, { protocol: 'MIND', operation: 'recall_memory', input: question })
  assert.match(JSON.stringify(recalled.body), /harbour master/)
}

function answersOfPlugin(engine: StartedEngine): Promise<void> {
  const request = { protocol: 'GREET', operation: 'run', input: {} }
  return eventually(async () =>
    assert.deepEqual((await dispatch(engine, request)).body.output, { packed: true }),
  )
}

async function useOn(t: TestContext, bin: string, version: string): Promise<void> {
  const component = await watPlugin({ answer: '{"packed":true}' })
  await rm(join(installed.folder, '.svc'), { recursive: true, force: true })
  writePlugin(join(installed.folder, '.svc/plugins/greeting'), { component })
  const engine = await npxUp(installed, bin, plugin_env)
  try {
    await exercise(t, engine, version)
  } finally {
    assert.doesNotMatch(await engine.stop(), /"level":50|Error/)
  }
}

test('without the translator the engine serves, says why a plugin does not, and what to install', async () => {
  const component = await watPlugin({ answer: '{"packed":true}' })
  writePlugin(join(installed.folder, '.svc/plugins/greeting'), { component })
  const engine = await npxUp(installed, own_bin, plugin_env)
  try {
    assert.equal((await dispatch(engine, entry('early'))).status, 200)
    await eventually(async () =>
      assert.match(
        await npxEngine(installed, own_bin, 'plugin', 'list'),
        new RegExp(`npm install ${translator_package}`),
      ),
    )
  } finally {
    await engine.stop()
  }
  await npmInstall(installed.folder, translator_package)
})

test(`npx svc-engine up serves in an empty folder`, (t) => useOn(t, own_bin, process.versions.node))

for (const version of other_nodes) {
  test(`it does on Node ${version}, again after a stop, its audit log verifies, and its plugin kit works`, async (t) => {
    const bin = await otherNode(version)
    await useOn(t, bin, version)
    const engine = await npxUp(installed, bin, plugin_env)
    try {
      assert.equal((await dispatch(engine, entry('again'))).status, 200)
      const audit_log = join(installed.home, 'audit-log.jsonl')
      await writeFile(audit_log, await npxEngine(installed, bin, 'admin', 'export', 'dev'))
      const key = (await npxEngine(installed, bin, 'admin', 'audit', 'key', 'dev')).trim()
      const verdict = JSON.parse(await npxEngine(installed, bin, 'verify', audit_log, '--key', key, '--json'))
      assert.equal(verdict.verified, true, JSON.stringify(verdict))
      await npxEngine(installed, bin, 'plugin', 'new', 'greeter')
      const tested = { cwd: join(installed.folder, 'greeter'), timeout: step_ms_max }
      await run(join(bin, 'node'), ['--test', 'plugin.test.ts'], tested)
    } finally {
      await engine.stop()
    }
  })
}

test('the package contains no test, source, local path, registry or secret', async () => {
  const { folder } = installed.packed
  const files = await filesBelow(folder)
  const kit = /^clients\/plugin-typescript\/(template\/.*\.ts|[\w-]+\.d\.ts)$/
  assert.deepEqual(
    files.filter((path) => /\.(tsx?|map|py|log|key|tgz)$|\.test\.|\.env/.test(path) && !kit.test(path)),
    [],
  )
  const repository = join(import.meta.dirname, '../..')
  for (const words of [repository, '_authToken', 'BEGIN PRIVATE KEY']) {
    const { stdout } = await run('grep', ['-rlF', words, folder]).catch(() => ({ stdout: '' }))
    assert.equal(stdout, '', words)
  }
  // Scalar names a service of its own, which is no registry of packages and is never called.
  const { stdout } = await run('grep', ['-rhoE', '//registry[.][a-z.]+', folder]).catch(() => ({
    stdout: '',
  }))
  assert.deepEqual(
    stdout.split('\n').filter((host) => host !== '' && host !== '//registry.scalar.com'),
    [],
  )
})

test('it depends on exact versions of third-party packages, and on none of ours', async () => {
  const manifest = JSON.parse(await readFile(join(installed.packed.folder, 'package.json'), 'utf8'))
  assert.equal(manifest.engines.node, '>=24.12')
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    assert.doesNotMatch(name, /^@svc\//)
    assert.match(String(version), /^\d+\.\d+\.\d+/)
  }
})
