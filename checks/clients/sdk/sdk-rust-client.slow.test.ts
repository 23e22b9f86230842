// The Rust SDK against a real engine: a program as a reader would write it, and its records in the engine's
// audit log.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { system_clock } from '@svc/adapters/clock/system'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, startEngine } from '../../engines/running-engine.ts'
import { makeCertificate } from '../../neighbours/test-certificate.ts'
import { startIssuer } from '../../neighbours/test-issuer.ts'
import { deriveOwnKeyed } from '../../scenes/own-keyed-agent.ts'
import { newKeyed, type TestIdentity } from '../../scenes/test-descent.ts'
import { cargo, rustIsHere, target_dir } from '../../suite/rust.ts'

const skip = !(await rustIsHere()) && 'no Rust here'
const run_ms_max = 180_000
const programs = join(target_dir, 'debug/examples')
const run = promisify(execFile)

let service: InProcessService
let home: string

if (!skip) {
  before(async () => {
    await cargo(['build', '--package', 'svc-sdk', '--examples', '--quiet'])
    home = await mkdtemp(join(tmpdir(), 'svc-rust-client-'))
    service = await startInProcess()
  })
  after(async () => {
    await service?.stop()
    await rm(home, { recursive: true, force: true })
  })
}

interface Ended {
  readonly code?: number
  readonly stdout: string
  readonly stderr: string
}

/** In its own environment: the tests' variables are not settings of the program. */
async function firstCall(env: Readonly<Record<string, string>>, program = 'first_call'): Promise<Ended> {
  const running = run(join(programs, program), [], { env: { HOME: home, ...env }, timeout: run_ms_max })
  return await running.catch((error: Ended) => error)
}

function settings({ api_url, api_key, agent_did }: Addresses = service) {
  return { SVC_API_URL: api_url, SVC_API_KEY: api_key, SVC_AGENT_DID: agent_did }
}

/** Its output, without the number of capabilities and the call's id, which vary. */
function plain(stdout: string): string[] {
  return stdout
    .replace(/(?<=written: ).*/, '…')
    .replace(/\d+(?= capabilities)/, 'n')
    .trim()
    .split('\n')
}
const printed = [
  'written: …',
  'replayed: true',
  'proved: true',
  'audit log: true',
  'streamed: true',
  'refused: capability_denied at stage 4, no active treaty',
  'dry run: capability_denied',
  'MACS: n capabilities',
  'MATA: 0.71',
  'MARC: proved',
]

test('it calls, streams, is refused, and uses types; the audit log agrees', {
  skip,
}, async () => {
  const { stdout, stderr, code } = await firstCall(settings())
  assert.equal(code, undefined, stderr)
  assert.deepEqual(plain(stdout), printed)
  const correlation_id = /written: (.*)/.exec(stdout)![1]!
  const of_call = await service.records(service.tenant_id, { correlation_ids: [correlation_id] })
  assert.ok(
    of_call.some(({ operation, outcome }) => operation === 'audit_log_entry' && outcome === 'success'),
  )
  const hellos = await service.records(service.tenant_id, { event_types: ['custom.hello'] })
  assert.equal(hellos.length, 1, 'a write under one key happens once')
  const caller_did = service.agent_did
  const [refused] = await service.records(service.tenant_id, { outcome: 'refused', caller_did })
  assert.deepEqual([refused?.protocol, refused?.operation], ['MAX', 'audit_query'])
  for (const [protocol, operation] of [
    ['MACS', 'authorization_request'],
    ['MATA', 'pool'],
    ['MARC', 'reasoning_task'],
  ] as const) {
    const done = await service.records(service.tenant_id, { protocol, operation, outcome: 'success' })
    assert.ok(done.length >= 1, `${protocol} ${operation} is not in the audit log`)
  }
})

test('without settings it exits at once, with one sentence that names every way to set them', {
  skip,
}, async () => {
  const { code, stdout, stderr } = await firstCall({ SVC_API_KEY: 'svc_secret' })
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^There is no api_url and no agent_did: pass .*, or set .*, or run `svc login`, .*\n$/)
})

test("a wrong key is refused in the service's words, and never repeated", { skip }, async () => {
  const api_key = 'svc_test_aaaaaaaa_'.padEnd(61, 'a')
  const { code, stderr } = await firstCall(settings({ ...service, api_key }))
  assert.equal(code, 1)
  assert.ok(stderr.trim().length > 20 && !stderr.includes(api_key), stderr)
})

test('an agent with its own key proves itself, signs every call, makes a key and ends it, and changes its own', {
  skip,
}, async () => {
  const engine = await startEngine({ data_dir: home })
  try {
    const { stdout, stderr, code } = await firstCall(settings(engine), 'own_key')
    assert.equal(code, undefined, stderr)
    assert.deepEqual(stdout.trim().split('\n'), [
      'proven: true, own_key',
      'called: 0',
      'by key: 0',
      'revoked: key revoked',
      'changed: false, true',
      'by the new key: 0',
      'by the former key: former key',
      'recovered: true',
      'by the stolen key: former key',
      'by the recovered key: 0',
    ])
    const ownSettings = ({ did, seed }: TestIdentity) => ({
      SVC_API_URL: engine.api_url,
      SVC_AGENT_DID: did,
      SVC_PRIVATE_KEY: seed.toString('base64url'),
    })
    // With nothing but its key an agent does what others do with an API key.
    const names = ['svc.max.*', 'svc.macs.*', 'svc.mata.*', 'svc.marc.*']
    const child = await deriveOwnKeyed(engine, names)
    const signed = await firstCall(ownSettings(child))
    assert.deepEqual(plain(signed.stdout), printed, signed.stderr)
    const refused = await firstCall(ownSettings(newKeyed(engine.tenant_id, 'Agent')))
    assert.match(refused.stderr, /^No identity with this DID and key is registered here; /)
  } finally {
    await engine.stop()
  }
})

test('a workload exchanges the token that its platform writes into a file', { skip }, async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'svc-rust-workload-'))
  const engine = await startEngine({ data_dir, env: { SVC_ALLOWED_NETWORKS: '127.0.0.0/8' } })
  const issuer = await startIssuer(() => Math.floor(system_clock.now_ms() / 1000))
  try {
    const agent = await deriveOwnKeyed(engine, ['svc.max.*', 'svc.macs.*', 'svc.mata.*', 'svc.marc.*'])
    const mapping = ['--issuer', issuer.url, '--audience', 'svc', '--claim', 'sub=deployer']
    const main = join(import.meta.dirname, '../../../service/main.ts')
    const add = ['admin', 'workload', 'add', engine.tenant_id, agent.did, ...mapping, '--data-dir', data_dir]
    await run(process.execPath, [main, ...add])
    const path = join(data_dir, 'token')
    const env = {
      SVC_API_URL: engine.api_url,
      SVC_AGENT_DID: agent.did,
      SVC_WORKLOAD_TOKEN_FILE: path,
    }
    await writeFile(path, await issuer.sign({ aud: 'svc', sub: 'deployer' }))
    const done = await firstCall(env)
    assert.deepEqual(plain(done.stdout), printed, done.stderr)
    await writeFile(path, await issuer.sign({ aud: 'svc', sub: 'somebody' }))
    assert.match((await firstCall(env)).stderr, /^No agent is mapped to this token, /)
  } finally {
    await Promise.all([engine.stop(), issuer.stop()])
    await rm(data_dir, { recursive: true, force: true })
  }
})

test('over TLS it trusts what SSL_CERT_FILE names, and nothing else', { skip }, async () => {
  const authority = makeCertificate({ name: 'tests of svc' })
  const { cert, key } = makeCertificate({ name: 'engine', issuer: authority, hosts: ['127.0.0.1'] })
  const proxy = createServer({ cert, key }, (req, res) => {
    const { method, headers, url } = req
    const passed = request(`${service.api_url}${url}`, { method, headers }, (answer) => {
      res.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(res)
    })
    req.pipe(passed)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  try {
    const api_url = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const trusted = join(home, 'authority.pem')
    await writeFile(trusted, authority.cert)
    const over_tls = settings({ ...service, api_url })
    const { stdout, stderr } = await firstCall({ ...over_tls, SSL_CERT_FILE: trusted })
    assert.deepEqual(plain(stdout), printed, stderr)
    const another = join(home, 'another.pem')
    await writeFile(another, makeCertificate({ name: 'somebody else' }).cert)
    const distrusted = await firstCall({ ...over_tls, SSL_CERT_FILE: another })
    assert.equal(distrusted.code, 1)
    // Nothing was done: the request was never sent.
    assert.match(distrusted.stderr, /cannot be reached \(.*certificate.*\)/)
    assert.doesNotMatch(distrusted.stderr, /may have been executed/)
  } finally {
    proxy.closeAllConnections()
    proxy.close()
  }
})
