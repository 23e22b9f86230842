// Gateway, engine, identity node and console with TLS on every link, each accepting only clients of one authority; all
// certificates and the authority itself are changed while calls go through.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { openPrograms, type Program, type Programs } from '../../engines/programs.ts'
import { type Addresses, freePorts } from '../../engines/running-engine.ts'
import { makeCertificate } from '../../neighbours/test-certificate.ts'
import { testTls } from '../../neighbours/test-tls.ts'
import { type TestDatabase, testDatabase } from '../../rehearsal/test-database.ts'
import { storeAt } from '../../rehearsal/test-store.ts'
import { until } from '../../suite/eventually.ts'
import { assertSuccess } from '../dispatch/expectations.ts'
import { askThrough } from './gateway-scene.ts'

const names = ['gateway', 'engine', 'node', 'console'] as const
const reloaded = /the certificate was reloaded/g
const tls = testTls()
const next_authority = makeCertificate({ name: 'Next authority' })
const engine = newIdentity('operator', 'service')
const running = new Map<string, Program>()

let database: TestDatabase
let folder: string
let programs: Programs
let places: Readonly<Record<(typeof names)[number] | 'metrics' | 'mcp', number>>
let caller: Addresses
let engine_env: Record<string, string>

const addressOf = (port: number) => `127.0.0.1:${port}`

before(async () => {
  database = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'svc-mutual-'))
  const [one, other] = [await freePorts(), await freePorts()]
  places = { engine: one, metrics: one + 1, gateway: one + 2, mcp: one + 3, node: other, console: other + 1 }
  caller = await newCaller()
  programs = openPrograms({ SVC_TENANT_ID: 'operator', SVC_DB_URL: database.url, SVC_LOG: 'info' })
  const made = await programs.run(['gateway', '--new-key', join(folder, 'gateway.key')], {})
  const gateway_did = made.out.trim()
  const oas = { SVC_OAS_URL: `https://${addressOf(places.node)}` }
  const serve = {
    ...oas,
    SVC_AGENT_DID: engine.did,
    SVC_AGENT_KEY: Buffer.from(engine.private_key, 'base64url').toString('hex'),
    SVC_MASTER_KEY: randomBytes(32).toString('hex'),
    SVC_RATE_LIMIT_BACKEND: 'memory',
    SVC_AUDIT_BUFFER_DIR: join(folder, 'audit'),
    SVC_PROMETHEUS_PORT: String(places.metrics),
    SVC_MCP_PORT: String(places.mcp),
    SVC_TRUSTED_GATEWAYS: gateway_did,
  }
  const clients = { SVC_TLS_CLIENTS: tls.ca_file }
  const api = { SVC_API_URL: `https://${addressOf(places.engine)}` }
  const gateway = {
    ...api,
    SVC_ENGINE_DID: engine.did,
    SVC_GATEWAY_KEY_FILE: join(folder, 'gateway.key'),
  }
  await start('node', ['node', 'oas'], { ...clients, SVC_TRUSTED_ENGINES: engine.did })
  engine_env = await start('engine', ['serve'], { ...clients, ...serve })
  await start('gateway', ['gateway'], gateway)
  await start('console', ['console'], api)
})
after(async () => {
  await programs?.close()
  await database?.close()
  await rm(folder, { recursive: true, force: true })
  tls.close()
})

async function start(name: (typeof names)[number], args: string[], more: Record<string, string>) {
  const { cert_file, key_file } = tls.issue(name)
  const own = { SVC_TLS_CERT: cert_file, SVC_TLS_KEY: key_file, SVC_TLS_CA: tls.ca_file }
  const env = { ...more, ...own, APP_BIND_ADDR: addressOf(places[name]) }
  running.set(name, await programs.start(args, env))
  return env
}

async function newCaller(): Promise<Addresses> {
  const store = await storeAt(database.url)
  try {
    await ensureTenant(store.engine, 'acme', 'acme', 'sovereign')
    const { did } = newIdentity('acme', 'agent')
    const capabilities = ['svc.motet.*', 'svc.oas.*'].map((name) => ({ name, caveats: [] }))
    const key = await issueKey(store.engine, { tenant_id: 'acme', did, mode: 'live', capabilities })
    return { api_url: '', metrics_url: '', tenant_id: 'acme', agent_did: did, ...key }
  } finally {
    await store.close()
  }
}

interface Shown {
  readonly cert?: string
  readonly key?: string
  readonly agent?: Agent
}

/** The status of one GET as a client with this certificate, and the name in the certificate of the other end. */
async function get(port: number, path: string, { agent, ...shown }: Shown = {}) {
  const ca = [tls.authority.cert, next_authority.cert]
  const sent = request(`https://${addressOf(port)}${path}`, { ca, ...shown, agent: agent ?? false })
  const answered = new Promise<{ status: number; peer: string }>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', async (answer) => {
      const { subject } = (answer.socket as TLSSocket).getPeerCertificate()
      await textOf(answer)
      resolve({ status: answer.statusCode ?? 0, peer: String(subject.CN) })
    })
  })
  sent.end()
  return answered
}

const bothAuthorities = () => tls.authority.cert + next_authority.cert

function call(protocol: string, operation: string, input: object) {
  const authority = { ...tls.authority, cert: bothAuthorities() }
  const url = `https://${addressOf(places.gateway)}`
  return askThrough({ url, authority }, caller, operation, input, {}, { protocol, version: 'v1' })
}

const emit = () => call('MOTET', 'emit', { signals: [{ name: 'a', kind: 'gauge', value: 1 }] })
/** Of an identity that nobody has asked for before, so that the answer is the node's. */
async function assertNodeAsked(): Promise<void> {
  const { body } = await call('OAS', 'resolve', { did: newIdentity('acme', 'agent').did })
  assert.deepEqual(body.output?.warnings, ['the identity node has no document of it'], JSON.stringify(body))
}

test('a call goes from the gateway to the engine and from there to the node, and the console passes one on', async () => {
  assertSuccess(await emit())
  await assertNodeAsked()
  assert.deepEqual(await get(places.console, '/health'), { status: 200, peer: 'console' })
})

test('engine, metrics, MCP and node refuse a client without a certificate of the authority; the gateway accepts all', async () => {
  const stranger = makeCertificate({ name: 'stranger', issuer: next_authority, hosts: ['127.0.0.1'] })
  const own = tls.issue('operator')
  const pages = [
    [places.engine, '/health'],
    [places.metrics, '/metrics'],
    [places.node, '/health'],
  ] as const
  for (const [port, path] of pages) {
    await assert.rejects(get(port, path), `${path} without a certificate`)
    await assert.rejects(get(port, path, { cert: stranger.cert, key: stranger.key }), `${path}, a stranger`)
    assert.equal((await get(port, path, { cert: own.cert, key: own.key })).status, 200)
  }
  await assert.rejects(get(places.mcp, '/mcp'))
  assert.ok((await get(places.mcp, '/mcp', { cert: own.cert, key: own.key })).status >= 400)
  assert.equal((await get(places.gateway, '/ready')).status, 200)
  assert.match(
    running.get('engine')!.written(),
    /a client was refused: it has no certificate of SVC_TLS_CLIENTS/,
  )
})

test('the doctor and the check of the container know an engine that demands a certificate', async () => {
  const { out } = await programs.run(['admin', 'doctor', '--json'], engine_env)
  const rows = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { check?: string; seen?: string })
  const ports = rows.filter(({ check }) => check?.startsWith('port ')).map(({ seen }) => seen)
  assert.deepEqual(ports, ['answered by svc', 'answered by svc'], out)
  const health = join(import.meta.dirname, '../../../deploy/health.mjs')
  const check = (env: Record<string, string>) =>
    spawnSync(process.execPath, [health, `https://${addressOf(places.engine)}/ready`], { env }).status
  assert.deepEqual([check(engine_env), check({})], [0, 1])
})

/** By signal; without one the files are looked at every two seconds. */
async function change(write: () => void, by_signal: boolean): Promise<void> {
  const counts = names.map((name) => countOf(name))
  write()
  if (by_signal) for (const name of names) running.get(name)!.process.kill('SIGHUP')
  await until('all have read their files again', async () =>
    names.every((name, i) => countOf(name) > counts[i]!),
  )
}

const countOf = (name: string) => running.get(name)!.written().match(reloaded)?.length ?? 0

test('certificates and their authority are changed while calls go through, and open connections are kept', async () => {
  const own = tls.issue('operator')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const askOverOpen = () => get(places.engine, '/health', { cert: own.cert, key: own.key, agent })
  assert.equal((await askOverOpen()).peer, 'engine')
  let is_over = false
  let calls = 0
  const faults: unknown[] = []
  const calling = (async () => {
    while (!is_over) {
      const { status, body } = await emit()
      calls++
      if (status !== 200) faults.push(body)
    }
  })()
  try {
    await change(() => tls.write('ca.crt', bothAuthorities()), true)
    await change(() => {
      for (const name of names) tls.issue(name, next_authority)
    }, false)
    await change(() => tls.write('ca.crt', next_authority.cert), true)
    const calls_before = calls
    await until('calls go on', async () => calls > calls_before + 5)
  } finally {
    is_over = true
    await calling
  }
  assert.deepEqual(faults, [])
  // The connection of before the changes, although its certificate would be refused now.
  assert.deepEqual(await askOverOpen(), { status: 200, peer: 'engine' })
  agent.destroy()
  const isRefused = () =>
    get(places.engine, '/health', { cert: own.cert, key: own.key }).then(
      () => false,
      () => true,
    )
  await until('the old authority is trusted no more', isRefused)
  const renewed = tls.issue('operator', next_authority)
  assert.equal((await get(places.engine, '/health', { cert: renewed.cert, key: renewed.key })).status, 200)
  await assertNodeAsked()
  assert.equal((await get(places.console, '/health')).status, 200)
})
