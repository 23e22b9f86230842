// deploy/compose.yaml without Docker: what it names exists, and the engine's own readers accept every setting
// it gives them.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readLogLevel, readServeConfig } from '@svc/service/settings/config'
import { readConsoleSettings } from '@svc/service/settings/console-settings'
import { readGatewayConfig } from '@svc/service/settings/gateway-settings'
import { readLoginSettings } from '@svc/service/settings/login-settings'
import { type Environment, reader } from '@svc/service/settings/reader'
import { deploy, makeSecrets, movedFiles, namesRead, readCompose, root } from './deployment.ts'

const secrets = makeSecrets()
after(() => secrets.remove())
const compose = readCompose(secrets.settings)
const services = Object.entries(compose.services)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const own_image = `svc:${version}`
const ours = services.filter(([, { image }]) => image === own_image)

/** A secret is mounted under its name in the compose file; its source file may have another name. */
const mounts = Object.fromEntries(
  Object.entries(compose.secrets).map(([name, { file }]) => [
    `/run/secrets/${name}`,
    join(secrets.folder, '..', file),
  ]),
)

function environmentOf(name: string): Environment {
  return movedFiles(compose.services[name]?.environment ?? {}, mounts)
}

const readers: Readonly<Record<string, (env: Environment) => unknown>> = {
  serve: readServeConfig,
  gateway(env) {
    const config = readGatewayConfig(env)
    readLoginSettings(reader(env, 'gateway'))
    return config.tls.client().cert ?? assert.fail('the gateway has no certificate')
  },
  console: readConsoleSettings,
  node(env) {
    const read = reader(env, 'node')
    return [read('APP_BIND_ADDR'), read('SVC_DB_URL'), read('SVC_TRUSTED_ENGINES'), readLogLevel(read)]
  },
}

test('the engine reads every setting that compose gives it, and misses none', () => {
  assert.deepEqual(ours.map(([name]) => name).sort(), [
    'aegis',
    'arsenal',
    'console',
    'engine-1',
    'engine-2',
    'gateway',
    'oas',
  ])
  for (const [name, { command }] of ours) {
    const env = environmentOf(name)
    const names = namesRead(env, readers[command![0]!]!)
    for (const variable of Object.keys(env)) {
      const plain = variable.replace(/_FILE$/, '')
      assert.ok(names.has(variable) || names.has(plain), `${name} is given ${variable}, which it never reads`)
    }
  }
})

test('a missing setting is detected', () => {
  const { SVC_DB_URL_FILE: _, ...without } = environmentOf('engine-1')
  assert.throws(() => readServeConfig(without), /needs SVC_DB_URL/)
})

test('engine, gateway and nodes trust each other, and nobody else', () => {
  const [first, second] = [
    readServeConfig(environmentOf('engine-1')),
    readServeConfig(environmentOf('engine-2')),
  ]
  const gateway = readGatewayConfig(environmentOf('gateway'))
  assert.deepEqual({ ...second, tls: second.tls.files }, { ...first, tls: first.tls.files })
  assert.deepEqual([first.trusted_gateways, first.require_gateway], [[gateway.signer.did], true])
  assert.deepEqual([gateway.engine_did, gateway.tenant_id], [first.agent_did, first.tenant_id])
  assert.equal(first.agent_key?.did, first.agent_did)
  for (const name of ['oas', 'arsenal', 'aegis'])
    assert.deepEqual(reader(environmentOf(name), 'node')('SVC_TRUSTED_ENGINES'), [first.agent_did])
  assert.ok(first.login.public_url?.startsWith('https://'))
  assert.deepEqual(first.kafka?.brokers, ['kafka:9092'])
  assert.deepEqual(
    [first.kafka.topic, first.kafka.tls, first.kafka.sasl],
    ['svc.audit', undefined, undefined],
  )
})

/** From a URL or host:port; empty if it is no address. A password may look like a port. */
function hostOf(text: string): string[] {
  const address = text.includes('://') ? URL.parse(text.trim())?.host : text
  const host = /^([a-z][\w-]*):\d+$/.exec(address ?? '')?.[1]
  return host === undefined ? [] : [host]
}

test('an address is read by its host, whatever its password', () => {
  assert.deepEqual(hostOf('postgres://svc:4f2c@postgres:5432/svc'), ['postgres'])
  assert.deepEqual(hostOf('kafka:9092'), ['kafka'])
  assert.deepEqual(hostOf('did:oas:operator:service:12'), [])
})

test('every addressed host is a service, on a common network', () => {
  const called = new Set<string>()
  for (const [name, { environment = {}, networks }] of ours) {
    const values = Object.values(environmentOf(name)).concat(
      Object.keys(environment)
        .filter((variable) => variable.endsWith('_URL_FILE'))
        .map((variable) => readFileSync(environmentOf(name)[variable]!, 'utf8')),
    )
    for (const host of values.flatMap((text = '') => text.split(',').flatMap(hostOf))) {
      called.add(host)
      const there = compose.services[host]
      assert.ok(there, `${name} calls ${host}, which is no service`)
      assert.ok(
        there.networks.some((network) => networks.includes(network)),
        `${name} cannot reach ${host}`,
      )
    }
  }
  for (const host of ['postgres', 'redis', 'kafka', 'oas', 'engine-1']) assert.ok(called.has(host), host)
})

test('what services name exists: secrets, networks, volumes, files, and dependencies', () => {
  const named = new Set<string>()
  for (const [name, service] of services) {
    for (const secret of service.secrets ?? []) {
      assert.ok(compose.secrets[secret], `${name} names the secret ${secret}`)
      named.add(secret)
    }
    for (const network of service.networks) assert.ok(network in compose.networks, `${name}: ${network}`)
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':')
      const is_there = from.startsWith('./') ? existsSync(join(deploy, from)) : from in compose.volumes
      assert.ok(is_there, `${name} mounts ${from}, which is not there`)
    }
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      const waited = compose.services[other]
      assert.ok(waited, `${name} waits for ${other}`)
      if (condition === 'service_healthy')
        assert.ok(waited.image === own_image || waited.healthcheck, `${other} cannot say that it is healthy`)
    }
    const files = JSON.stringify(service).matchAll(/\/run\/secrets\/(\w+)/g)
    for (const [, secret = ''] of files)
      assert.ok(service.secrets?.includes(secret), `${name} reads ${secret}, which is not mounted`)
  }
  assert.deepEqual([...named].sort(), Object.keys(compose.secrets).sort(), 'a secret that nobody mounts')
})

test('every service has limits, restarts and is isolated from the host', () => {
  for (const [name, service] of services) {
    const { cpus, memory } = service.deploy.resources.limits
    assert.ok(cpus && memory, `${name} has no limits`)
    assert.ok(name === 'kafka-topic' || service.restart === 'unless-stopped', name)
    assert.ok(
      name === 'kafka-topic' || service.image === own_image || service.healthcheck,
      `${name} has no health check`,
    )
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
    assert.match(service.image, /:v?\d+\.\d+(\.\d+)?$/, `${name} has no exact tag`)
  }
  for (const [name, { read_only, cap_drop, pull_policy }] of ours)
    assert.deepEqual([read_only, cap_drop, pull_policy], [true, ['ALL'], 'never'], name)
})

test('only the gateway is public; the console and Grafana are local', () => {
  const open = Object.fromEntries(services.flatMap(([name, { ports }]) => (ports ? [[name, ports]] : [])))
  assert.deepEqual(open, {
    gateway: ['443:8443'],
    console: ['127.0.0.1:3000:3000'],
    grafana: ['127.0.0.1:3001:3000'],
  })
  assert.equal(compose.networks.inside?.internal, true)
})

test('each engine has a journal of its own, and all have the same plugins', () => {
  const volumes = ['engine-1', 'engine-2'].map((name) => compose.services[name]!.volumes!)
  assert.deepEqual(volumes[0]![1], volumes[1]![1])
  assert.notDeepEqual(volumes[0]![0], volumes[1]![0])
})

test('containers have more time to stop than calls have to finish', () => {
  for (const name of ['engine-1', 'engine-2', 'gateway']) {
    const { stop_grace_period = '', environment = {} } = compose.services[name]!
    assert.ok(
      Number.parseInt(stop_grace_period, 10) > Number(environment.SVC_SHUTDOWN_GRACE_SECONDS) + 20,
      name,
    )
  }
})

test('secrets are created once, differ, and are protected by their folder', () => {
  const before = secrets.read('master_key')
  const again = secrets.run('--host', 'another.example')
  assert.deepEqual([again.made, again.SVC_PUBLIC_URL], [[], secrets.settings.SVC_PUBLIC_URL])
  assert.equal(secrets.read('master_key'), before)
  assert.equal(statSync(secrets.folder).mode & 0o777, 0o700)
  const values = [
    'master_key',
    'agent_key',
    'gateway_key',
    'postgres_password',
    'svc_password',
    'redis_password',
  ]
  assert.equal(new Set(values.map((name) => secrets.read(name))).size, values.length)
  assert.ok(secrets.read('redis_url').includes(secrets.read('redis_password')))
  assert.ok(secrets.read('db_url').includes(secrets.read('svc_password')))
})

test('nothing in deploy/ is a secret, and what make-secrets creates is not committed', () => {
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n')
  assert.ok(ignored.includes('.secrets/') && ignored.includes('deploy/.env'))
  const paths = globSync('deploy/**/*.*', { cwd: root }).filter((path) => !path.includes('.secrets'))
  assert.ok(paths.length > 20)
  for (const path of paths.filter((path) => statSync(join(root, path)).isFile()))
    assert.doesNotMatch(
      readFileSync(join(root, path), 'utf8'),
      /PRIVATE KEY|[1-9a-f][0-9a-f]{63}(?!\w)/,
      path,
    )
})
