// `svc-engine serve` behind `svc-engine gateway`, two processes as an operator runs them: kills, renewals,
// exits.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createPrivateKey, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { connect } from 'node:tls'
import { findKey, issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { asOwner } from '@svc/audit/test-audit-log'
import { storedRecords } from '@svc/audit/test-stored'
import { publicKeyOf } from '@svc/contract/signing/signature'
import { signContext } from '@svc/gateway/dispatch/signed-context'
import { type Addresses, freePorts } from '../../engines/running-engine.ts'
import { makeCertificate } from '../../neighbours/test-certificate.ts'
import { type TestDatabase, testDatabase } from '../../rehearsal/test-database.ts'
import { storeAt } from '../../rehearsal/test-store.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertSuccess } from '../dispatch/expectations.ts'
import { askThrough } from './gateway-scene.ts'

const main = join(import.meta.dirname, '../../../service/main.ts')
const write = { protocol: 'MOTET', version: 'v1', operation: 'emit' }
const input = { signals: [{ name: 'a', kind: 'gauge', value: 1 }] }
const authority = makeCertificate({ name: 'Test authority' })
const engine_did = newIdentity('operator', 'service').did
const master_key = randomBytes(32).toString('hex')
const running: ChildProcess[] = []

let database: TestDatabase
let folder: string
let port: number
let gateway_did: string
let caller: Addresses & { readonly key_id: string }
let engine: ChildProcess
let gateway: ChildProcess

before(async () => {
  database = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'svc-gateway-'))
  port = await freePorts()
  gateway_did = (await said(run(['gateway', '--new-key', join(folder, 'gateway.key')], {}))).out.trim()
  await renewFiles('first')
  caller = await newCaller()
  engine = await started(serve())
  gateway = await started(front())
})
after(async () => {
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  await database?.close()
  await rm(folder, { recursive: true, force: true })
})

function run(args: string[], env: Record<string, string>): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const all = { PATH, NODE_COMPILE_CACHE, SVC_TENANT_ID: 'operator', SVC_DB_URL: database.url, ...env }
  const child = spawn(process.execPath, [main, ...args], { env: all, stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(child)
  return child
}

function serve(): ChildProcess {
  return run(['serve'], {
    SVC_AGENT_DID: engine_did,
    SVC_MASTER_KEY: master_key,
    SVC_RATE_LIMIT_BACKEND: 'memory',
    SVC_AUDIT_BUFFER_DIR: join(folder, 'audit'),
    SVC_PROMETHEUS_PORT: String(port + 1),
    APP_BIND_ADDR: `127.0.0.1:${port}`,
    SVC_TRUSTED_GATEWAYS: gateway_did,
    SVC_REQUIRE_GATEWAY: 'true',
  })
}

function front(more: Record<string, string> = {}): ChildProcess {
  return run(['gateway'], {
    SVC_API_URL: `http://127.0.0.1:${port}`,
    SVC_ENGINE_DID: engine_did,
    SVC_GATEWAY_KEY_FILE: join(folder, 'gateway.key'),
    SVC_TLS_CERT: join(folder, 'tls.crt'),
    SVC_TLS_KEY: join(folder, 'tls.key'),
    APP_BIND_ADDR: `127.0.0.1:${port + 2}`,
    SVC_LOG: 'warn',
    ...more,
  })
}

async function started(child: ChildProcess): Promise<ChildProcess> {
  // Read from the beginning: unread output is lost when a process ends.
  const errors = textOf(child.stderr!)
  const failed = once(child, 'exit').then(async ([code, signal]) =>
    assert.fail(`it ended with ${code ?? signal}: ${await errors}`),
  )
  await Promise.race([once(child.stdout!, 'data'), failed])
  return child
}

async function said(child: ChildProcess): Promise<{ code: number; out: string; err: string }> {
  const ended = once(child, 'exit')
  const [out, err] = await Promise.all([textOf(child.stdout!), textOf(child.stderr!)])
  return { code: (await ended)[0], out, err }
}

async function renewFiles(name: string): Promise<void> {
  const { cert, key } = makeCertificate({ name, issuer: authority, hosts: ['127.0.0.1'] })
  await writeFile(join(folder, 'tls.key'), key)
  await writeFile(join(folder, 'tls.crt'), cert)
}

async function newCaller(): Promise<typeof caller> {
  const store = await storeAt(database.url)
  try {
    await ensureTenant(store.engine, 'acme', 'acme', 'sovereign')
    const { did } = newIdentity('acme', 'agent')
    const capabilities = [{ name: 'svc.motet.*', caveats: [] }]
    const key = await issueKey(store.engine, { tenant_id: 'acme', did, mode: 'live', capabilities })
    assert.ok(await findKey(store.engine, key.key_id))
    return { api_url: '', metrics_url: '', tenant_id: 'acme', agent_did: did, ...key }
  } finally {
    await store.close()
  }
}

const scene = () => ({ url: `https://127.0.0.1:${port + 2}`, authority })
const emit = () => askThrough(scene(), caller, 'emit', input, {}, write)

function peerName(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: port + 2, ca: authority.cert })
    socket.on('error', reject)
    socket.on('secureConnect', () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.end()
    })
  })
}

test('a call goes through both, and its record names the gateway', async () => {
  const { metadata } = assertSuccess(await emit())
  await eventually(async () => {
    const records = await asOwner(database.url, (client) => storedRecords(client, 'acme'))
    const gateways = records.flatMap(({ body }) => {
      const { correlation_id, event_type, meta } = JSON.parse(body!)
      return correlation_id === metadata.correlation_id && event_type === 'ProtocolInvocation'
        ? [meta.gateway]
        : []
    })
    assert.deepEqual(gateways, [gateway_did])
  })
})

test('a captured write is worthless after the engine was killed and restarted', async () => {
  const private_key = createPrivateKey(await readFile(join(folder, 'gateway.key'), 'utf8'))
  const signer = { did: gateway_did, public_key: publicKeyOf(private_key), private_key }
  const body = JSON.stringify({ ...write, tenant_id: 'acme', input })
  const headers = { 'content-type': 'application/json', accept: '*/*' }
  const { key_id, agent_did: did } = caller
  const credential = { key_id, did, tenant_id: 'acme', tier: 'sovereign', capabilities: [] } as const
  const resolution = { outcome: 'Failed', reason: 'none' } as const
  const correlation_id = system_clock.uuid()
  const call = { credential, resolution, correlation_id, headers, body: Buffer.from(body) }
  const captured = { ...headers, 'x-svc-context': signContext(call, engine_did, signer, system_clock) }
  const replay = () =>
    fetch(`http://127.0.0.1:${port}/v1/dispatch`, { method: 'POST', headers: captured, body })
  assert.equal((await replay()).status, 200)
  const ended = once(engine, 'exit')
  engine.kill('SIGKILL')
  await ended
  engine = await started(serve())
  const again = await replay()
  const { error } = (await again.json()) as { error: { reason: string } }
  assert.deepEqual([again.status, error.reason], [401, 'context replayed'])
})

test('while the engine is down calls are 503, and they pass as soon as it is back', async () => {
  const ended = once(engine, 'exit')
  engine.kill('SIGKILL')
  await ended
  const away = await emit()
  assert.ok([502, 503].includes(away.status), JSON.stringify(away.body))
  assert.equal(away.body.error.retryable, true)
  engine = await started(serve())
  await eventually(async () => assertSuccess(await emit()))
})

test('the certificate is reloaded at SIGHUP, and when its files change', async () => {
  assert.equal(await peerName(), 'first')
  await renewFiles('second')
  gateway.kill('SIGHUP')
  await eventually(async () => assert.equal(await peerName(), 'second'))
  await renewFiles('third')
  await eventually(async () => assert.equal(await peerName(), 'third'))
  assertSuccess(await emit())
})

test('what keeps a gateway from starting is reported in one sentence', async () => {
  const stranger = makeCertificate({ name: 'x', hosts: ['x'] })
  await writeFile(join(folder, 'other.key'), stranger.key)
  const faults: [Record<string, string>, RegExp][] = [
    [
      { SVC_TLS_KEY: join(folder, 'other.key') },
      /^The key in .* is not the key of the certificate in .*\.\n$/,
    ],
    [{ SVC_ENGINE_DID: '' }, /^svc-engine gateway needs SVC_ENGINE_DID; set it and start again\.\n$/],
    [{}, /^127\.0\.0\.1:\d+ is in use; stop the program that uses it, or set APP_BIND_ADDR\.\n$/],
    [
      { SVC_DB_URL: 'postgresql://postgres@127.0.0.1:9/none' },
      /^The database of SVC_DB_URL cannot be used .*\n$/,
    ],
  ]
  for (const [more, sentence] of faults) {
    const { code, err } = await said(front(more))
    assert.equal(code, 1)
    assert.match(err, sentence)
  }
})

test('SIGTERM ends the gateway with exit 0', async () => {
  assertSuccess(await emit())
  const ended = said(gateway)
  gateway.kill('SIGTERM')
  const { code, err } = await ended
  assert.equal(code, 0, err)
  await assert.rejects(emit())
})
