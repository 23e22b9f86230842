// A gateway before an engine that records its requests, and fails in every way an engine can.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import type { ErrorBody } from '@svc/contract/dispatch'
import { hashSecret } from '@svc/contract/identity/api-key'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { verifyJws } from '@svc/contract/signing/jws'
import { privateKeyOf } from '@svc/contract/signing/signature'
import { refusalSums } from '@svc/engine/limits/refusal-sums'
import { caller_headers } from '../../checks/engines/test-endpoint.ts'
import { makeCertificate } from '../../checks/neighbours/test-certificate.ts'
import { credentialOf, test_did, test_tenant } from '../../checks/rehearsal/test-ports.ts'
import { dpopProof } from '../../checks/scenes/dpop-proof.ts'
import { headersOf, requestOf } from '../../checks/security/input/bad-case.ts'
import { exchange } from '../../checks/security/input/raw-http.ts'
import { wire_cases } from '../../checks/security/input/wire-cases.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { openAdmission } from '../dispatch/admission-control.ts'
import { openProofs } from '../dispatch/proofs.ts'
import { no_audit_log, type Relay } from './relay.ts'
import { createRelayServer } from './relay-server.ts'
import { brokeOff, openUpstream, type Upstream } from './relay-upstream.ts'
import { openTraffic } from './traffic.ts'

const { did, public_key, private_key } = newIdentity('operator', 'service')
const signer = { did, public_key, private_key: privateKeyOf(Buffer.from(private_key, 'base64url')) }
const engine_did = newIdentity('operator', 'service').did
const body = '{"any":"thing"}'
const key = {
  ...credentialOf(),
  secret_hash: hashSecret('s'.repeat(43)),
  expires_at_ms: null,
  revoked: false,
}

interface Claims {
  readonly context: { readonly agent_did: string }
}

type Handle = (req: IncomingMessage, res: ServerResponse) => void

interface Setting {
  readonly url: string
  readonly logged: { fields: { audit?: { meta: Record<string, unknown> } }; message: string }[]
  readonly relay: Relay
}

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function openRelay(
  t: TestContext,
  url: string,
  ca?: string,
  silence_ms_max = 120_000,
): Promise<Setting> {
  const logged: Setting['logged'] = []
  const say = (fields: object, message: string) => void logged.push({ fields, message })
  const log = { debug() {}, info() {}, warn: say, error: say }
  const relay: Relay = {
    log,
    clock: system_clock,
    audit_log: no_audit_log,
    sums: refusalSums({ record: (audit) => say({ audit }, 'refused at the gateway'), clock: system_clock }),
    own: { tenant_id: 'operator', did },
    keys: { find: (key_id) => (key_id === key.key_id ? key : undefined), used() {} },
    identity: key_only_resolver,
    signer,
    engine_did,
    upstream: openUpstream({ url: new URL(url), tls: () => ({ ca }), silence_ms_max }),
    engine: openTraffic(),
    status: () => ({ version: '0', uptime_seconds: 0 }),
    readiness: async () => ({}),
  }
  const server = createRelayServer(relay, undefined, silence_ms_max)
  const port = await server.listen('127.0.0.1', 0)
  t.after(() => server.close(1_000))
  return { url: `http://127.0.0.1:${port}`, logged, relay }
}

async function before(t: TestContext, handle: Handle, silence_ms_max?: number): Promise<Setting> {
  const port = await listening(t, createServer(handle))
  return openRelay(t, `http://127.0.0.1:${port}`, undefined, silence_ms_max)
}

function post({ url }: Setting, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/v1/dispatch`, { method: 'POST', headers: { ...caller_headers, ...headers }, body })
}

async function errorOf(answer: Response): Promise<ErrorBody['error']> {
  return ((await answer.json()) as ErrorBody).error
}

test('T15: the engine gets the body, the allowed headers and a signature; never the bearer token', async (t) => {
  const requests: { raw: string[]; text: string }[] = []
  const setting = await before(t, async (req, res) => {
    requests.push({ raw: req.rawHeaders, text: await textOf(req) })
    res.writeHead(201, { 'content-type': 'text/plain', 'x-powered-by': 'engine', 'x-correlation-id': 'c' })
    res.end('done')
  })
  const brought = { 'x-svc-context': 'mine', 'x-forwarded-for': '10.0.0.1', 'idempotency-key': 'k' }
  const answer = await post(setting, brought)
  assert.deepEqual([answer.status, await answer.text()], [201, 'done'])
  assert.deepEqual(
    ['content-type', 'x-correlation-id', 'x-powered-by'].map((name) => answer.headers.get(name)),
    ['text/plain', 'c', null],
  )
  const [{ raw, text } = { raw: [], text: '' }] = requests
  const names = raw.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
  const expected = [
    'accept',
    'connection',
    'content-length',
    'content-type',
    'host',
    'idempotency-key',
    'x-svc-context',
  ]
  assert.deepEqual(names.sort(), expected)
  assert.equal(text, body)
  assert.ok(!raw.join().includes('svc_test_'), 'the API key went on')
  const context = raw[raw.indexOf('x-svc-context') + 1]!
  const claims = JSON.parse(Buffer.from(context.split('.')[1]!, 'base64url').toString())
  assert.deepEqual([claims.iss, claims.aud, claims.context.agent_did], [did, engine_did, test_did])
})

test('whoami is passed on with a signature over an empty body, and only for allowed callers', async (t) => {
  const requests: { line: string; raw: string[] }[] = []
  const setting = await before(t, (req, res) => {
    requests.push({ line: `${req.method} ${req.url}`, raw: req.rawHeaders })
    res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end('{}')
  })
  const ask = (headers: Record<string, string>) => fetch(`${setting.url}/v1/whoami`, { headers })
  const { 'content-type': _, ...caller } = caller_headers
  const answer = await ask({ ...caller, 'x-svc-context': 'mine' })
  assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store'])
  const [{ line, raw } = { line: '', raw: [] }] = requests
  assert.equal(line, 'GET /v1/whoami')
  assert.ok(!raw.join().includes('svc_test_'), 'the API key went on')
  const claims = JSON.parse(
    Buffer.from(raw[raw.indexOf('x-svc-context') + 1]!.split('.')[1]!, 'base64url').toString(),
  )
  assert.equal(claims.body_sha256, sha256Hex(''))
  assert.equal(claims.context.agent_did, test_did)
  for (const wrong of [{}, { ...caller, 'x-agent-did': did }, { ...caller, authorization: 'Bearer x' }])
    assert.equal((await ask(wrong)).status, 401)
  assert.equal(requests.length, 1)
})

test('a live feed is passed on likewise, and ends with the gateway', async (t) => {
  const say = Promise.withResolvers<() => void>()
  const setting = await before(t, (req, res) => {
    assert.equal(`${req.method} ${req.url} ${typeof req.headers['x-svc-context']}`, 'GET /v1/live string')
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.write('event: figures\n\n')
    say.resolve(() => res.write('event: figures\n\n'))
  })
  const { 'content-type': _, ...headers } = caller_headers
  const answer = await fetch(`${setting.url}/v1/live`, { headers })
  const reading = answer.text()
  setting.relay.engine.draining = true
  const sayMore = await say.promise
  sayMore()
  assert.match(await reading, /^event: figures\n\n/)
  await setting.relay.engine.idle()
  assert.deepEqual(setting.logged, [])
})

const breaking: Record<string, [status: number, reason: string, handle: Handle]> = {
  'hangs up without a word': [502, 'engine broke off', (req) => void req.socket.destroy()],
  'answers what is no HTTP': [502, 'engine broke off', (req) => void req.socket.end('HELLO\r\n\r\n')],
  'sends two lengths': [
    502,
    'engine broke off',
    (req) => void req.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'),
  ],
  'sends headers without end': [
    502,
    'engine broke off',
    (req) => void req.socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n`),
  ],
  'switches protocols': [
    502,
    'engine broke off',
    (req) => void req.socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  ],
  'says nothing at all': [504, 'engine silent', () => {}],
}
for (const [name, [status, reason, handle]] of Object.entries(breaking)) {
  test(`an engine that ${name} is ${status} in the usual envelope and a line in the log`, async (t) => {
    const setting = await before(t, handle, 300)
    const answer = await post(setting)
    const error = await errorOf(answer)
    assert.deepEqual([answer.status, error.reason, error.retryable], [status, reason, true])
    const reasons = setting.logged.flatMap(({ fields }) => (fields.audit ? [fields.audit.meta.reason] : []))
    assert.deepEqual(reasons, [reason])
    assert.equal(setting.relay.engine.in_flight, 0)
  })
}

test('a partial answer never looks complete, and a stream says how it ended', async (t) => {
  const setting = await before(t, (req, res) => {
    const streams = req.headers.accept === 'text/event-stream'
    res.writeHead(200, streams ? { 'content-type': 'text/event-stream' } : { 'content-length': '100' })
    res.write('data: {}\n\n', () => res.destroy())
  })
  const half = await post(setting)
  await assert.rejects(half.text())
  const stream = await (await post(setting, { accept: 'text/event-stream' })).text()
  assert.match(stream, /^data: \{\}\n\nevent: error\ndata: (\{.*"code":"adapter_error".*\})\n\n$/)
})

test('the engine must show a certificate of the custom CA; with it calls pass, without it none does', async (t) => {
  const authority = makeCertificate({ name: 'Our authority' })
  const serving = async (hosts: string[]) => {
    const { cert, key } = makeCertificate({ name: 'engine', issuer: authority, hosts })
    const server = createTlsServer({ cert, key }, (_req, res) => void res.end('secured'))
    return `https://127.0.0.1:${await listening(t, server as unknown as Server)}`
  }
  const engine = await serving(['127.0.0.1'])
  assert.equal(await (await post(await openRelay(t, engine, authority.cert))).text(), 'secured')
  const stranger = makeCertificate({ name: 'Our authority' })
  for (const setting of [
    await openRelay(t, engine),
    await openRelay(t, engine, stranger.cert),
    await openRelay(t, await serving(['engine.example']), authority.cert),
  ]) {
    const answer = await post(setting)
    assert.deepEqual([answer.status, (await errorOf(answer)).reason], [502, 'engine not trusted'])
  }
})

test('a refusal here is one line of the log with everything a record would hold, and no secret', async (t) => {
  const setting = await before(t, () => assert.fail('it went on'))
  const answer = await post(setting, { authorization: `Bearer svc_test_abcdefgh_${'x'.repeat(43)}` })
  const { correlation_id } = await errorOf(answer)
  assert.equal(answer.status, 401)
  const [line, ...more] = setting.logged
  assert.deepEqual(more, [])
  const { meta, ...entry } = line!.fields.audit as unknown as Record<string, Record<string, unknown>>
  assert.deepEqual([entry.correlation_id, entry.event_type], [correlation_id, 'SecurityViolation'])
  const supplied = { claimed_did: test_did, method: 'POST', path: '/v1/dispatch' }
  assert.deepEqual([meta?.reason, meta?.supplied], ['unknown key', supplied])
  assert.ok(!JSON.stringify(line).includes('x'.repeat(43)))
})

test('a caller that leaves is released everywhere', async (t) => {
  const gone = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const setting = await before(t, (_req, res) => {
    res.on('close', () => gone.resolve())
    arrived.resolve()
  })
  const leaving = new AbortController()
  const headers = { ...caller_headers }
  const response = fetch(`${setting.url}/v1/dispatch`, {
    method: 'POST',
    headers,
    body,
    signal: leaving.signal,
  })
  await arrived.promise
  leaving.abort()
  await assert.rejects(response)
  await gone.promise
  await setting.relay.engine.idle()
  assert.deepEqual(setting.logged, [])
})

test('sign-in pages get cookies, tokens and where the caller came from, and may set cookies', async (t) => {
  const headers_received: IncomingMessage['headers'][] = []
  const setting = await before(t, (req, res) => {
    headers_received.push(req.headers)
    res.writeHead(
      303,
      [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['location', '/oauth/consent'],
      ].flat(),
    )
    res.end()
  })
  const answer = await fetch(`${setting.url}/oauth/token`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: 'svc_session=1', authorization: 'Bearer ey.a.b', 'x-forwarded-for': '10.0.0.1' },
    body: new URLSearchParams({ code: 'c' }),
  })
  assert.deepEqual([answer.status, answer.headers.getSetCookie()], [303, ['a=1', 'b=2']])
  const [headers] = headers_received
  assert.deepEqual(
    [headers?.cookie, headers?.authorization, headers?.['x-forwarded-for'], headers?.['x-forwarded-proto']],
    ['svc_session=1', 'Bearer ey.a.b', '10.0.0.1, 127.0.0.1', 'http'],
  )
  assert.equal(headers?.['x-svc-context'], undefined)
})

test('a gateway limits concurrent requests, and says that it is busy', async (t) => {
  const releases: (() => void)[] = []
  const setting = await before(t, async (req, res) => {
    await textOf(req)
    releases.push(() => res.end('{}'))
  })
  const admission = openAdmission({ calls_max: 1, body_bytes_max: 1_000_000 }, system_clock, 'gateway')
  Object.assign(setting.relay, { admission })
  const first = post(setting)
  await eventually(() => assert.equal(releases.length, 1))
  assert.equal(admission.body_bytes, body.length)
  const busy = await post(setting)
  assert.deepEqual([busy.status, (await errorOf(busy)).reason], [503, 'gateway busy'])
  assert.ok(Number(busy.headers.get('retry-after')) > 0)
  releases[0]?.()
  assert.equal((await first).status, 200)
  await eventually(() => assert.deepEqual([admission.calls, admission.body_bytes], [0, 0]))
})

test('T9: the engine gets as many requests as were answered with success, each complete and in the name of its caller', async (t) => {
  const relayed: { dids: unknown; names: string[]; body: string }[] = []
  const setting = await before(t, async (req, res) => {
    const names = req.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
    const claims = verifyJws(String(req.headers['x-svc-context']))?.payload as Claims | undefined
    relayed.push({ dids: claims?.context.agent_did, names, body: await textOf(req) })
    res.setHeader('content-length', 2).end('{}')
  })
  const port = Number(new URL(setting.url).port)
  const acme = {
    api_url: '',
    metrics_url: '',
    tenant_id: test_tenant,
    agent_did: test_did,
    key_id: key.key_id,
    api_key: caller_headers.authorization!.slice('Bearer '.length),
  }
  const cast = { acme, rival: acme, powerless: acme, expired: acme, revoked: acme }
  const last = requestOf(acme, { headers: [...headersOf(acme), ['Connection', 'close']] })
  for (const bad of wire_cases) {
    relayed.length = 0
    // One that announces more than it sends would take what follows as its body.
    const is_followed = bad.code !== 'payload_too_large'
    const bytes = Buffer.concat([Buffer.from(bad.bytes(cast) as string), ...(is_followed ? [last] : [])])
    const { answers } = await exchange(port, bytes, is_followed ? Number.POSITIVE_INFINITY : 1)
    const passed = answers.filter(({ status }) => status === 200)
    assert.equal(relayed.length, passed.length, bad.name)
    for (const { dids, names } of relayed) {
      assert.ok(dids === undefined || dids === test_did, bad.name)
      assert.equal(new Set(names).size, names.length, `${bad.name}: a header went on twice`)
      for (const name of ['authorization', 'x-agent-did', 'transfer-encoding'])
        assert.ok(!names.includes(name), `${bad.name}: ${name} went on`)
    }
  }
  relayed.length = 0
  const hidden = last.toString()
  const { answers } = await exchange(port, Buffer.concat([requestOf(acme, { body: hidden }), last]), 2)
  assert.deepEqual([answers.length, relayed.map(({ body }) => body === hidden)], [2, [true, false]])
})

test('a call with a proof says that it is good for one engine', async (t) => {
  const setting = await before(t, () => {})
  const agent = newIdentity('acme', 'agent')
  const signing = { ...agent, private_key: privateKeyOf(Buffer.from(agent.private_key, 'base64url')) }
  const proofs = openProofs(
    {
      publicUrl: () => setting.url,
      isWrite: () => true,
      isOpen: () => true,
      claim: async () => true,
      signerOf: async () => ({ credential: credentialOf() }),
    },
    system_clock,
  )
  const passed_on: (boolean | undefined)[] = []
  const ask: Upstream['ask'] = async ({ is_once }) => {
    passed_on.push(is_once)
    throw brokeOff(new Error('closed'))
  }
  Object.assign(setting.relay, { proofs, upstream: { ...setting.relay.upstream, ask } })
  const { authorization: _, ...unnamed } = caller_headers
  const dpop = dpopProof(signing, { url: `${setting.url}/v1/dispatch` })
  const headers = { ...unnamed, 'x-agent-did': agent.did, dpop }
  assert.equal((await fetch(`${setting.url}/v1/dispatch`, { method: 'POST', headers, body })).status, 502)
  assert.equal((await post(setting)).status, 502)
  assert.deepEqual(passed_on, [true, false])
})
