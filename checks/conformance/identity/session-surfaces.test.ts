// A session opens every surface that a key opens: MCP, live streams, and all of it through a gateway. A stolen one opens none.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Addresses, type Answer, dispatch, freePorts } from '../../engines/running-engine.ts'
import { dpopProof, type ProofParts } from '../../scenes/dpop-proof.ts'
import { makeOwnKeyed, proveItself } from '../../scenes/own-keyed-agent.ts'
import { newKeyed, type TestIdentity } from '../../scenes/test-descent.ts'
import { openLiveFeed } from '../../telemetry/live-reader.ts'
import { type GatewayScene, newSigner, openGateway } from '../gateway/gateway-scene.ts'
import { list_message, type McpScene, post, startWithMcp } from '../gateway/mcp-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const names = ['svc.mars.query_registry', 'svc.mars.register_agent', 'svc.moment.snapshot', 'svc.macs.*']
const public_url = 'https://svc.example.org/agents'
const call = { protocol: 'MARS', operation: 'query_registry', input: { tag: 'none', limit: 1 } }
const signer = newSigner()
let engine: McpScene
let scene: GatewayScene
let agent: TestIdentity
let thief: TestIdentity
let token: string

before(async () => {
  const config = { trusted_gateways: [signer.did], master_key: randomBytes(32) }
  engine = await startWithMcp({ with_nodes: true, identity: (others) => others, config })
  const behind = { db_url: engine.db_url, api_url: engine.api_url, engine_did: engine.operator.did }
  scene = await openGateway(behind, { signer, plain: true, public_url })
  agent = await makeOwnKeyed(engine, 'dev', names)
  thief = await makeOwnKeyed(engine, 'dev', names)
  token = (await proveItself(at(), agent)).session_token
})
after(async () => {
  await scene?.stop()
  await engine?.stop()
})

const at = (api_url = engine.api_url): Addresses => ({ ...engine, api_url, tenant_id: 'dev' })

function signed(parts: ProofParts, who = agent): Record<string, string> {
  return { authorization: `DPoP ${token}`, dpop: dpopProof(who, { token, ...parts }) }
}

async function reasonOf(answer: Response): Promise<unknown> {
  const body = (await answer.json()) as Record<string, { data?: { reason: string }; reason?: string }>
  return [answer.status, body.error?.data?.reason ?? body.error?.reason]
}

test('a session token opens MCP at its own address, and a stolen one does not', async () => {
  const url = engine.mcp_url
  const listed = await post(url, signed({ url }), list_message)
  assert.equal(listed.status, 200, await listed.clone().text())
  assert.match(await listed.text(), /svc\.mars\.query_registry/)
  const tool = { name: 'svc.mars.query_registry', arguments: call.input }
  const message = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: tool }
  assert.match(await (await post(url, signed({ url }), message)).text(), /"entries":\[\]/)
  const once = signed({ url })
  assert.equal((await post(url, once, list_message)).status, 200)
  for (const [reason, headers] of [
    ['proof replayed', once],
    ['no proof', { authorization: `DPoP ${token}` }],
    ['no proof', { authorization: `Bearer ${token}`, 'x-agent-did': agent.did }],
    ['proof of another key', signed({ url }, thief)],
    ['proof for another address', signed({ url: `${engine.api_url}/v1/dispatch` })],
    ['proof for another address', signed({ url: `${engine.api_url}/mcp` })],
    ['no credential', { dpop: dpopProof(agent, { url }), 'x-agent-did': agent.did }],
  ] as const)
    assert.deepEqual(await reasonOf(await post(url, headers, list_message)), [401, reason])
})

test('the older transport of MCP is opened the same way', async () => {
  const url = engine.sse_url
  const open = async (headers: Record<string, string>) => {
    const stop = new AbortController()
    const answer = await fetch(url, { headers, signal: stop.signal })
    const type = answer.headers.get('content-type')
    stop.abort()
    return [answer.status, type?.split(';')[0]]
  }
  assert.deepEqual(await open(signed({ url, method: 'GET' })), [200, 'text/event-stream'])
  assert.deepEqual(await open(signed({ url, method: 'GET' }, thief)), [401, 'application/json'])
  assert.deepEqual(await open(signed({ url: engine.mcp_url, method: 'GET' })), [401, 'application/json'])
})

test('it opens the live stream, a stolen one does not, and a revoked one ends it', async () => {
  const url = `${engine.api_url}/v1/live`
  const own = await proveItself(at(), agent)
  const sign = (parts: Partial<ProofParts> = {}, who = agent) => {
    const dpop = dpopProof(who, { url, method: 'GET', token: own.session_token, ...parts })
    return { authorization: `DPoP ${own.session_token}`, dpop }
  }
  const once = sign()
  const feed = await openLiveFeed(at(), once)
  await feed.next()
  for (const [reason, headers] of [
    ['proof replayed', once],
    ['no proof', { authorization: once.authorization }],
    ['proof of another key', sign({}, thief)],
    ['proof for another address', sign({ method: 'POST' })],
  ] as const)
    assert.deepEqual(await reasonOf(await fetch(url, { headers })), [401, reason])
  // A proof lasts seconds, the stream goes on with its session.
  await feed.next()
  const input = { key_id: own.key_id, reason: 'a test' }
  const revoke = { protocol: 'MACS', operation: 'revoke_key', input }
  const ended = await dispatch(at(), revoke, { 'x-agent-did': undefined, ...signed({ url: dispatchUrl() }) })
  assert.equal(ended.status, 200, JSON.stringify(ended.body))
  assert.equal(await feed.ended(), 'unauthenticated')
  assert.deepEqual(await reasonOf(await fetch(url, { headers: sign() })), [401, 'session revoked'])
})

test('a session token opens A2A, once for each proof, and a proof made for a body only with that body', async () => {
  const url = `${engine.api_url}/a2a/${agent.did}`
  const message = { jsonrpc: '2.0', id: 1, method: 'Nothing', params: {} }
  const reason = async (headers: Record<string, string>) => {
    const { error } = (await (await post(url, headers, message)).json()) as Fields
    return error.data[1]?.value.reason ?? error.code
  }
  const once = signed({ url, body: JSON.stringify(message) })
  assert.equal(await reason(once), -32601)
  assert.equal(await reason(once), 'proof replayed')
  assert.equal(await reason(signed({ url, body: '{}' })), 'proof for another body')
})

const dispatchUrl = (base = engine.api_url) => `${base}/v1/dispatch`

/** Through the gateway, which callers know by its public address. */
function through(headers: Record<string, string>, request: object = call): Promise<Answer> {
  return dispatch(at(scene.url), request, { authorization: undefined, 'x-agent-did': undefined, ...headers })
}

const refusalOf = ({ status, body }: Answer) => [status, body.error?.reason]

test('through a gateway an agent proves itself, calls once for each proof, and only by the public address', async () => {
  const proven = await proveItself(at(scene.url), agent, public_url)
  const withProof = (parts: Partial<ProofParts> = {}, who = agent) => ({
    authorization: `DPoP ${proven.session_token}`,
    dpop: dpopProof(who, { url: dispatchUrl(public_url), token: proven.session_token, ...parts }),
  })
  const once = withProof()
  const answer = await through(once)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const records = await engine.records('dev', { correlation_ids: [answer.body.metadata.correlation_id] })
  assert.deepEqual(
    records.map(({ caller_did, meta }) => [caller_did, meta.credential, meta.gateway]),
    [[agent.did, proven.key_id, signer.did]],
  )
  assert.deepEqual(refusalOf(await through(once)), [401, 'proof replayed'])
  for (const [reason, headers] of [
    ['proof for another address', withProof({ url: dispatchUrl() })],
    ['proof for another address', withProof({ url: dispatchUrl(scene.url) })],
    ['proof of another key', withProof({}, thief)],
    ['proof for another body', withProof({ body: '{}' })],
    ['no proof', { authorization: once.authorization }],
  ] as const)
    assert.deepEqual(refusalOf(await through(headers)), [401, reason])
  // The engine behind it has another address: what was made for one is worth nothing at the other.
  const direct = await dispatch(at(), call, { 'x-agent-did': undefined, ...withProof() })
  assert.deepEqual(refusalOf(direct), [401, 'proof for another address'])
})

test('a gateway lets a newcomer prove itself and nothing else, and the engine knows who is one', async () => {
  const newcomer = (who: TestIdentity, request: object) =>
    through({ dpop: dpopProof(who, { url: dispatchUrl(public_url) }), 'x-agent-did': who.did }, request)
  const negotiate = {
    protocol: 'MACS',
    operation: 'auth_negotiation',
    input: { profile: 'DidAuth', challenge_kind: 'Nonce' },
  }
  assert.equal((await newcomer(agent, negotiate)).status, 200)
  assert.deepEqual(refusalOf(await newcomer(agent, call)), [401, 'session required'])
  assert.deepEqual(refusalOf(await newcomer(newKeyed('dev', 'Agent'), negotiate)), [401, 'unknown identity'])
  const elsewhere = newKeyed('no-such-tenant', 'Agent')
  assert.deepEqual(refusalOf(await newcomer(elsewhere, negotiate)), [401, 'unknown identity'])
})

test('live streams and whoami pass the gateway with a session', async () => {
  const proven = await proveItself(at(scene.url), agent, public_url)
  const sign = (path: string, who = agent) => {
    const parts = { url: `${public_url}${path}`, method: 'GET', token: proven.session_token }
    return { authorization: `DPoP ${proven.session_token}`, dpop: dpopProof(who, parts) }
  }
  const whoami = await fetch(`${scene.url}/v1/whoami`, { headers: sign('/v1/whoami') })
  const { agent_did, credential } = (await whoami.json()) as Record<string, unknown>
  assert.deepEqual([agent_did, credential], [agent.did, 'own_key'])
  const stolen = await fetch(`${scene.url}/v1/whoami`, { headers: sign('/v1/whoami', thief) })
  assert.deepEqual(await reasonOf(stolen), [401, 'proof of another key'])
  const feed = await openLiveFeed(at(scene.url), sign('/v1/live'))
  await feed.next()
  const revoke = { protocol: 'MACS', operation: 'revoke_key', input: { key_id: proven.key_id } }
  const ended = await dispatch(at(), revoke, { 'x-agent-did': undefined, ...signed({ url: dispatchUrl() }) })
  assert.equal(ended.status, 200, JSON.stringify(ended.body))
  assert.equal(await feed.ended(), 'unauthenticated')
})

test('behind a proxy with a path of its own, MCP takes proofs for its public address', async () => {
  const mcp_public_url = 'https://svc.example.org/tools/mcp'
  const config = { mcp_public_url, mcp_port: await freePorts() }
  const behind_proxy = await startWithMcp({ with_nodes: true, identity: (others) => others, config })
  try {
    const own = await makeOwnKeyed(behind_proxy, 'dev', names)
    const { session_token } = await proveItself({ ...behind_proxy, tenant_id: 'dev' }, own)
    const list = (url: string) => {
      const dpop = dpopProof(own, { url, token: session_token })
      const headers = { authorization: `DPoP ${session_token}`, dpop }
      return post(`http://127.0.0.1:${config.mcp_port}/mcp`, headers, list_message)
    }
    assert.equal((await list(mcp_public_url)).status, 200)
    const elsewhere = await list('https://svc.example.org/mcp')
    assert.deepEqual(await reasonOf(elsewhere), [401, 'proof for another address'])
  } finally {
    await behind_proxy.stop()
  }
})
