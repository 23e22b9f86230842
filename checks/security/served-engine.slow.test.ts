// An engine serves other engines it trusts, once per signature, on every replica and after every restart.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import { findRecords } from '@svc/audit/query/records'
import { registerAt } from '../engines/engine-pair.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { openReplicas, type Replica, type Replicas } from '../engines/replicas.ts'
import { dispatch } from '../engines/running-engine.ts'
import { effects } from '../scenes/effects-protocol.ts'
import { type Invoking, isAnswerOf, newSigner, signInvocation } from '../scenes/signed-invocation.ts'
import { until } from '../suite/eventually.ts'
import { exchange } from './input/raw-http.ts'

const [server_key, caller_key] = [newSigner(), newSigner()]
let server: Replicas
let first: Replica
let second: InProcessService
let agent: { readonly tenant_id: string; readonly agent_did: string }
let calling: InProcessService

before(async () => {
  const master_key = randomBytes(32)
  const settings = { trusted_engines: [caller_key.did], master_key: master_key.toString('hex') }
  server = await openReplicas({ ...settings, ...ownerOf(server_key) })
  const { db_url } = server
  const same = { ...settings, db_url, master_key, agent_did: server_key.did, agent_key: server_key }
  ;[first, second, calling] = await Promise.all([
    server.start('first'),
    startInProcess({ more_protocols: [effects], config: same }),
    startInProcess({
      identity: key_only_resolver,
      more_protocols: [effects],
      caller: { capabilities: ['svc.effects.*'] },
      config: { agent_did: caller_key.did, agent_key: caller_key, allowed_networks: ['127.0.0.0/8'] },
    }),
  ])
  agent = await server.newCaller('dev')
})
after(async () => {
  await calling.stop()
  await second.stop()
  await server.close()
})

function ownerOf({ did, private_key }: typeof server_key) {
  return { operator_did: did, operator_key: private_key.export({ format: 'jwk' }).d as string }
}

function invoking(other: Partial<Invoking> = {}): Invoking {
  return {
    signer: caller_key,
    audience: server_key.did,
    now_ms: system_clock.now_ms(),
    id: randomUUID(),
    protocol: 'EFFECTS',
    operation: 'look',
    ...agent,
    ...other,
  }
}

async function post({ api_url }: { api_url: string }, asking: Invoking, sent = signInvocation(asking)) {
  const answer = await fetch(`${api_url}/invoke`, { method: 'POST', ...sent })
  const text = await answer.text()
  const signature = answer.headers.get('x-svc-signature')
  const is_signed = isAnswerOf(server_key.did, { ...asking, now_ms: system_clock.now_ms() }, signature, text)
  const { error } = JSON.parse(text)
  return {
    gist: error ? `${answer.status} ${error.code}: ${error.reason}` : String(answer.status),
    is_signed,
  }
}

/** Records of the server's operator, once the expected number is committed. */
async function operatorRecords(of: (meta: Record<string, unknown>) => boolean, count: number) {
  return await until(`${count} records are committed`, async () => {
    const records = await findRecords(server.store.engine, 'operator', { limit: 1000 })
    const matching = records.filter(({ meta }) => of(meta))
    return matching.length >= count && matching
  })
}

test('a signature is valid once: not again, not at another replica, not after a kill', async () => {
  const asking = invoking()
  const sent = signInvocation(asking)
  assert.deepEqual(await post(first, asking, sent), { gist: '200', is_signed: true })
  const again = { gist: '401 unauthenticated: signature already used', is_signed: true }
  assert.deepEqual(await post(first, asking, sent), again)
  assert.deepEqual(await post(second, asking, sent), again)
  await first.stop('SIGKILL')
  first = await server.start('first')
  assert.deepEqual(await post(first, asking, sent), again)
  const refused = await operatorRecords(({ reason }) => reason === 'signature already used', 3)
  assert.equal(refused.length, 3)
  for (const { event_type, meta } of refused)
    assert.deepEqual([event_type, meta.engine], ['SecurityViolation', caller_key.did])
})

test('of many concurrent uses of one signature, at both replicas, one is served', async () => {
  const asking = invoking({ operation: 'happen', payload: { name: 'raced' } })
  const sent = signInvocation(asking)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => post(i % 2 ? first : second, asking, sent)),
  )
  assert.equal(answers.filter(({ gist }) => gist === '200').length, 1)
})

test("an idempotency key of the calling engine's caller is kept apart, and reported as the caller wrote it", async () => {
  const ask = async (name: string, more: Partial<Invoking> = {}) => {
    const headers = { 'idempotency-key': 'my key' }
    const asking = invoking({ operation: 'happen', payload: { name }, headers, ...more })
    const answer = await fetch(`${second.api_url}/invoke`, { method: 'POST', ...signInvocation(asking) })
    const { metadata, error } = (await answer.json()) as Record<string, Record<string, string>>
    return error ? `${error.code}: ${error.message}` : `replayed: ${metadata?.replayed}`
  }
  assert.equal(await ask('keyed'), 'replayed: false')
  assert.equal(await ask('keyed'), 'replayed: true')
  assert.match(await ask('other'), /^idempotency_key_reused: [^→]*\bmy key\b[^→]*$/)
  // The server is an engine to itself: it has its own keys.
  assert.equal(await ask('other', { signer: server_key }), 'replayed: false')
})

test('nothing else is served: a stranger, another audience, another time, other bytes', async () => {
  const now_ms = system_clock.now_ms()
  const cases: [string, Invoking][] = [
    ['untrusted engine', invoking({ signer: newSigner() })],
    ['signed for another service', invoking({ audience: caller_key.did })],
    ['signature out of time', invoking({ now_ms: now_ms - 60_000 })],
  ]
  for (const [reason, asking] of cases) {
    const is_signed = reason !== 'untrusted engine'
    assert.deepEqual(await post(second, asking), { gist: `401 unauthenticated: ${reason}`, is_signed })
  }
  const asking = invoking()
  const { headers } = signInvocation(asking)
  const { body } = signInvocation({ ...asking, operation: 'happen', payload: { name: 'tampered' } })
  const tampered = await post(second, asking, { headers, body })
  assert.equal(tampered.gist, '401 unauthenticated: signed for another request')
  const reasons = new Set([...cases.map(([reason]) => reason), 'signed for another request'])
  const refused = await operatorRecords(({ reason }) => reasons.has(String(reason)), reasons.size)
  assert.equal(refused.length, reasons.size)
})

test('an answer sent back as a request is refused', async () => {
  const asking = invoking()
  const answer = await fetch(`${second.api_url}/invoke`, { method: 'POST', ...signInvocation(asking) })
  const body = await answer.text()
  // The engine trusts itself, so its own signed answer would be accepted if it were a request.
  const own = invoking({ signer: server_key, body })
  assert.equal((await post(second, own)).gist, '400 invalid_request: envelope')
})

test('a duplicate header, or an unexpected body, is answered before it is read', async () => {
  const { port } = new URL(second.api_url)
  const raw = async (headers: readonly (readonly string[])[], body: string) => {
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const bytes = `POST /invoke HTTP/1.1\r\nhost: x\r\n${lines}\r\n${body}`
    const { answers } = await exchange(Number(port), bytes)
    const { error } = JSON.parse(answers[0]!.text)
    return `${answers[0]!.status} ${error.reason}`
  }
  const twice = async (name: string, value: string) => {
    const { headers, body } = signInvocation(invoking())
    return raw([...headers, ['content-length', String(body.length)], [name, value]], body)
  }
  for (const name of ['X-SVC-Protocol', 'x-svc-operation', 'X-SVC-Correlation-Id', 'Authorization'])
    assert.equal(await twice(name, 'MAX'), '400 duplicate header', name)
  // Six mebibytes are announced and none is sent: nothing is reserved for an unknown sender.
  assert.equal(await raw([['content-length', '6291456']], ''), '401 no did-auth signature')
})

test('an engine that dies within a call leaves an error, a record, and no partial effect', async () => {
  await registerAt(calling.service, effects, first.api_url, server_key.did)
  const request = { protocol: 'EFFECTS', operation: 'happen', input: { name: 'cut', after_ms: 60_000 } }
  const call = dispatch(calling, request)
  await until('the call is under way', () => calling.service.engine.in_flight > 0)
  const served = await dispatch(calling, { protocol: 'EFFECTS', operation: 'look', input: {} })
  assert.equal(served.status, 200)
  await first.stop('SIGKILL')
  const { status, body } = await call
  assert.deepEqual([status, body.error.code, body.error.reason], [502, 'adapter_error', 'unreachable'])
  const filter = { correlation_ids: [body.error.correlation_id] }
  const [record, ...more] = await calling.records(calling.tenant_id, filter)
  assert.deepEqual([record?.outcome, record?.meta.code, more.length], ['error', 'adapter_error', 0])
  const done = await findRecords(server.store.engine, 'dev', { limit: 100 })
  assert.deepEqual(
    done.filter(({ meta }) => meta.name === 'cut'),
    [],
  )
})
