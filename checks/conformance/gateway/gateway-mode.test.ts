// The gateway in front of an engine: what passes, what is held back, and what each side trusts.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { connect, type PeerCertificate } from 'node:tls'
import { revokeKey } from '@svc/adapters/access/api-keys'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import { localAdmin, unresolved } from '@svc/contract/identity/identity'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { operation, protocol } from '@svc/contract/protocol'
import { AnyObject, Closed } from '@svc/contract/schema'
import type { IdentityResolver } from '@svc/engine/ports'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Addresses, Answer } from '../../engines/running-engine.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { makeCertificate } from '../../neighbours/test-certificate.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'
import {
  askThrough,
  callerHeaders,
  type GatewayScene,
  newSigner,
  openGateway,
  send,
} from './gateway-scene.ts'

const trial = trialProtocol()
const signer = newSigner()
let gate = Promise.withResolvers<void>()
let left = Promise.withResolvers<void>()

const plain = { level: 'L0', meters: ['seconds'], input: Closed({}), output: AnyObject, example: {} } as const
const flow = protocol({
  id: 'FLOW',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'Reports, and then waits for the test or for its caller to leave.',
  operations: {
    wait: operation({
      ...plain,
      summary: 'Report and wait.',
      effect: 'read',
      async handle(_input, context) {
        context.progress({ message: 'begun', fraction: 0 })
        context.signal.addEventListener('abort', () => left.resolve())
        await gate.promise
        return { waited: true }
      },
    }),
  },
})

let engine: InProcessService
let caller: Addresses & { readonly key_id: string }
let scene: GatewayScene

before(async () => {
  engine = await startInProcess({
    more_protocols: [trial.protocol, flow],
    identity: key_only_resolver,
    config: { trusted_gateways: [signer.did], master_key: randomBytes(32) },
  })
  caller = await engine.newCaller({ capabilities: ['svc.trial.*', 'svc.flow.*'] })
  scene = await openGateway(behind(), { signer })
})
after(async () => {
  await scene?.stop()
  await engine?.stop()
})

function behind() {
  return { db_url: engine.db_url, api_url: engine.api_url, engine_did: engine.operator.did }
}

async function recordsOf(answer: Answer) {
  const id = answer.headers.get('x-correlation-id')
  return engine.records(caller.tenant_id, { correlation_ids: [id!] })
}

test('The gateway terminates TLS, authenticates, builds InvokeContext and relays; the record names it', async () => {
  const answer = await askThrough(scene, caller, 'echo', { say: 'hello' })
  const { output } = assertSuccess(answer)
  assert.equal(output.said, 'hello')
  const invoke = output.invoke as Record<string, unknown>
  assert.deepEqual([invoke.agent_did, invoke.tenant_id], [caller.agent_did, caller.tenant_id])
  const records = await recordsOf(answer)
  assert.deepEqual(
    records.map(({ event_type, caller_did, meta }) => [event_type, caller_did, meta.gateway]),
    [['ProtocolInvocation', caller.agent_did, signer.did]],
  )
  assert.match(answer.headers.get('strict-transport-security') ?? '', /^max-age=\d{8}/)
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    assert.match(answer.headers.get(name) ?? '', /^\d+$/)
})

test('a body large enough for its own thread passes: its signature was checked before', async () => {
  const answer = await askThrough(scene, caller, 'echo', { say: 'x'.repeat(400 * 1024) })
  // Only its own schema refuses it, in stage 7.
  assertRefusal(answer, { code: 'invalid_payload', stage: 7, reason: 'schema' })
})

test('A fresh correlation_id is minted when none is supplied; traceparent is propagated', async () => {
  const supplied = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const headers = { 'x-correlation-id': supplied, traceparent }
  const answer = await askThrough(scene, caller, 'echo', {}, headers)
  assert.equal(assertSuccess(answer).metadata.correlation_id, supplied)
  assert.equal(answer.headers.get('traceparent'), traceparent)
  const { invoke } = assertSuccess(answer).output as { invoke: Record<string, unknown> }
  assert.deepEqual(invoke.trace_context, { traceparent })
  const minted = await askThrough(scene, caller, 'echo', {}, { 'x-correlation-id': 'no uuid' })
  assert.match(assertSuccess(minted).metadata.correlation_id, /^[0-9a-f-]{36}$/)
})

test('identity comes from the gateway: Resolved is not resolved again, Partial is recorded, Failed is left to the engine', async (t) => {
  const resolved = { ...unresolved(caller.agent_did), auth_method: 'document', name: 'Ada' }
  let answers: IdentityResolver['resolve'] = () => ({ outcome: 'Resolved', identity: resolved })
  const other = await openGateway(behind(), { signer, resolver: { resolve: (did) => answers(did) } })
  t.after(() => other.stop())
  const identitiesSeen = async () => {
    const answer = await askThrough(other, caller, 'echo')
    const { invoke } = assertSuccess(answer).output as { invoke: { resolved_identity: typeof resolved } }
    const warned = (await recordsOf(answer)).filter(({ event_type }) => event_type === 'LineageUnverified')
    return [invoke.resolved_identity.auth_method, ...warned.map(({ meta }) => meta.warnings)]
  }
  assert.deepEqual(await identitiesSeen(), ['document'])
  answers = () => ({ outcome: 'Partial', identity: resolved, warnings: ['root unknown'] })
  assert.deepEqual(await identitiesSeen(), ['document', ['root unknown']])
  answers = () => ({ outcome: 'Failed', reason: 'away' })
  assert.deepEqual(await identitiesSeen(), ['unresolved'])
  answers = () => Promise.reject(new Error('raised'))
  assert.deepEqual(await identitiesSeen(), ['unresolved'])
  const many = Array.from({ length: 900 }, (_, i) => ({ name: `svc.trial.some_operation_${i}`, caveats: [] }))
  answers = () => ({ outcome: 'Resolved', identity: { ...resolved, capabilities: many } })
  assert.deepEqual(
    await identitiesSeen(),
    ['unresolved'],
    'what no header can hold the engine finds out itself',
  )
  answers = () => ({ outcome: 'Resolved', identity: localAdmin(caller.agent_did) })
  const refused = await askThrough(other, caller, 'echo')
  assertRefusal(refused, { code: 'unauthenticated', stage: null, reason: 'identity mismatch' })
})

test("the bound resolver calls the identity node in the gateway's name", async (t) => {
  const requests: { url: string | undefined; text: string }[] = []
  const node = createServer(async (req, res) => {
    requests.push({ url: req.url, text: JSON.stringify(req.headers) + (await textOf(req)) })
    res.writeHead(500).end()
  }).listen(0, '127.0.0.1')
  await once(node, 'listening')
  const OAS = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  const other = await openGateway(behind(), { signer, identity: { node_urls: { OAS }, trusted_issuers: [] } })
  t.after(async () => {
    await other.stop()
    node.close()
  })
  assertSuccess(await askThrough(other, caller, 'echo'))
  assert.equal(requests[0]?.url, '/invoke')
  for (const did of [caller.agent_did, signer.did]) assert.ok(requests[0]?.text.includes(did), did)
})

test('a body of megabytes arrives as it was signed', async () => {
  const say = 'é'.repeat(50)
  const invoke_context = { metadata: { note: 'x'.repeat(900_000) } }
  const answer = await askThrough(scene, caller, 'echo', { say }, {}, { invoke_context })
  const { output } = assertSuccess(answer)
  assert.equal(output.said, say)
  assert.equal((output.invoke as InvokeContext).metadata.note, invoke_context.metadata.note)
  const large = await askThrough(scene, caller, 'echo', {}, {}, { idempotency_key: 'x'.repeat(9_000_000) })
  assertRefusal(large, { code: 'payload_too_large', stage: null, reason: 'body too large' })
})

test('an unsigned invoke_context has no authority: identity ignored, plugin settings dropped, unknown fields refused', async () => {
  const invoke_context = {
    agent_did: 'did:other',
    resolved_identity: localAdmin(caller.agent_did),
    metadata: { note: 1, plugin_config: { limit: 0 } },
  }
  for (const ask of [
    () => askThrough(scene, caller, 'echo', {}, {}, { invoke_context }),
    () => dispatch(caller, { protocol: 'TRIAL', operation: 'echo', input: {}, ...{ invoke_context } }),
  ]) {
    const { invoke } = assertSuccess(await ask()).output as { invoke: InvokeContext }
    assert.deepEqual(invoke.metadata, { note: 1, caller_did: caller.agent_did, origin: 'http' })
    assert.equal(invoke.agent_did, caller.agent_did)
    assert.equal(invoke.resolved_identity?.auth_method, 'unresolved')
  }
  const unknown = await askThrough(scene, caller, 'echo', {}, {}, { invoke_context: { is_admin: true } })
  assertRefusal(unknown, { code: 'invalid_request', stage: null, reason: 'envelope' })
})

test("unknown callers stop at the gateway: the engine learns of them only from the gateway's report", async () => {
  const wrong = {
    ...caller,
    api_key: `${caller.api_key.slice(0, -1)}${caller.api_key.endsWith('A') ? 'B' : 'A'}`,
  }
  const cases: [Answer, string][] = [
    [await askThrough(scene, wrong, 'echo'), 'unknown key'],
    [
      await askThrough(scene, caller, 'echo', {}, { 'x-agent-did': engine.operator.did }),
      'agent did mismatch',
    ],
    [await askThrough(scene, caller, 'echo', {}, { authorization: undefined }), 'no credential'],
  ]
  for (const [answer, reason] of cases)
    assertRefusal(answer, { code: 'unauthenticated', stage: null, reason })
  for (const [answer, reason] of cases) {
    const { correlation_id } = answer.body.error
    const tenant_id = reason === 'agent did mismatch' ? caller.tenant_id : engine.operator.tenant_id
    const recordsOfCall = () => engine.records(tenant_id, { correlation_ids: [correlation_id] })
    await eventually(async () => assert.equal((await recordsOfCall()).length, 1))
    const [record] = await recordsOfCall()
    assert.deepEqual([record?.meta.reason, record?.meta.gateway], [reason, signer.did])
  }
})

test("only named routes pass: pages do, the engine's operator routes do not", async () => {
  const listed = await send(scene, 'GET', '/v1/protocols')
  assert.equal(listed.status, 200)
  assert.ok(JSON.stringify(listed.body).includes('TRIAL'))
  assert.equal((await send(scene, 'GET', '/')).headers.get('location'), 'docs/')
  for (const path of [
    '/admin/trace',
    '/metrics',
    '/invoke',
    '/docs/../admin/trace',
    '/docs/%2e%2e/admin/trace',
    '//docs',
  ]) {
    const answer = await send(scene, 'GET', path, callerHeaders(caller))
    assertRefusal(answer, { code: 'not_found', stage: null, reason: 'no such route' })
  }
})

test('A revocation takes effect on the next request within 1 s, through the gateway too', async () => {
  const revoked = await engine.newCaller({ capabilities: ['svc.trial.*'] })
  assertSuccess(await askThrough(scene, revoked, 'echo'))
  assert.ok(await revokeKey(engine.service.store.engine, revoked.tenant_id, revoked.key_id))
  await eventually(async () => {
    const answer = await askThrough(scene, revoked, 'echo')
    assertRefusal(answer, { code: 'unauthenticated', stage: null, reason: 'key revoked' })
  })
})

test('events stream through as they arrive, and the engine learns when the caller disconnects', async (t) => {
  t.after(() => gate.resolve())
  const chunks: string[] = []
  const open = () => {
    const headers = { ...callerHeaders(caller), accept: 'text/event-stream' }
    const sent = request(`${scene.url}/v1/dispatch`, {
      method: 'POST',
      headers,
      ca: scene.authority.cert,
      agent: false,
    })
    const { tenant_id } = caller
    sent.on('response', (answer) => answer.on('data', (chunk) => chunks.push(String(chunk))))
    sent.on('error', () => {})
    sent.end(JSON.stringify({ protocol: 'FLOW', version: 'v1', operation: 'wait', tenant_id, input: {} }))
    return sent
  }
  const streaming = open()
  await eventually(() => assert.match(chunks.join(''), /^event: progress\ndata: .*begun/))
  assert.ok(!chunks.join('').includes('event: result'))
  gate.resolve()
  await eventually(() => assert.match(chunks.join(''), /event: result\ndata: .*"waited":true/))
  streaming.destroy()

  chunks.length = 0
  gate = Promise.withResolvers()
  left = Promise.withResolvers()
  const leaving = open()
  await eventually(() => assert.match(chunks.join(''), /begun/))
  leaving.destroy()
  await left.promise
})

test('certificates are configured by file paths, and are renewed while the gateway runs', async () => {
  const first = await peerOf(scene)
  const next = makeCertificate({ name: 'renewed', issuer: scene.authority, hosts: ['127.0.0.1'] })
  await writeFile(scene.cert_file, next.cert)
  scene.gateway.renew()
  assert.equal((await peerOf(scene)).fingerprint256, first.fingerprint256, 'half a pair changes nothing')
  await writeFile(scene.key_file, next.key)
  scene.gateway.renew()
  assert.equal((await peerOf(scene)).subject.CN, 'renewed')
  assertSuccess(await askThrough(scene, caller, 'echo'))
})

test('nothing older than TLS 1.2 is accepted, and plain HTTP on the TLS port is not answered', async () => {
  await assert.rejects(
    peerOf(scene, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
  )
  await assert.rejects(peerOf(scene, { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' }))
  assert.equal((await peerOf(scene, { maxVersion: 'TLSv1.2' })).subject.CN, 'renewed')
  await assert.rejects(send({ ...scene, url: scene.url.replace('https', 'http') }, 'GET', '/health'))
})

function peerOf({ gateway, authority }: GatewayScene, options = {}): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: gateway.port, ca: authority.cert, ...options })
    socket.on('error', reject)
    socket.on('secureConnect', () => {
      resolve(socket.getPeerCertificate())
      socket.end()
    })
  })
}

test('an unreachable engine is 503 in the usual envelope; the gateway is healthy and not ready', async (t) => {
  const other = await openGateway({ ...behind(), api_url: 'http://127.0.0.1:9' }, { signer })
  t.after(() => other.stop())
  const answer = await askThrough(other, caller, 'echo')
  assertRefusal(answer, { code: 'no_endpoint_available', stage: null, reason: 'engine unreachable' })
  assert.equal((await send(other, 'GET', '/health')).body.status, 'ok')
  await eventually(async () => {
    const { status, body } = await send(other, 'GET', '/ready')
    assert.deepEqual([status, body.checks], [503, { accepting: true, database: true, engine: false }])
  })
  await eventually(async () => assert.equal((await send(scene, 'GET', '/ready')).status, 200))
})

test('an engine that requires a gateway refuses direct calls, with a record', async (t) => {
  const strict = await startInProcess({
    more_protocols: [trial.protocol],
    config: { trusted_gateways: [signer.did], require_gateway: true },
  })
  t.after(() => strict.stop())
  const direct = await dispatch(strict, { protocol: 'TRIAL', operation: 'echo', input: {} })
  const { correlation_id } = assertRefusal(direct, {
    code: 'unauthenticated',
    stage: null,
    reason: 'gateway required',
  })
  const [record] = await strict.records(strict.operator.tenant_id, { correlation_ids: [correlation_id] })
  assert.deepEqual([record?.event_type, record?.meta.reason], ['SecurityViolation', 'gateway required'])
  const front = await openGateway(
    { db_url: strict.db_url, api_url: strict.api_url, engine_did: strict.operator.did },
    { signer },
  )
  t.after(() => front.stop())
  assertSuccess(await askThrough(front, strict, 'echo'))
})

test('a stopping gateway finishes calls in progress, refuses new ones and reports it', async (t) => {
  const stopping = await openGateway(behind(), { signer })
  t.after(() => stopping.stop())
  gate = Promise.withResolvers()
  const more = { protocol: 'FLOW', version: 'v1' }
  const waiting = askThrough(stopping, caller, 'wait', {}, {}, more)
  await eventually(() => assert.equal(engine.service.engine.in_flight, 1))
  const stopped = stopping.stop()
  const refused = await askThrough(stopping, caller, 'echo')
  assertRefusal(refused, { code: 'draining', stage: null, reason: 'draining' })
  assert.equal(refused.headers.get('connection'), 'close')
  assert.deepEqual(
    [(await send(stopping, 'GET', '/health')).status, (await send(stopping, 'GET', '/ready')).status],
    [503, 503],
  )
  gate.resolve()
  const answer = await waiting
  assert.deepEqual(assertSuccess(answer).output, { waited: true })
  assert.equal(answer.headers.get('connection'), 'close')
  await stopped
})

test('the live feed passes the gateway, and ends there too when its key is revoked', async () => {
  const watcher = await engine.newCaller({ capabilities: ['svc.moment.snapshot'] })
  const { 'content-type': _, ...headers } = callerHeaders(watcher)
  const watching = send(scene, 'GET', '/v1/live', headers)
  await eventually(async () => {
    const figures = await engine.service.measure()
    assert.equal(figures.find(({ name }) => name === 'svc_live_streams')?.values[0]?.value, 1)
  })
  assert.ok(await revokeKey(engine.service.store.engine, watcher.tenant_id, watcher.key_id))
  const { status, body } = await watching
  assert.equal(status, 200)
  assert.match(body, /event: figures\ndata: \{.*event: end\ndata: \{"reason":"unauthenticated"\}\n\n$/s)
})
