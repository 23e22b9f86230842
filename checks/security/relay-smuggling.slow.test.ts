// T9 through a gateway: the engine gets as many requests as were answered, each complete, and each with its
// own key.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { verifyJws } from '@svc/contract/signing/jws'
import fc from 'fast-check'
import { type GatewayScene, openGateway } from '../conformance/gateway/gateway-scene.ts'
import { type TestDatabase, testDatabase } from '../rehearsal/test-database.ts'
import { storeAt } from '../rehearsal/test-store.ts'
import { basic_capabilities } from '../scenes/basic-capabilities.ts'
import type { Caller } from './attacked-engine.ts'
import { type Cast, headersOf, requestOf, soundBody } from './input/bad-case.ts'
import { exchange, requestBytes } from './input/raw-http.ts'
import { wire_cases } from './input/wire-cases.ts'

interface Relayed {
  readonly url: string | undefined
  readonly agent_did: unknown
  readonly names: readonly string[]
  readonly raw: string
  readonly body: string
}

let relayed: Relayed[] = []
/** Takes the engine's place, parses requests as the engine does, and records them. */
const engine = createServer(async (req, res) => {
  const { 'x-svc-context': context } = req.headers
  const claims = verifyJws(String(context))?.payload as { context: { agent_did: string } } | undefined
  const body = await textOf(req)
  const names = req.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
  // The gateway reports its own refusals separately, at any time.
  if (req.url !== '/v1/gateway/refusals')
    relayed.push({
      url: req.url,
      agent_did: claims?.context.agent_did,
      names,
      raw: req.rawHeaders.join('\n'),
      body,
    })
  res.setHeader('content-type', 'application/json')
  res.setHeader('content-length', 2)
  res.end('{}')
})

let database: TestDatabase
let scene: GatewayScene
let acme: Caller
let rival: Caller

before(async () => {
  database = await testDatabase()
  const store = await storeAt(database.url)
  const newCaller = async (tenant_id: string): Promise<Caller> => {
    await ensureTenant(store.engine, tenant_id, tenant_id, 'sovereign')
    const { did } = newIdentity(tenant_id, 'agent')
    const key = await issueKey(store.engine, {
      tenant_id,
      did,
      mode: 'test',
      capabilities: basic_capabilities,
    })
    return { api_url: '', metrics_url: '', tenant_id, agent_did: did, ...key }
  }
  acme = await newCaller('acme')
  rival = await newCaller('rival')
  await store.close()
  engine.listen(0, '127.0.0.1')
  await once(engine, 'listening')
  const { port } = engine.address() as AddressInfo
  const engine_did = newIdentity('operator', 'service').did
  const behind = { db_url: database.url, api_url: `http://127.0.0.1:${port}`, engine_did }
  scene = await openGateway(behind, { plain: true, shutdown_grace_ms: 500 })
})
after(async () => {
  await scene?.stop()
  engine.closeAllConnections()
  engine.close()
  await database?.close()
})

/** The last request asks for the connection to be closed, so that everything has arrived when it is. */
function last(caller: Caller): Buffer {
  return requestOf(caller, { headers: [...headersOf(caller), ['Connection', 'close']] })
}

async function sendThrough(bytes: string | Buffer, followed = true) {
  relayed = []
  const all = Buffer.concat([Buffer.from(bytes as string), ...(followed ? [last(acme)] : [])])
  const { answers } = await exchange(scene.gateway.port, all, followed ? Number.POSITIVE_INFINITY : 1)
  return { passed: answers.filter(({ status }) => status === 200), seen: relayed }
}

function assertInOwnName(relayed: readonly Relayed[], name: string): void {
  for (const { url, agent_did, names, raw } of relayed) {
    // Only a call has an identity; a page is public.
    assert.equal(agent_did, url === '/v1/dispatch' ? acme.agent_did : undefined, name)
    assert.equal(new Set(names).size, names.length, `${name}: a header went on twice`)
    for (const header of ['authorization', 'x-agent-did', 'transfer-encoding'])
      assert.ok(!names.includes(header), `${name}: ${header} went on`)
    assert.ok(!raw.includes(acme.api_key), `${name}: the key went on`)
  }
}

test('requests at the engine equal requests answered, for every invalid request and what follows it', async (t) => {
  const cast: Cast = { acme, rival, powerless: acme, expired: acme, revoked: acme }
  let requests = 0
  for (const bad of wire_cases) {
    // One that announces more than it sends would take what follows as its body.
    const { passed, seen } = await sendThrough(bad.bytes(cast), bad.code !== 'payload_too_large')
    assert.equal(seen.length, passed.length, bad.name)
    assertInOwnName(seen, bad.name)
    requests += seen.length
  }
  assert.ok(wire_cases.length > 50)
  t.diagnostic(`${wire_cases.length} cases, ${requests} requests at the engine, each answered`)
})

test('a request hidden in a body stays a body: its DID, key and context have no effect', async () => {
  const hidden = requestBytes({
    headers: [...headersOf(rival), ['X-SVC-Context', 'forged']],
    body: soundBody(rival),
  }).toString()
  const carriers = [
    requestOf(acme, { body: hidden }),
    requestOf(acme, {
      headers: [...headersOf(acme), ['Transfer-Encoding', 'chunked']],
      body: `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
    }),
    requestOf(acme, {
      headers: [...headersOf(acme), ['Transfer-Encoding', 'chunked']],
      body: `${hidden.length.toString(16)};x="0\\r\\n\\r\\n"\r\n${hidden}\r\n0\r\nX-Agent-Did: ${rival.agent_did}\r\n\r\n`,
    }),
  ]
  for (const [i, bytes] of carriers.entries()) {
    const { passed, seen } = await sendThrough(bytes)
    assert.deepEqual([seen.length, passed.length], [2, 2], `carrier ${i}`)
    assert.equal(seen[0]?.body, hidden)
    assertInOwnName(seen, `carrier ${i}`)
  }
})

test('hop-by-hop headers are not forwarded, and an unexpected body is not a request', async () => {
  const hidden = requestOf(rival).toString()
  const page = { method: 'GET', path: '/v1/protocols', body: hidden }
  const requests: Record<string, Buffer> = {
    'a page with a body': requestOf(acme, page),
    'a page with chunks': requestOf(acme, {
      ...page,
      headers: [...headersOf(acme), ['Transfer-Encoding', 'chunked']],
      body: `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
    }),
    'a wish for HTTP/2': withHeaders(['Connection', 'Upgrade, HTTP2-Settings'], ['Upgrade', 'h2c']),
    'a wish for a tunnel': withHeaders(['Connection', 'Upgrade'], ['Upgrade', 'websocket']),
    'headers named as of this wire': withHeaders([
      'Connection',
      'X-Agent-Did, Content-Length, Authorization',
    ]),
    'a promise to wait': withHeaders(['Expect', '100-continue']),
    'trailers announced': withHeaders(['TE', 'trailers'], ['Trailer', 'X-Agent-Did']),
  }
  for (const [name, bytes] of Object.entries(requests)) {
    // Whatever follows an upgrade request in the same packet is not read.
    const { passed, seen } = await sendThrough(bytes, !name.startsWith('a wish'))
    assert.equal(seen.length, passed.length, name)
    assert.ok(seen.length >= 1 && seen.length <= 2, `${name}: ${seen.length} requests at the engine`)
    assertInOwnName(seen, name)
    for (const { names } of seen)
      for (const header of ['upgrade', 'te', 'trailer', 'expect', 'http2-settings'])
        assert.ok(!names.includes(header), `${name}: ${header} went on`)
  }
})

function withHeaders(...more: [string, string][]): Buffer {
  return requestOf(acme, { headers: [...headersOf(acme), ...more] })
}

/** Deliberately slow clients are disconnected, and nothing of theirs reaches the engine. */
const is_short = process.env.SVC_TEST_ASSURANCE === undefined && 'only in npm run assurance'

test('headers and bodies that never end are refused', {
  skip: is_short,
}, async (t) => {
  relayed = []
  const whole = requestOf(acme).toString()
  const started = ['POST /v1/dispatch HTTP/1.1\r\nHost: x\r\nX-A', whole.slice(0, -1)]
  const answers = await Promise.all(
    started.map(async (bytes) => (await exchange(scene.gateway.port, bytes)).answers),
  )
  assert.deepEqual(
    answers.map(([answer]) => answer?.status),
    [408, 408],
  )
  assert.deepEqual(relayed, [])
  t.diagnostic(`N=${started.length} cut off, 0 requests at the engine`)
})

test('pipelined requests arrive one for one and are answered in order, however the bytes are cut', async () => {
  const bodies = ['{"n":1}', '{"n":2}', '{"n":3}']
  const bytes = Buffer.concat([...bodies.map((body) => requestOf(acme, { body })), last(acme)])
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 12 }),
      async (cuts) => {
        relayed = []
        const edges = [...new Set([0, ...cuts, bytes.length])].sort((a, b) => a - b)
        const pieces = edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge))
        assert.equal(await answersTo(pieces), bodies.length + 1)
        assert.deepEqual(relayed.map(({ body }) => body).sort(), [...bodies, soundBody(acme)].sort())
        assertInOwnName(relayed, `cut at ${edges}`)
      },
    ),
    { numRuns: 25 },
  )
})

/** Writes piece by piece, each in its own packet, and counts the answers until the gateway closes. */
async function answersTo(pieces: readonly Buffer[]): Promise<number> {
  const socket = connect({ port: scene.gateway.port, host: '127.0.0.1', noDelay: true })
  const answered = textOf(socket)
  await once(socket, 'connect')
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve))
  return (await answered).match(/HTTP\/1\.1 200 /g)?.length ?? 0
}
