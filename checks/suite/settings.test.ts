// The tables of settings are complete: each row is read by the programs it names, and no other name is used
// anywhere.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { readServeConfig } from '@svc/service/settings/config'
import { readConsoleSettings } from '@svc/service/settings/console-settings'
import { readGatewayConfig } from '@svc/service/settings/gateway-settings'
import { settingsHelp } from '@svc/service/settings/help'
import { requireKnownNames } from '@svc/service/settings/known-names'
import { readLoginSettings } from '@svc/service/settings/login-settings'
import { readNewMasterKey } from '@svc/service/settings/master-key-settings'
import { type Environment, reader } from '@svc/service/settings/reader'
import { defaultOf, type Program, type Setting } from '@svc/service/settings/setting'
import { settings } from '@svc/service/settings/table'
import { environment } from '../../clients/cli/environment.ts'
import { namesRead } from '../deploy/deployment.ts'
import { compose_settings, test_settings } from '../engines/test-settings.ts'

const root = join(import.meta.dirname, '../..')
const rows: readonly (readonly [string, Setting])[] = Object.entries(settings)
const identity = newIdentity('operator', 'service')

/** With everything that makes a program read more: a broker, an issuer, models, Kafka, a bucket. */
const full: Environment = {
  SVC_AGENT_DID: identity.did,
  SVC_AGENT_KEY: identity.private_key,
  SVC_ENGINE_DID: identity.did,
  SVC_TENANT_ID: 'operator',
  SVC_DB_URL: 'postgres://db.example/svc',
  SVC_REDIS_URL: 'redis://cache.example:6379',
  SVC_MASTER_KEY: 'a'.repeat(64),
  SVC_NEW_MASTER_KEY: 'b'.repeat(64),
  SVC_GATEWAY_KEY: 'a'.repeat(64),
  SVC_API_URL: 'http://127.0.0.1:8080',
  SVC_TLS_CERT: 'tls.crt',
  SVC_TLS_KEY: 'tls.key',
  SVC_AUDIT_SINK: 'kafka',
  SVC_KAFKA_BROKERS: 'kafka.example:9092',
  SVC_LOG_ARCHIVE: 's3://logs/svc',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  SVC_MQTT_URL: 'mqtts://broker.example:8883',
  SVC_OIDC_ISSUER: 'https://login.example',
  SVC_OIDC_CLIENT_ID: 'svc',
  SVC_MODEL_URL: 'https://models.example/v1',
  SVC_MODEL_NAME: 'm',
  SVC_EMBEDDINGS_URL: 'https://models.example/v1',
  SVC_EMBEDDINGS_NAME: 'e',
  SVC_MCP_URL: 'https://svc.example/mcp',
  SVC_SMTP_URL: 'smtps://mail.example',
  SVC_SMTP_FROM: 'svc@acme.example',
}

const readers: readonly (readonly [Program, (env: Environment) => unknown])[] = [
  ['serve', (env) => [readServeConfig(env), readNewMasterKey(reader(env, 'serve'))]],
  ['console', readConsoleSettings],
  ['gateway', (env) => [readGatewayConfig(env), readLoginSettings(reader(env, 'gateway'))]],
]

for (const [program, read] of readers)
  test(`${program} reads exactly the settings of its table`, () => {
    const names = [...namesRead(full, read)].filter((name) => !name.endsWith('_FILE'))
    const listed = rows.filter(([, { programs }]) => programs.includes(program)).map(([name]) => name)
    assert.deepEqual(names.sort(), listed.sort())
    const help = settingsHelp(program)
    for (const name of listed) assert.match(help, new RegExp(`^  ${name} `, 'm'))
  })

test('a program that reads a setting outside its table fails', () => {
  assert.throws(
    () => reader({}, 'console')('SVC_MASTER_KEY'),
    /does not say that console reads SVC_MASTER_KEY/,
  )
})

test('every row is read somewhere, has a valid default, and one or two sentences', () => {
  const sources = filesOf('service/**/*.ts').filter((path) => !/settings\/table\.ts$|\.test\.ts$/.test(path))
  const text = sources.map((path) => readFileSync(join(root, path), 'utf8')).join('\n')
  for (const [name, row] of rows) {
    assert.ok(text.includes(`'${name}'`), `${name} is read nowhere`)
    assert.match(row.meaning, /^[A-Za-z][^\n]{8,119}\.$/, name)
    for (const program of row.programs) {
      const otherwise = defaultOf(row, program)
      if (otherwise !== undefined) assert.notEqual(row.type.parse(otherwise, name), undefined, name)
      else assert.ok(typeof row.default !== 'object', `${name} has no default for ${program}`)
    }
  }
})

test('no source, page or manifest names a setting outside the tables', () => {
  const listed = [...rows, ...environment, ...test_settings, ...compose_settings].map(([name]) => name)
  const names = new Set([...listed, ...listed.map((name) => `${name}_FILE`), 'SVC_X', 'SVC_X_FILE'])
  const paths = filesOf('**/*.{ts,tsx,mjs,rs,yaml,tpl,md,txt}', 'deploy/Dockerfile')
  for (const path of paths.filter((path) => !path.startsWith('docs/decisions/'))) {
    // A test may invent names, but not read them.
    const form = path.endsWith('.test.ts')
      ? /(?<!delete )process\.env\.(SVC_\w+)\b(?! = )/g
      : /\b(SVC_[A-Z0-9_]*[A-Z0-9])\b(?!_)/g
    for (const [, name = ''] of readFileSync(join(root, path), 'utf8').matchAll(form))
      assert.ok(names.has(name), `${path} names ${name}`)
  }
})

function filesOf(...patterns: string[]): string[] {
  const exclude = (path: string) => /(^|\/)(node_modules|target|dist|\.svc|\.git)$/.test(path)
  return globSync(patterns, { cwd: root, exclude })
}

test('every name that anything reads is known, and others are refused with the nearest', () => {
  const names = [
    ...Object.keys(settings),
    ...[...environment, ...test_settings, ...compose_settings].map(([name]) => name),
  ]
  requireKnownNames(Object.fromEntries(names.map((name) => [name, 'x'])))
  requireKnownNames({
    SVC_DB_URL_FILE: '/run/db',
    SVC_SERVICE_PORT_HTTP: '80',
    SVC_PORT_8080_TCP_ADDR: '10.0.0.1',
  })
  const refused = (env: Environment, sentence: RegExp) =>
    assert.throws(() => requireKnownNames(env), sentence)
  refused(
    { SVC_REQUIRE_GATEWY: '1' },
    /SVC_REQUIRE_GATEWY \(did you mean SVC_REQUIRE_GATEWAY\?\); correct or unset it/,
  )
  refused({ SVC_METRICS_PORT: 'off', SVC_ZZ: '' }, /SVC_METRICS_PORT.*, SVC_ZZ; correct or unset them/)
})
