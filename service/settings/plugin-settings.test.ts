import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from './config-error.ts'
import { readPluginSettings } from './plugin-settings.ts'
import { reader } from './reader.ts'

const read = (env: Record<string, string> = {}) => readPluginSettings(reader(env, 'up'))

test('defaults: every feature, signatures required, a scan every five seconds', () => {
  assert.deepEqual(read(), {
    features: ['native-adapter', 'wasm-adapter'],
    plugins: {
      directory: undefined,
      auto_discover: true,
      allowed_sources: ['wasm', 'builtin'],
      watch_interval_ms: 5_000,
      require_signatures: true,
      processes_max: 2,
      abi_level: '37.0.0',
    },
  })
})

test('set values count, in any order and with any spaces', () => {
  const { features, plugins } = read({
    SVC_FEATURES: ' wasm-adapter , native-adapter',
    SVC_PLUGIN_SOURCES: 'none',
    SVC_PLUGIN_DIR: '/srv/plugins',
    SVC_PLUGIN_REQUIRE_SIGNATURES: 'false',
    SVC_PLUGIN_AUTO_DISCOVER: 'false',
    SVC_PLUGIN_WATCH_INTERVAL_MS: '100',
    SVC_PLUGIN_PROCESSES: '32',
    SVC_WASMTIME_VERSION: '38.0.1',
  })
  assert.deepEqual(features, ['native-adapter', 'wasm-adapter'])
  assert.deepEqual(plugins, {
    directory: '/srv/plugins',
    auto_discover: false,
    allowed_sources: [],
    watch_interval_ms: 100,
    require_signatures: false,
    processes_max: 32,
    abi_level: '38.0.1',
  })
})

test('anything else is refused in a sentence that names the setting; no ambiguity weakens a check', () => {
  for (const [name, value] of [
    ['SVC_FEATURES', 'wasm'],
    ['SVC_PLUGIN_SOURCES', 'oci'],
    ['SVC_PLUGIN_REQUIRE_SIGNATURES', 'no'],
    ['SVC_PLUGIN_REQUIRE_SIGNATURES', 'False'],
    ['SVC_PLUGIN_AUTO_DISCOVER', '1'],
    ['SVC_PLUGIN_WATCH_INTERVAL_MS', '99'],
    ['SVC_PLUGIN_WATCH_INTERVAL_MS', '1e9'],
    ['SVC_PLUGIN_PROCESSES', '0'],
    ['SVC_PLUGIN_PROCESSES', '33'],
    ['SVC_WASMTIME_VERSION', '37'],
  ] as const)
    assert.throws(
      () => read({ [name]: value }),
      (error: Error) => error instanceof ConfigError && error.message.startsWith(name),
      `${name}=${value}`,
    )
})
