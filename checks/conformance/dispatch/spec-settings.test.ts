// Each variable, port and limit of the specification against the configuration of serve and gateway.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { plugin_directory_default } from '@svc/service/assembly/plugins'
import { readServeConfig } from '@svc/service/settings/config'
import { readConsoleSettings } from '@svc/service/settings/console-settings'
import { readGatewayConfig } from '@svc/service/settings/gateway-settings'
import * as spec from './spec-settings.ts'

const required = {
  SVC_AGENT_DID: newIdentity('operator', 'service').did,
  SVC_TENANT_ID: 'operator',
  SVC_DB_URL: 'postgres://db.example/svc',
  SVC_REDIS_URL: 'redis://cache.example:6379',
  SVC_MASTER_KEY: 'a'.repeat(64),
  SVC_KAFKA_BROKERS: 'kafka.example:9092',
}

/** Each setting by its operator's name, from the configuration that serve uses. */
function settingsOf(env: Record<string, string>): Record<string, unknown> {
  const config = readServeConfig(env)
  const { plugins, host, port, ...rest } = config
  return {
    ...rest,
    address: `${host}:${port}`,
    abi_level: plugins.abi_level,
    plugin_dir: plugins.directory ?? plugin_directory_default,
    signatures: plugins.require_signatures,
    scan_ms: plugins.watch_interval_ms,
    sink: config.kafka === undefined ? 'production' : 'kafka',
    backend: config.redis_url === undefined ? 'memory' : 'redis',
  }
}

for (const { name, otherwise, setting, ...more } of [...spec.variables, ...spec.limits])
  test(`Variables and limits: ${name}`, () => {
    if (otherwise === 'required') {
      const { [name as keyof typeof required]: _, ...without } = required
      assert.throws(() => readServeConfig(without), new RegExp(`needs ${name};`))
      assert.equal(settingsOf(required)[setting], required[name as keyof typeof required])
    } else assert.equal(settingsOf(required)[setting], otherwise)
    if ('set' in more) assert.equal(settingsOf({ ...required, [name]: more.set })[setting], more.reads)
  })

const gateway_env = {
  SVC_API_URL: 'http://127.0.0.1:8080',
  SVC_DB_URL: required.SVC_DB_URL,
  SVC_TENANT_ID: 'operator',
  SVC_ENGINE_DID: required.SVC_AGENT_DID,
  SVC_GATEWAY_KEY: 'a'.repeat(64),
  SVC_TLS_CERT: 'tls.crt',
  SVC_TLS_KEY: 'tls.key',
}

test('Variables: SVC_API_URL is the upstream of relays, and serve does not need it', () => {
  const { SVC_API_URL, ...without } = gateway_env
  assert.throws(() => readGatewayConfig(without), /SVC_API_URL/)
  assert.deepEqual(readGatewayConfig(gateway_env).api_urls.map(String), [`${SVC_API_URL}/`])
})

test('Variables: SVC_TLS_CA is a file of certificates, absent by default', () => {
  assert.equal(readServeConfig(required).tls.authorities(), undefined)
  assert.throws(() => readServeConfig({ ...required, SVC_TLS_CA: '/nowhere' }), /SVC_TLS_CA names \/nowhere/)
})

test('Default ports per deployed component', () => {
  const { port, mcp_port } = readServeConfig(required)
  const console_port = readConsoleSettings({ SVC_API_URL: 'http://127.0.0.1:8080' }).port
  const gateway_port = readGatewayConfig(gateway_env).port
  assert.deepEqual(
    // The messaging service is an engine with one protocol.
    { messaging: port, engine: port, mcp: mcp_port, console: console_port, gateway: gateway_port },
    spec.ports,
  )
})
