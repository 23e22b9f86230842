import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localAdmin, unresolved } from '@svc/contract/identity/identity'
import { refuse } from '@svc/contract/refusal'
import { createEngine, type Engine } from '@svc/engine/dispatch'
import { type OpenEndpoint, openTestEndpoint } from '../../checks/engines/test-endpoint.ts'
import { gist, test_did, test_tenant, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import {
  invoked_correlation_id as correlation_id,
  type Invoking,
  isAnswerOf,
  newSigner,
  signInvocation,
} from '../../checks/scenes/signed-invocation.ts'
import type { EngineTrust } from './engine-trust.ts'
import { addInvokeRoute } from './invoke.ts'

const [own, caller, stranger] = [newSigner(), newSigner(), newSigner()]
let dispatch_endpoint: OpenEndpoint
let engine: Engine
let full = false
let slow = false
const [waiting, left] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()]
const used = new Set<string>()

const served = tryProtocol((input, context) => {
  if (input.refuse) throw refuse('policy_denied', 'Not on a Sunday.', { reason: 'sunday' })
  if (input.break) throw new Error('canary')
  if (input.trace) return { trace: context.invoke.trace_context ?? null }
  if (input.nested) return context.call('TRY', 'run', {}) as never
  if (input.wait) {
    waiting.resolve()
    context.signal.addEventListener('abort', () => left.resolve(context.signal.reason))
    return left.promise.then(() => ({}))
  }
  context.tokens.use(3, 4)
  context.metadata.model = 'small'
  return { did: context.caller.did, metadata: context.invoke.metadata }
})

before(async () => {
  const trust: EngineTrust = {
    dids: new Set([own.did, caller.did]),
    signer: own,
    claim: async (did, id) => !used.has(did + id) && Boolean(used.add(did + id)),
    inTime: (arriving) => (slow ? Promise.reject(new Error('late')) : arriving),
  }
  dispatch_endpoint = await openTestEndpoint([served], {}, [], (app, { own: operator, ...rest }, ports) => {
    const tierOf = async (tenant_id: string) => (tenant_id === test_tenant ? 'charter' : undefined)
    const state = () => (full ? 'overflow' : 'normal')
    const audit_log = new Proxy(ports.audit_log, {
      get: (of, name) => (name === 'state' ? state : bound(of, name)),
    })
    engine = createEngine(
      { ...ports, audit_log },
      { registry: ports.registry, operator_tenant_id: 'operator', tierOf },
    )
    addInvokeRoute(app, { ...rest, own: { ...operator, did: own.did }, engine, engines: trust })
  })
})
after(() => dispatch_endpoint.close())

function bound(of: object, name: string | symbol): unknown {
  const value = Reflect.get(of, name)
  return typeof value === 'function' ? value.bind(of) : value
}

interface Asking extends Partial<Invoking> {
  readonly age_ms?: number
  /** Other bytes than those that were signed. */
  readonly sent?: string
}

async function ask({ age_ms = 0, sent, ...other }: Asking = {}) {
  const now_ms = dispatch_endpoint.ports.clock.now_ms()
  const asking: Invoking = {
    signer: caller,
    audience: own.did,
    id: dispatch_endpoint.ports.clock.uuid(),
    tenant_id: test_tenant,
    agent_did: test_did,
    ...other,
    now_ms: now_ms - age_ms,
  }
  const { headers, body } = signInvocation(asking)
  const answer = await fetch(`${dispatch_endpoint.url}/invoke`, {
    method: 'POST',
    headers,
    body: sent ?? body,
  })
  const text = await answer.text()
  const signature = answer.headers.get('x-svc-signature')
  const is_ours = isAnswerOf(own.did, { ...asking, now_ms }, signature, text)
  const record = dispatch_endpoint.operatorRecords().at(-1)
  return { status: answer.status, answer, said: JSON.parse(text), is_ours, record, text }
}

function refusalOf({ status, said }: Awaited<ReturnType<typeof ask>>): string {
  return `${status} ${said.error.code}: ${said.error.reason}`
}

test("a trusted engine is served, answered with a signature, and recorded in the operator's audit log", async () => {
  const reply = await ask({ headers: { 'x-svc-protocol': 'tRy', 'x-svc-version': 'v1.0.0' } })
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.said, {
    data: { did: test_did, metadata: {} },
    metadata: { model: 'small', replayed: false, usage: { tokens_in: 3, tokens_out: 4 }, version: 'v1.0.0' },
  })
  assert.ok(reply.is_ours)
  assert.equal(reply.answer.headers.get('x-correlation-id'), correlation_id)
  const { record } = reply
  assert.equal(gist(record), 'AuthorizationCheck success ok stage -')
  assert.deepEqual([record?.caller_did, record?.correlation_id], [caller.did, correlation_id])
  assert.deepEqual(JSON.parse(JSON.stringify(record?.meta)), {
    origin: 'invoke',
    engine: caller.did,
    tenant: test_tenant,
    protocol: 'TRY',
    operation: 'run',
    correlation_id,
    version: 'v1.0.0',
    endpoint: 'native',
  })
  assert.equal(dispatch_endpoint.records().length, 0, "the tenant's record is the calling engine's")
})

test('a trace in the body is passed on only where it is valid', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  const traceOf = async (trace_context: object) =>
    (await ask({ payload: { trace: true }, ctx: { trace_context } })).said.data.trace
  assert.deepEqual(await traceOf({ traceparent, tracestate: 'a=1' }), { traceparent, tracestate: 'a=1' })
  assert.equal(await traceOf({ traceparent: 'no trace at all' }), null)
})

test('without a version the best stable one answers', async () => {
  assert.equal((await ask()).said.metadata.version, 'v1.0.0')
  const none = await ask({ headers: { 'x-svc-version': 'v2.0.0' } })
  assert.equal(refusalOf(none), '404 unknown_version: unknown version')
  assert.ok(none.is_ours)
})

test('a signature must be valid here, now, once and for these bytes', async () => {
  const id = dispatch_endpoint.ports.clock.uuid()
  assert.equal((await ask({ id })).status, 200)
  const cases: [string, Asking, signed: boolean][] = [
    ['signature already used', { id }, true],
    ['signature already used', { id, payload: { other: 1 } }, true],
    ['signed for another request', { sent: '{}' }, true],
    ['signed for another service', { audience: stranger.did }, true],
    ['signed for another service', { audience: 'TRY' }, true],
    ['signature out of time', { age_ms: 36_000 }, true],
    ['signature out of time', { age_ms: -6_000 }, true],
    ['untrusted engine', { signer: stranger }, false],
    ['no did-auth signature', { headers: { authorization: undefined } }, false],
    ['no did-auth signature', { headers: { authorization: 'Bearer svc_test_abcdefgh_x' } }, false],
    ['signature invalid', { headers: { authorization: 'DID x.y.z' } }, false],
  ]
  for (const [reason, asking, is_signed] of cases) {
    dispatch_endpoint.ports.clock.advance(1_000)
    const reply = await ask(asking)
    assert.equal(refusalOf(reply), `401 unauthenticated: ${reason}`)
    assert.equal(reply.is_ours, is_signed, reason)
    assert.equal(reply.answer.headers.get('www-authenticate'), null)
    assert.equal(gist(reply.record), 'SecurityViolation refused unauthenticated stage -')
    assert.equal(reply.record?.meta.reason, reason)
    const supplied = reason === 'untrusted engine' ? { claimed_did: stranger.did } : undefined
    assert.deepEqual(reply.record?.meta.supplied, supplied)
  }
  assert.equal((await ask({ signer: own })).status, 200, 'an engine trusts itself')
})

test('an invalid or contradictory invocation is refused with its own reason and recorded', async () => {
  const metadata = { held: [{ name: 'svc.try.*', caveats: [] }] }
  const cases: [string, Asking][] = [
    ['400 invalid_request: malformed body', { body: '{"a":1,"a":2}' }],
    ['400 invalid_request: malformed body', { body: '['.repeat(65) + ']'.repeat(65) }],
    ['400 invalid_request: envelope', { body: '{"data":{},"metadata":{}}' }],
    ['400 invalid_request: envelope', { body: { more: 1 } }],
    ['400 invalid_request: envelope', { ctx: { tenant_id: '../x' } }],
    ['400 invalid_request: envelope', { ctx: { agent_did: 'me' } }],
    ['400 invalid_request: envelope', { ctx: { correlation_id: 'one' } }],
    ['400 invalid_request: envelope', { ctx: { metadata } }],
    ['400 invalid_request: envelope', { ctx: { metadata: { depth: -1 } } }],
    ['400 invalid_request: headers and body differ', { headers: { 'x-svc-operation': 'other' } }],
    ['400 invalid_request: headers and body differ', { headers: { 'x-svc-operation': undefined } }],
    ['400 invalid_request: headers and body differ', { headers: { 'x-svc-correlation-id': undefined } }],
    ['400 invalid_request: header', { headers: { 'x-svc-protocol': undefined } }],
    ['400 invalid_request: header', { headers: { 'x-svc-version': 'v 1' } }],
    ['400 invalid_request: content type', { headers: { 'content-type': 'text/plain' } }],
    ['400 invalid_request: idempotency key', { headers: { 'idempotency-key': 'x'.repeat(256) } }],
    ['401 unauthenticated: identity mismatch', { ctx: { resolved_identity: localAdmin(test_did) } }],
    ['401 unauthenticated: identity mismatch', { ctx: { resolved_identity: unresolved(caller.did) } }],
    ['404 unknown_protocol: unknown protocol', { headers: { 'x-svc-protocol': 'MIM' } }],
    ['422 policy_denied: unknown tenant', { ctx: { tenant_id: 'globex' } }],
    ['413 payload_too_large: body too large', { body: JSON.stringify('x'.repeat(8 * 1024 * 1024)) }],
  ]
  for (const [refusal, asking] of cases) {
    const reply = await ask(asking)
    assert.equal(refusalOf(reply), refusal, JSON.stringify(asking).slice(0, 200))
    assert.ok(reply.is_ours, refusal)
    assert.equal(`${reply.record?.meta.code}: ${reply.record?.meta.reason}`, refusal.slice(4))
    assert.deepEqual([reply.record?.meta.origin, reply.record?.caller_did], ['invoke', caller.did])
  }
})

test("the operation's own answers are passed on unchanged; a bug stays here", async () => {
  assert.equal(refusalOf(await ask({ payload: { refuse: true } })), '422 policy_denied: sunday')
  assert.equal(refusalOf(await ask({ payload: 1 })), '422 invalid_payload: schema')
  const unknown = await ask({ body: { operation: 'sing' }, headers: { 'x-svc-operation': 'sing' } })
  assert.equal(refusalOf(unknown), '404 unknown_operation: unknown operation')
  const broken = await ask({ payload: { break: true } })
  assert.equal(refusalOf(broken), '500 internal: internal')
  assert.ok(!broken.text.includes('canary') && broken.is_ours)
  assert.deepEqual(broken.record?.meta.supplied, { cause: 'Error: canary' })
})

test('nested calls are judged here, as the caller, up to a depth', async () => {
  assert.equal((await ask({ payload: { nested: true } })).status, 200)
  const nested = dispatch_endpoint.records().at(-1)
  assert.deepEqual(
    [nested?.caller_did, nested?.meta.origin, nested?.meta.depth, nested?.correlation_id],
    [test_did, 'invoke', 1, correlation_id],
  )
  const bare = await ask({ payload: { nested: true }, ctx: { metadata: {} } })
  assert.equal(refusalOf(bare), '403 capability_denied: no matching capability')
  const capabilities = [{ name: 'svc.try.*', caveats: [], source: 'key' }]
  const deep = await ask({ payload: { nested: true }, ctx: { metadata: { held: capabilities, depth: 8 } } })
  assert.equal(refusalOf(deep), '422 policy_denied: call depth exceeded')
  // A plugin has the same limits here as there.
  const within = async (...ceilings: string[][]) =>
    ask({ payload: { nested: true }, ctx: { metadata: { held: capabilities, depth: 1, ceilings } } })
  assert.equal((await within(['svc.try.run'])).status, 200)
  assert.equal(
    refusalOf(await within(['svc.try.*'], ['svc.max.*'])),
    "403 capability_denied: not in the plugin's manifest",
  )
})

test('an engine whose audit buffer is full changes nothing for others', async () => {
  full = true
  assert.equal(refusalOf(await ask()), '429 rate_limited: audit buffer overflow')
  full = false
  assert.equal((await ask()).status, 200)
})

test('a slow body is not waited for, and its connection ends', async () => {
  slow = true
  const reply = await ask()
  slow = false
  assert.equal(refusalOf(reply), '400 invalid_request: body too slow')
  assert.deepEqual([reply.is_ours, reply.answer.headers.get('connection')], [true, 'close'])
})

test('the operation learns that its caller left', async () => {
  const { headers, body } = signInvocation({
    signer: caller,
    audience: own.did,
    id: dispatch_endpoint.ports.clock.uuid(),
    now_ms: dispatch_endpoint.ports.clock.now_ms(),
    tenant_id: test_tenant,
    agent_did: test_did,
    payload: { wait: true },
  })
  const leaving = new AbortController()
  const response = fetch(`${dispatch_endpoint.url}/invoke`, {
    method: 'POST',
    headers,
    body,
    signal: leaving.signal,
  })
  await waiting.promise
  leaving.abort()
  await assert.rejects(response)
  assert.match(String(await left.promise), /calling engine left/)
})

test('a stopping engine refuses other engines, with its signature', async () => {
  await engine.drain()
  const reply = await ask()
  assert.equal(refusalOf(reply), '503 draining: draining')
  assert.deepEqual([reply.is_ours, reply.record?.meta.code], [true, 'draining'])
})

test('an engine without a key serves nobody, and one that trusts nobody has no such route', async () => {
  const open = (engines: EngineTrust | undefined) =>
    openTestEndpoint([served], {}, [], (app, at) => addInvokeRoute(app, { ...at, engines }))
  const keyless = await open({
    dids: new Set(),
    signer: undefined,
    claim: async () => true,
    inTime: (x) => x,
  })
  const none = await open(undefined)
  try {
    const answer = await fetch(`${keyless.url}/invoke`, { method: 'POST', body: '{}' })
    const { error } = (await answer.json()) as { error: Record<string, string> }
    assert.deepEqual([answer.status, error.reason], [503, 'no signing key'])
    assert.match(error.message!, /SVC_AGENT_KEY/)
    assert.equal(keyless.operatorRecords().at(-1)?.meta.reason, 'no signing key')
    assert.equal((await fetch(`${none.url}/invoke`, { method: 'POST', body: '{}' })).status, 404)
  } finally {
    await keyless.close()
    await none.close()
  }
})
