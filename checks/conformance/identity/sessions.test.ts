// From proof to call: an agent with its own key and no API key, over the wire alone.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, mock, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { createClient } from '@svc/sdk/client'
import { SvcError } from '@svc/sdk/errors'
import { type Answer, dispatch, type RunningEngine, startEngine } from '../../engines/running-engine.ts'
import { type TestDatabase, testDatabase } from '../../rehearsal/test-database.ts'
import { dpopProof, type ProofParts } from '../../scenes/dpop-proof.ts'
import { deriveOwnKeyed, type Proven, proveItself } from '../../scenes/own-keyed-agent.ts'
import { newKeyed, responseOf, type TestIdentity } from '../../scenes/test-descent.ts'

const data_dir = mkdtempSync(join(tmpdir(), 'svc-sessions-'))
let database: TestDatabase
let engine: RunningEngine
let url: string
before(async () => {
  database = await testDatabase()
  engine = await startEngine({ data_dir, env: { SVC_DB_URL: database.url } })
  url = `${engine.api_url}/v1/dispatch`
})
after(async () => {
  await engine.stop()
  await database.close()
  rmSync(data_dir, { recursive: true, force: true })
})

const call = { protocol: 'MARS', operation: 'query_registry', input: { tag: 'none', limit: 1 } }
const negotiate = {
  protocol: 'MACS',
  operation: 'auth_negotiation',
  input: { profile: 'DidAuth', challenge_kind: 'Nonce' },
}

const newChild = (capabilities?: readonly string[]) => deriveOwnKeyed(engine, capabilities)

function send(request: object, headers: Record<string, string | undefined>): Promise<Answer> {
  return dispatch(engine, request, { authorization: undefined, 'x-agent-did': undefined, ...headers })
}

function asNewcomer(agent: TestIdentity, request: object, parts: Partial<ProofParts> = {}): Promise<Answer> {
  return send(request, { dpop: dpopProof(agent, { url, ...parts }), 'x-agent-did': agent.did })
}

function withSession(
  agent: TestIdentity,
  token: string,
  request: object = call,
  parts: Partial<ProofParts> = {},
) {
  const dpop = dpopProof(agent, { url, token, ...parts })
  return send(request, { authorization: `DPoP ${token}`, dpop })
}

const prove = (agent: TestIdentity) => proveItself(engine, agent)

const reasonOf = ({ status, body }: Answer) => [status, body.error?.code, body.error?.reason]
const refusedFor = (reason: string) => [401, 'unauthenticated', reason]

test('an agent without an API key proves its key, calls, and its records name its session', async () => {
  const child = await newChild()
  const { session_token, key_id } = await prove(child)
  const answer = await withSession(child, session_token)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { records } = await createClient({
    apiUrl: engine.api_url,
    apiKey: engine.api_key,
    agentDid: engine.agent_did,
  }).max.audit_query({ correlation_id: answer.body.metadata.correlation_id })
  assert.deepEqual(
    records.map(({ caller_did, meta }) => [caller_did, (meta as { credential?: string }).credential]),
    [[child.did, key_id]],
  )
  const denied = await withSession(child, session_token, {
    protocol: 'MAX',
    operation: 'audit_query',
    input: {},
  })
  assert.deepEqual([denied.status, denied.body.error.code], [403, 'capability_denied'])
})

test('a stolen token is worth nothing: each request is signed by the key, for it, once, now', async () => {
  const [child, thief] = [await newChild(), await newChild()]
  const { session_token: token } = await prove(child)
  const other_token = (await prove(thief)).session_token
  const now_s = Math.floor(system_clock.now_ms() / 1000)
  const attempts: [string, Promise<Answer>][] = [
    ['no proof', send(call, { authorization: `DPoP ${token}` })],
    ['no proof', send(call, { authorization: `Bearer ${token}`, 'x-agent-did': child.did })],
    ['proof of another key', withSession(thief, token)],
    ['proof for another token', withSession(child, token, call, { token: other_token })],
    [
      'proof for another token',
      send(call, { authorization: `DPoP ${token}`, dpop: dpopProof(child, { url }) }),
    ],
    [
      'proof for another address',
      withSession(child, token, call, { url: 'https://other.example/v1/dispatch' }),
    ],
    ['proof for another address', withSession(child, token, call, { url: `${engine.api_url}/v1/whoami` })],
    ['proof for another address', withSession(child, token, call, { method: 'GET' })],
    ['proof out of time', withSession(child, token, call, { issued_s: now_s - 60 })],
    ['proof out of time', withSession(child, token, call, { issued_s: now_s + 60 })],
    ['proof for another body', withSession(child, token, call, { body: '{}' })],
    ['proof invalid', withSession(child, token, call, { header: { alg: 'none' } })],
    ['proof invalid', withSession(child, token, call, { header: { typ: 'JWT' } })],
    [
      'proof invalid',
      withSession(child, token, call, {
        header: { jwk: { kty: 'OKP', crv: 'Ed25519', x: thief.public_key } },
      }),
    ],
    ['proof invalid', withSession(child, token, call, { claims: { jti: '' } })],
    [
      'agent did mismatch',
      send(call, {
        authorization: `DPoP ${token}`,
        'x-agent-did': thief.did,
        dpop: dpopProof(child, { url, token }),
      }),
    ],
  ]
  for (const [reason, attempt] of attempts) assert.deepEqual(reasonOf(await attempt), refusedFor(reason))
  // Beside an API key the header means nothing, whatever it holds.
  for (const dpop of ['', 'nonsense', dpopProof(thief, { url })])
    assert.equal((await dispatch(engine, call, { dpop })).status, 200)
  const dpop = dpopProof(child, { url, token })
  const headers = { authorization: `DPoP ${token}`, dpop }
  assert.equal((await send(call, headers)).status, 200)
  assert.deepEqual(reasonOf(await send(call, headers)), refusedFor('proof replayed'))
})

test('a newcomer calls what proves an identity and nothing else, and only as an identity known here', async () => {
  const child = await newChild()
  assert.deepEqual(reasonOf(await asNewcomer(child, call)), refusedFor('session required'))
  const derive = { protocol: 'MACS', operation: 'derive', input: { entity_kind: 'Agent', label: 'x' } }
  assert.deepEqual(reasonOf(await asNewcomer(child, derive)), refusedFor('session required'))
  const stranger = newKeyed(engine.tenant_id, 'Agent')
  assert.deepEqual(reasonOf(await asNewcomer(stranger, negotiate)), refusedFor('unknown identity'))
  const elsewhere = newKeyed('no-such-tenant', 'Agent')
  assert.deepEqual(reasonOf(await asNewcomer(elsewhere, negotiate)), refusedFor('unknown identity'))
  const as_other = await send(negotiate, { dpop: dpopProof(stranger, { url }), 'x-agent-did': child.did })
  assert.deepEqual(reasonOf(as_other), refusedFor('unknown identity'))
  const whoami = `${engine.api_url}/v1/whoami`
  const headers = { dpop: dpopProof(child, { url: whoami, method: 'GET' }), 'x-agent-did': child.did }
  assert.equal((await fetch(whoami, { headers })).status, 401)
})

test('a session is renewed by another proof, and both tokens work until they end', async () => {
  const child = await newChild()
  const first = await prove(child)
  const renew = async (operation: string, input: object) =>
    (await withSession(child, first.session_token, { protocol: 'MACS', operation, input })).body.output
  const issued = await renew('generate_challenge', { session_id: first.session_id })
  const second: Proven = await renew('verify_response', responseOf(child, issued))
  assert.equal(second.session_id, first.session_id)
  assert.notEqual(second.session_token, first.session_token)
  for (const { session_token } of [first, second])
    assert.equal((await withSession(child, session_token)).status, 200)
})

afterEach(() => mock.timers.reset())

test('the SDK proves, signs and renews by itself, also streams, and with a clock that is five minutes late', async () => {
  const child = await newChild()
  const settings = {
    apiUrl: engine.api_url,
    agentDid: child.did,
    privateKey: child.seed.toString('base64url'),
  }
  mock.timers.enable({ apis: ['Date'], now: system_clock.now_ms() - 300_000 })
  const client = createClient(settings)
  const [one, other] = await Promise.all([
    client.mars.query_registry({ tag: 'none', limit: 1 }),
    client.whoami(),
  ])
  assert.ok(one)
  assert.equal(other.agent_did, child.did)
  const events: string[] = []
  for await (const { event } of client.stream('MARS', 'query_registry', { tag: 'none', limit: 1 }))
    events.push(event)
  assert.deepEqual(events, ['result'])
  await assert.rejects(
    client.max.audit_query({}),
    (error) => error instanceof SvcError && error.code === 'capability_denied',
  )
})

test('an agent makes keys for itself and its descendants, which never do more than their agent, and ends them', async () => {
  const child = await newChild(['svc.mars.query_registry', 'svc.macs.*'])
  const { session_token } = await prove(child)
  const macs = (operation: string, input: object) =>
    withSession(child, session_token, { protocol: 'MACS', operation, input })
  const created = await macs('create_key', { label: 'cron', capabilities: ['svc.mars.query_registry'] })
  assert.equal(created.status, 200, JSON.stringify(created.body))
  const { api_key, key_id } = created.body.output
  const own = { ...engine, agent_did: child.did, api_key }
  assert.equal((await dispatch(own, call)).status, 200)
  const beyond = await dispatch(own, { protocol: 'MACS', operation: 'list_keys', input: {} })
  assert.deepEqual(reasonOf(beyond), [403, 'capability_denied', 'not in the key'])
  const wider = await macs('create_key', { label: 'wide', capabilities: ['svc.max.audit_query'] })
  assert.deepEqual(reasonOf(wider), [422, 'policy_denied', 'capability amplification: svc.max.audit_query'])
  const others = await macs('create_key', { label: 'theirs', agent_did: engine.agent_did })
  assert.deepEqual(reasonOf(others), [422, 'invalid_payload', 'not_found'])
  const { items } = (await macs('list_keys', {})).body.output
  assert.deepEqual(
    items.map(({ kind, state, made_by }: Record<string, string>) => [kind, state, made_by]),
    [
      ['key', 'live', child.did],
      ['session', 'live', child.did],
    ],
  )
  // The parent ends both: the key at once, and the session with it.
  for (const { key_id } of items) {
    const ended = await dispatch(engine, { protocol: 'MACS', operation: 'revoke_key', input: { key_id } })
    assert.equal(ended.status, 200, JSON.stringify(ended.body))
  }
  assert.deepEqual(reasonOf(await dispatch(own, call)), refusedFor('key revoked'))
  assert.deepEqual(reasonOf(await withSession(child, session_token)), refusedFor('session revoked'))
  const again = await dispatch(engine, { protocol: 'MACS', operation: 'revoke_key', input: { key_id } })
  assert.equal(again.body.output.key_id, key_id)
})

test('a key is used from its networks only', async () => {
  const create = async (networks: string[]) => {
    const input = { label: 'bound', networks }
    return await dispatch(engine, { protocol: 'MACS', operation: 'create_key', input })
  }
  const near = (await create(['127.0.0.0/8', '::1/128'])).body.output
  const far = (await create(['10.0.0.0/8', '2001:db8::/32'])).body.output
  assert.equal((await dispatch({ ...engine, api_key: near.api_key }, call)).status, 200)
  assert.deepEqual(reasonOf(await dispatch({ ...engine, api_key: far.api_key }, call)), refusedFor('network'))
  for (const network of ['10.0.0', '10.0.0.0/33', 'example.com/8', '::1/129', '10.0.0.0/8/8'])
    assert.deepEqual(reasonOf(await create([network])), [422, 'invalid_payload', 'invalid key'])
})
