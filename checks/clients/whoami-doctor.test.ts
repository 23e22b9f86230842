// svc whoami and svc doctor, against a healthy engine and several unhealthy ones.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { freePorts } from '../engines/running-engine.ts'
import { makeCertificate } from '../neighbours/test-certificate.ts'
import { assertDone, svc } from './login-scene.ts'
import { clientEnv } from './test-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-'))
const home = join(folder, 'home')
const config_path = join(home, '.svc/config.json')
const servers: Server[] = []

let engine: InProcessService
let env: Record<string, string>

before(async () => {
  engine = await startInProcess()
  env = clientEnv(engine)
  mkdirSync(join(home, '.svc'), { recursive: true })
})
after(async () => {
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true, force: true })
  await engine?.stop()
})

interface Check {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly said: string
  readonly todo?: string
}

async function examine(more: Record<string, string | undefined> = {}, fetching = fetch, at = folder) {
  const ran = await svc(['doctor', '--output', 'json'], {
    env: { ...env, ...more },
    fetch: fetching,
    home: at,
  })
  const { ok, checks } = JSON.parse(ran.stdout) as { ok: boolean; checks: Check[] }
  const find = (name: string) => checks.find(({ check }) => check === name)
  return { ...ran, ok, checks, find, faults: checks.filter(({ status }) => status !== 'ok') }
}

function secretOf(api_key: string): string {
  return api_key.slice(-43)
}

test('whoami shows the identity, the source of each setting, and how much may be called, without the key', async () => {
  writeFileSync(config_path, JSON.stringify({ api_url: engine.api_url, tenant_id: 'dev' }), { mode: 0o600 })
  const { SVC_API_KEY } = env
  const argv = ['whoami', '--agent-did', engine.agent_did]
  const page = await svc(argv, { env: { SVC_API_KEY }, home })
  assertDone(page)
  for (const line of [
    `agent        ${engine.agent_did}`,
    'tenant       dev',
    'tier         sovereign',
    /^level {8}L\d, /m,
    /^lineage {6}/m,
    /^credential {3}API key [a-z0-9]{8}$/m,
    `  api_url    ${engine.api_url}, from ${config_path}`,
    /^ {2}api_key {4}key [a-z0-9]{8}, from SVC_API_KEY$/m,
    '  agent_did  as above, from --agent-did',
    // Too many to be listed below it.
    /^You may call \d+ of \d+ operations\. svc whoami --operations lists them, and says why not the others\.\n(?!.)/m,
  ])
    assert.ok(
      typeof line === 'string' ? page.stdout.includes(`${line}\n`) : line.test(page.stdout),
      `${line}\n${page.stdout}`,
    )
  assert.ok(!page.stdout.includes(secretOf(SVC_API_KEY!)))

  const run = await svc([...argv, '--operations', '-o', 'json'], { env: { SVC_API_KEY }, home })
  const whoami = JSON.parse(run.stdout)
  assert.ok(!run.stdout.includes(secretOf(SVC_API_KEY!)))
  assert.deepEqual(whoami.settings.api_url, { value: engine.api_url, source: config_path })
  const { yes, no, depends } = whoami.operation_counts
  assert.equal(whoami.operations.length, yes + no + depends)
  const yaml = await svc([...argv, '-o', 'yaml'], { env: { SVC_API_KEY }, home })
  assert.match(
    yaml.stdout,
    new RegExp(`^operation_counts:\\n {2}yes: ${yes}\\n {2}depends: ${depends}\\n {2}no: ${no}\\n`, 'm'),
  )
})

test('whoami names the operations of a caller that has few', async () => {
  const create = ['keys', 'create', '--label', 'few', '--capability', 'svc.max.audit_query']
  const made = await svc(create, { env, home: folder })
  assertDone(made)
  const ran = await svc(['whoami'], { env: { ...env, SVC_API_KEY: made.stdout.trim() }, home: folder })
  assertDone(ran)
  assert.match(ran.stdout, /^You may call \d+ of \d+ operations.*explains the others\.\n/m)
  assert.match(ran.stdout, /^ {2}MAX +audit_query/m)
})

test('whoami --operations lists each operation with the reason why not, in at most 100 columns', async () => {
  const expired = { name: 'svc.max.audit_query', caveats: [], expires_at: '2020-01-01T00:00:00Z' }
  const poor = await engine.newCaller({ tenant_id: 'poor', capabilities: [expired] })
  const ran = await svc(['whoami', '--operations'], { env: clientEnv(poor), home: folder })
  assertDone(ran)
  const list = ran.stdout.slice(ran.stdout.indexOf('\n\n', ran.stdout.indexOf('You may call')))
  assert.match(list, /^(yes|no|depends) +MAX audit_query$/m)
  for (const line of list.split('\n')) assert.ok(line.length <= 100, line)
})

test('whoami: missing settings and a wrong key exit with 2, and the key is not repeated', async () => {
  const none = await svc(['whoami'], { home: folder })
  assert.equal(none.exit, 2)
  assert.match(none.stderr, /svc login/)
  const wrong = { ...env, SVC_API_KEY: `svc_test_aaaaaaaa_${'a'.repeat(43)}` }
  const refused = await svc(['whoami'], { env: wrong, home: folder })
  assert.equal(refused.exit, 2)
  assert.ok(!(refused.stderr + refused.stdout).includes('a'.repeat(43)))
})

test('doctor: all checks pass, in order, each line printed once and without secrets', async () => {
  const { exit, ok, checks, faults, stdout } = await examine()
  assert.deepEqual([exit, ok], [0, true], stdout)
  const names = checks.map(({ check }) => check)
  const expected = [
    'node',
    'config file',
    'api_url',
    'api_key',
    'agent_did',
    'tenant_id',
    'dns',
    'tcp',
    'health',
    'clock',
  ]
  assert.deepEqual(names.slice(0, expected.length + 1), [...expected, 'versions'])
  assert.ok(names.some((name) => name.startsWith('ready ')))
  for (const name of ['key', 'did', 'tenant', 'rights', 'dry run', 'mcp', 'completions'])
    assert.ok(names.includes(name), name)
  assert.equal(new Set(names).size, names.length)
  assert.deepEqual(
    faults.filter(({ status }) => status === 'fail'),
    [],
  )
  const page = await svc(['doctor'], { env, home: folder })
  assertDone(page)
  for (const text of [stdout, page.stdout, page.stderr]) assert.ok(!text.includes(secretOf(engine.api_key)))
  // A DID is never wrapped: people copy it.
  for (const line of page.stdout.split('\n')) assert.ok(line.length <= 100 || line.includes('did:oas:'), line)
  assert.match(page.stdout, /^ok {4}dry run {10}MAX audit_query would be allowed$/m)
})

test('doctor: missing or wrong settings end it with exit 2 and what to do', async () => {
  const none = await examine({ SVC_API_KEY: undefined, SVC_AGENT_DID: undefined })
  assert.equal(none.exit, 2)
  assert.deepEqual(
    none.faults.map(({ check, status }) => `${status} ${check}`),
    ['warn config file', 'fail settings'],
  )
  assert.match(none.find('settings')?.todo ?? '', /svc login/)
  const hidden = await examine({ SVC_API_URL: 'https://me:hunter2@svc.example' })
  assert.equal(hidden.exit, 2)
  assert.ok(!hidden.stdout.includes('hunter2'))
  for (const [text, mode] of [
    ['{"api_key": "svc_test_', 0o600],
    ['{}', 0o644],
  ] as const) {
    rmSync(config_path, { force: true })
    writeFileSync(config_path, text, { mode })
    const broken = await examine({}, fetch, home)
    assert.equal(broken.exit, 2)
    assert.equal(broken.find('config file')?.status, 'fail')
    if (mode === 0o644) assert.match(broken.find('config file')?.todo ?? '', /chmod 600/)
  }
})

test("doctor: a wrong key, another agent's DID and another tenant are distinguished", async () => {
  const other = await engine.newCaller()
  const wrong = await examine({ SVC_API_KEY: `svc_test_aaaaaaaa_${'a'.repeat(43)}` })
  assert.deepEqual([wrong.exit, wrong.find('key')?.status], [2, 'fail'])
  assert.ok(!wrong.stdout.includes('a'.repeat(43)))
  const mixed = await examine({ SVC_AGENT_DID: other.agent_did })
  assert.deepEqual([mixed.exit, mixed.find('key')?.status], [2, 'fail'])
  const elsewhere = await examine({ SVC_TENANT_ID: 'somebody-else' })
  assert.equal(elsewhere.find('tenant')?.status, 'warn')
  assert.deepEqual([elsewhere.exit, elsewhere.find('dry run')?.status], [3, 'fail'])
})

test('doctor: an unreachable engine, one that is not ready, a wrong clock, and an address without an engine', async () => {
  const away = await examine({ SVC_API_URL: `http://127.0.0.1:${await freePorts()}` })
  assert.equal(away.exit, 6)
  assert.match(away.checks.at(-1)?.said ?? '', /refuses connections \(ECONNREFUSED\)/)
  const nowhere = await examine({ SVC_API_URL: 'https://svc.invalid' })
  assert.deepEqual([nowhere.exit, nowhere.checks.at(-1)?.check], [6, 'dns'])

  const unwell: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    if (String(input).endsWith('/ready'))
      return Response.json(
        { ready: false, checks: { database: false, cache: true }, audit: { state: 'overflow' } },
        { status: 503 },
      )
    if (!String(input).endsWith('/health')) return answer
    const headers = new Headers(answer.headers)
    headers.set('date', 'Mon, 02 Jan 2006 15:04:05 GMT')
    return new Response(await answer.text(), { headers })
  }
  const sick = await examine({}, unwell)
  assert.equal(sick.exit, 6)
  assert.deepEqual(
    [sick.find('clock')?.status, sick.find('ready database')?.status, sick.find('ready cache')?.status],
    ['warn', 'fail', 'ok'],
  )
  assert.deepEqual([sick.find('audit log')?.status, sick.find('audit log')?.said], ['warn', 'overflow'])
  assert.equal(sick.find('dry run')?.status, 'ok', 'the rest is looked at all the same')

  const stranger = createServer((_request, response) => response.end('<h1>Welcome</h1>'))
  const url = await listening(stranger)
  let keys_shown = 0
  stranger.on('request', ({ headers }) => {
    if (headers.authorization !== undefined) keys_shown++
  })
  const lost = await examine({ SVC_API_URL: url })
  assert.deepEqual([lost.exit, lost.checks.at(-1)?.check, keys_shown], [6, 'health', 0])
})

test('doctor: an unknown certificate fails with what to set, and one of SVC_TLS_CA is trusted', async () => {
  const authority = makeCertificate({ name: 'an authority of our own' })
  const { cert, key } = makeCertificate({ name: 'engine', issuer: authority, hosts: ['127.0.0.1'] })
  const health = JSON.stringify({ status: 'ok', version: '0.0.1' })
  const secure = createTlsServer({ cert, key }, (_request, response) => response.end(health))
  const SVC_API_URL = (await listening(secure)).replace('http:', 'https:')
  const unknown = await examine({ SVC_API_URL })
  assert.deepEqual([unknown.exit, unknown.checks.at(-1)?.check], [6, 'tls'])
  assert.match(unknown.find('tls')?.todo ?? '', /SVC_TLS_CA/)
  const SVC_TLS_CA = join(folder, 'authority.pem')
  writeFileSync(SVC_TLS_CA, authority.cert)
  const report = await examine({ SVC_API_URL, SVC_TLS_CA })
  assert.equal(report.find('authority')?.status, 'ok')
  assert.match(report.find('tls')?.said ?? '', /the certificate expires in 0 days/)
  assert.equal(report.find('versions')?.status, 'warn')
  for (const [name, text] of [
    ['none.pem', undefined],
    ['empty.pem', 'nothing'],
  ] as const) {
    const path = join(folder, name)
    if (text !== undefined) writeFileSync(path, text)
    const { find, exit } = await examine({ SVC_TLS_CA: path })
    assert.deepEqual([exit, find('authority')?.status], [1, 'fail'])
  }
})

async function listening(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
