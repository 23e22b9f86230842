// Plugins by the spec's own sentences, over HTTP, with real components.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import { enablePlugin, listPlugins, type StoredPlugin } from '@svc/adapters/plugins/plugin-store'
import { readSettings } from '@svc/service/settings/config'
import { reader } from '@svc/service/settings/reader'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { watPlugin } from '../../plugins/wat-plugin.ts'
import { publisher, type WrittenPlugin, writePlugin } from '../../plugins/written-plugin.ts'
import { until } from '../../suite/eventually.ts'

const directory = mkdtempSync(join(tmpdir(), 'svc-plugins-'))
let service: InProcessService
let component: Uint8Array

function start(env: Record<string, string> = {}, folder = directory): Promise<InProcessService> {
  const engine_settings = { SVC_PLUGIN_DIR: folder, SVC_PLUGIN_WATCH_INTERVAL_MS: '100', ...env }
  const { plugins, features, trusted_publishers } = readSettings(
    reader({ SVC_TRUSTED_PUBLISHERS: publisher.did, ...engine_settings }, 'up'),
  )
  return startInProcess({
    identity: key_only_resolver,
    caller: { capabilities: ['svc.*.*'] },
    config: { plugins, features, trusted_publishers },
  })
}

before(async () => {
  component = await watPlugin()
  service = await start()
})
after(async () => {
  await service?.stop()
  rmSync(directory, { recursive: true, force: true })
})

const put = (folder: string, plugin: WrittenPlugin = {}) =>
  writePlugin(join(directory, folder), { component, ...plugin })
const take = (folder: string) => rmSync(join(directory, folder), { recursive: true })
const call = (more: object = {}, caller: Addresses = service) =>
  dispatch(caller, { protocol: 'GREET', operation: 'run', input: {}, ...more })
const say = (name: string, enabled: boolean) =>
  enablePlugin(service.service.store.engine, { name, version: undefined, enabled, allow_downgrade: false })

function untilState(key: string, state: string): Promise<StoredPlugin> {
  return until(`${key} is ${state}`, async () => {
    const rows = await listPlugins(service.service.store.engine)
    return rows.find((row) => `${row.name}@${row.version}` === key && row.state === state)
  })
}

const readiness = async (url = service.api_url) => {
  const response = await fetch(`${url}/ready`)
  return { status: response.status, ...((await response.json()) as { checks: Record<string, boolean> }) }
}

test('Pending: manifest valid, signature verified, WASM loads: Registered, plugin serves requests', async () => {
  put('greeting')
  await untilState('greeting@1.0.0', 'Registered')
  const { status, body } = await call({ version: 'v1.0.0' })
  assert.deepEqual([status, body.output, body.metadata.version], [200, { ok: true }, 'v1.0.0'])
})

test('Pending: signature missing or invalid while require_signatures is true: Pending (stays), PluginRejected audit event', async () => {
  put('unsigned', { name: 'unsigned', protocol: 'UNSIGNED', signer: null })
  const { reason } = await untilState('unsigned@1.0.0', 'Pending')
  assert.equal(reason, 'not signed')
  const plugin_records = await until('the rejection is recorded', async () => {
    const records = await service.records(service.operator.tenant_id, { event_types: ['PluginRejected'] })
    return records.length > 0 && records
  })
  assert.deepEqual(
    plugin_records.map(({ outcome, meta, caller_did }) => [
      outcome,
      meta?.plugin,
      caller_did,
      Object.keys(meta?.supplied ?? {}),
    ]),
    [['refused', 'unsigned', service.operator.did, ['why']]],
  )
  const measured = await service.service.measure()
  const counted = measured.find(({ name }) => name === 'svc_plugin_rejected_total')
  assert.equal(counted?.values[0]?.value, 1)
  assert.equal((await call({ protocol: 'UNSIGNED' })).body.error.code, 'unknown_protocol')
  take('unsigned')
})

test('Registered: admin command, deliberately turned off: Disabled', async () => {
  await say('greeting', false)
  const { why } = await untilState('greeting@1.0.0', 'Disabled')
  assert.match(why, /operator turned it off/)
  assert.equal((await call()).body.error.code, 'unknown_protocol')
  await say('greeting', true)
  await untilState('greeting@1.0.0', 'Registered')
  await until('it answers', async () => (await call()).status === 200)
})

test('Registered: load or runtime failure: Error, reason recorded', async () => {
  put('broken', { name: 'broken', protocol: 'BROKEN', component: Buffer.from('this is no component') })
  const { reason, why } = await untilState('broken@1.0.0', 'Error')
  assert.equal(reason, 'cannot be loaded')
  assert.match(why, /no component/)
  put('liar', { name: 'liar', protocol: 'LIAR', operations: ['run', 'walk'] })
  assert.match((await untilState('liar@1.0.0', 'Error')).why, /does not serve walk/)
  assert.equal((await readiness()).status, 200)
  take('broken')
  take('liar')
})

test('ready: plugin loader unhealthy: not ready (503 from /ready)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-plugins-'))
  const other = await start({}, folder)
  try {
    assert.deepEqual((await readiness(other.api_url)).checks.plugins, true)
    rmSync(folder, { recursive: true })
    const unready = await until('it is not ready', async () => {
      const answer = await readiness(other.api_url)
      return answer.status === 503 && answer
    })
    assert.equal(unready.checks.plugins, false)
    writePlugin(join(folder, 'greeting'), { component })
    await until('it is ready again', async () => (await readiness(other.api_url)).status === 200)
  } finally {
    await other.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

async function versionFor(version: string, caller: Addresses): Promise<string> {
  const { body } = await call({ version }, caller)
  return body.metadata?.version ?? body.error.code
}

test('If a specific version is requested, exact match is used; otherwise the highest stable version registered', async () => {
  put('greeting-1.2', { version: '1.2.0' })
  put('greeting-1.10', { version: '1.10.0' })
  put('greeting-2', { version: '2.0.0-rc.1' })
  await untilState('greeting@2.0.0-rc.1', 'Registered')
  const steady = await service.newCaller({ capabilities: ['svc.greet.run'] })
  assert.equal(await versionFor('v1.2.0', steady), 'v1.2.0')
  assert.equal(await versionFor('v1', steady), 'v1.10.0')
  assert.equal(await versionFor('latest', steady), 'v1.10.0')
  assert.equal(await versionFor('v1.3.0', steady), 'unknown_version')
})

test('Pre-release versions are skipped unless the tenant holds the capability svc.<protocol>.pre-release', async () => {
  const steady = await service.newCaller({ capabilities: ['svc.greet.run'] })
  assert.equal(await versionFor('v2', steady), 'unknown_version')
  assert.equal(await versionFor('v2.0.0-rc.1', steady), 'unknown_version')
  const early = await service.newCaller({ capabilities: ['svc.greet.run', 'svc.greet.pre-release'] })
  assert.equal(await versionFor('v2', early), 'v2.0.0-rc.1')
})

test('With several versions deployed (canary rollout), a percentage of traffic is routed by tenant hash', async () => {
  const { registry } = service.service
  const callers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      service.newCaller({ tenant_id: `canary-${index}`, capabilities: ['svc.greet.run'] }),
    ),
  )
  const versionsSeen = () => Promise.all(callers.map((caller) => versionFor('v1', caller)))
  registry.setCanary('GREET', [{ version: 'v1.10.0', weight_bps: 5_000 }])
  const versions = await versionsSeen()
  assert.deepEqual([...new Set(versions)].sort(), ['v1.10.0', 'v1.2.0'])
  assert.deepEqual(await versionsSeen(), versions, 'a tenant stays where it is')
  registry.setCanary('GREET', [])
  assert.deepEqual([...new Set(await versionsSeen())], ['v1.10.0'])
})

test('a loaded plugin is on the map of MAZE, hosted by the engine and hosting its protocol', async () => {
  const input = { include: ['plugins', 'protocols'] }
  const { body } = await dispatch(service, { protocol: 'MAZE', operation: 'topology', input })
  const { nodes, edges } = body.output
  const shown = nodes.filter(({ kind }: { kind: string }) => kind === 'plugin')
  assert.deepEqual(
    shown.map(({ id, label, state, health }: Record<string, unknown>) => [id, label, state, health]).sort(),
    ['1.0.0', '1.10.0', '1.2.0', '2.0.0-rc.1'].map((version) => [
      `plugin:greeting@${version}`,
      `greeting ${version}`,
      'REGISTERED',
      1,
    ]),
  )
  const hosts = edges.filter(({ kind }: { kind: string }) => kind === 'hosts')
  const between = hosts.map(({ from, to }: { from: string; to: string }) => `${from} ${to}`)
  assert.ok(between.includes(`engine:${service.operator.did} plugin:greeting@1.0.0`), between.join('\n'))
  assert.ok(between.includes('plugin:greeting@1.0.0 protocol:GREET'))
})

test('A plugin manifest declares min_svc_version', async () => {
  put('newer', { name: 'newer', protocol: 'NEWER', min_svc_version: '9999.0.0' })
  const { reason, why } = await untilState('newer@1.0.0', 'Pending')
  assert.equal(reason, 'min_svc_version')
  assert.match(why, /needs svc 9999\.0\.0 or newer/)
  take('newer')
})

test('Engine feature flags: native-adapter and wasm-adapter', async () => {
  const statuses = async (other: InProcessService) => ({
    greet: (await dispatch(other, { protocol: 'GREET', operation: 'run', input: {} })).status,
    own: (
      await dispatch(other, {
        protocol: 'MAX',
        operation: 'audit_query',
        input: { correlation_id: crypto.randomUUID() },
      })
    ).status,
  })
  const without_plugins = await start({ SVC_FEATURES: 'native-adapter' })
  try {
    assert.deepEqual(await statuses(without_plugins), { greet: 404, own: 200 })
    assert.equal((await readiness(without_plugins.api_url)).status, 200)
  } finally {
    await without_plugins.stop()
  }
  const plugins_alone = await start({ SVC_FEATURES: 'wasm-adapter' })
  try {
    await until('it is ready', async () => (await readiness(plugins_alone.api_url)).status === 200)
    assert.deepEqual(await statuses(plugins_alone), { greet: 200, own: 404 })
  } finally {
    await plugins_alone.stop()
  }
})

test('SVC_WASMTIME_VERSION: pinned plugin runtime version, 37.0.0', async () => {
  const ready = await (await fetch(`${service.api_url}/ready`)).json()
  assert.equal((ready as { plugin_abi: string }).plugin_abi, '37.0.0')
  assert.throws(
    () => readSettings(reader({ SVC_WASMTIME_VERSION: 'newest' }, 'up')),
    /SVC_WASMTIME_VERSION is newest/,
  )
})
