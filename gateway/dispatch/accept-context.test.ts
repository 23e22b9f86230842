// Every forged X-SVC-Context is refused: 401, one SecurityViolation with its reason, and no effect.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request as sendRequest } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { afterEach, beforeEach, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { localAdmin, unresolved } from '@svc/contract/identity/identity'
import { type RefusalCode, refusals } from '@svc/contract/refusal'
import { signJws } from '@svc/contract/signing/jws'
import { privateKeyOf, type SigningKey } from '@svc/contract/signing/signature'
import type { KeyRecord } from '@svc/engine/ports'
import { caller_headers, type OpenEndpoint, openTestEndpoint } from '../../checks/engines/test-endpoint.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { credentialOf, test_did, test_tenant, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { type GatewaySettings, trustGateways } from './accept-context.ts'
import type { DispatchHeaders } from './headers.ts'
import { type Claims, signContext } from './signed-context.ts'

const engine_did = newIdentity('operator', 'service').did
const gateway = newSigner()
const stranger = newSigner()
/** Of the newest context: each has its own, so that its records can be told apart. */
let correlation_id: string = randomUUID()
const request = { protocol: 'TRY', version: 'v1', operation: 'run', tenant_id: test_tenant, input: {} }
const body = JSON.stringify(request)

function newSigner(): SigningKey {
  const { did, public_key, private_key } = newIdentity('operator', 'service')
  return { did, public_key, private_key: privateKeyOf(Buffer.from(private_key, 'base64url')) }
}

let runs = 0
let opened: OpenEndpoint
let claimed: Set<string>

beforeEach(async () => {
  runs = 0
  opened = await openTestEndpoint([tryProtocol(() => ({ run: ++runs }))])
  claimed = new Set()
  trust()
})
afterEach(() => opened.close())

function trust(other: Partial<GatewaySettings> = {}): void {
  const claim = async (jti: string) => !claimed.has(jti) && Boolean(claimed.add(jti))
  const settings = { dids: new Set([gateway.did]), audience: engine_did, required: false, claim }
  const isWrite = (_protocol: string, operation: string) => operation === 'run'
  Object.assign(opened.dispatch_endpoint, {
    gateways: trustGateways(
      { ...settings, isWrite, isTenant: () => true, keepReport: async () => {}, ...other },
      opened.ports.clock,
    ),
  })
}

function changeKey(change: Partial<KeyRecord>): void {
  const { keys } = opened.dispatch_endpoint
  const find = async (key_id: string) => ({ ...(await keys.find(key_id))!, ...change })
  Object.assign(opened.dispatch_endpoint, { keys: { find, used() {} } })
}

const signed_headers: DispatchHeaders = { 'content-type': 'application/json', accept: '*/*' }

/** What the gateway would sign for the test caller; claims can be replaced before signing. */
function contextOf(change: Partial<Claims> = {}, signer = gateway, headers = signed_headers): string {
  const resolution = { outcome: 'Failed', reason: 'none' } as const
  const credential = credentialOf()
  correlation_id = randomUUID()
  const call = { credential, resolution, correlation_id, headers, body: Buffer.from(body) }
  const text = signContext(call, engine_did, signer, opened.ports.clock)
  const claims = JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString())
  return signJws({ ...claims, ...change }, signer)
}

function post(context: string, headers: Record<string, string> = {}, sent = body): Promise<Response> {
  const all = { ...signed_headers, 'x-svc-context': context, ...headers } as Record<string, string>
  return fetch(`${opened.url}/v1/dispatch`, { method: 'POST', headers: all, body: sent })
}

async function assertRefused(
  answer: Response,
  reason: string,
  code: RefusalCode = 'unauthenticated',
): Promise<void> {
  const { error } = (await answer.json()) as {
    error: { code: string; reason: string; correlation_id: string }
  }
  assert.deepEqual([error.code, error.reason], [code, reason])
  // Of several in a second all but the first are counted, and answered with the id of that count's record.
  opened.dispatch_endpoint.sums.close()
  const records = [...opened.records(), ...opened.operatorRecords()].filter(
    (record) => record.correlation_id === error.correlation_id && record.outcome !== 'success',
  )
  assert.deepEqual(
    records.map(({ event_type, meta }) => [event_type, meta.reason]),
    [[refusals[code].event, reason]],
  )
}

test("a signed context admits its caller, under the gateway's id, and the record names the gateway", async () => {
  const answer = await post(contextOf())
  assert.deepEqual([answer.status, answer.headers.get('x-correlation-id')], [200, correlation_id])
  const [record] = opened.records()
  assert.deepEqual(
    [record?.caller_did, record?.meta.gateway, record?.correlation_id],
    [test_did, gateway.did, correlation_id],
  )
})

function changed(context: string, part: number, change: (claims: Record<string, unknown>) => object): string {
  const parts = context.split('.')
  const object = JSON.parse(Buffer.from(parts[part]!, 'base64url').toString())
  parts[part] = Buffer.from(JSON.stringify(change(object))).toString('base64url')
  return parts.join('.')
}

const { public_key: stranger_x } = stranger
const forgeries: Record<string, () => string> = {
  'no JWS at all': () => 'trust me',
  'an empty one': () => '..',
  'claims changed after signing': () =>
    changed(contextOf(), 1, (claims) => ({ ...claims, key_id: 'zzzzzzzz' })),
  'no algorithm': () => changed(contextOf(), 0, (header) => ({ ...header, alg: 'none' })),
  'no signature': () => contextOf().split('.').slice(0, 2).join('.'),
  'somebody else’s key under the name of the gateway': () =>
    changed(contextOf({}, stranger), 0, (header) => ({ ...header, kid: gateway.did })),
  'the key of somebody else': () =>
    changed(contextOf(), 0, (header) => ({ ...header, jwk: { kty: 'OKP', crv: 'Ed25519', x: stranger_x } })),
}
for (const [name, forge] of Object.entries(forgeries)) {
  test(`a forged context: ${name}`, async () => {
    const answer = await post(forge())
    assert.deepEqual([answer.status, runs], [401, 0])
    await assertRefused(answer, 'forged context')
  })
}

const someone = `did:oas:${test_tenant}:agent:${'c'.repeat(64)}`
const lies: Record<string, [reason: string, change: () => Partial<Claims>]> = {
  'meant for another engine': ['wrong audience', () => ({ aud: stranger.did })],
  'naming another issuer': ['malformed context', () => ({ iss: stranger.did })],
  'with a claim nobody knows': ['malformed context', () => ({ admin: true }) as never],
  'without a caller': ['malformed context', () => ({ context: undefined })],
  'good for an hour': ['context expired', () => ({ exp: nowS() + 3600 })],
  'long over': ['context expired', () => ({ iat: nowS() - 60, exp: nowS() - 30 })],
  'from tomorrow': ['context from the future', () => ({ iat: nowS() + 86_400, exp: nowS() + 86_430 })],
  'of another agent': ['agent did mismatch', () => withContext({ agent_did: someone })],
  'of another tenant': ['agent did mismatch', () => withContext({ tenant_id: 'rival' })],
  'of a key nobody has': ['unknown key', () => ({ key_id: 'zzzzzzzz' })],
  'with the identity of somebody else': [
    'identity mismatch',
    () => withContext({ resolved_identity: { ...unresolved(someone), auth_method: 'document' } }),
  ],
  'with the local admin': [
    'identity mismatch',
    () => withContext({ resolved_identity: localAdmin(test_did) }),
  ],
}
const nowS = () => Math.floor(opened.ports.clock.now_ms() / 1000)

function withContext(change: Partial<Claims['context']>): Partial<Claims> {
  const claims = JSON.parse(Buffer.from(contextOf().split('.')[1]!, 'base64url').toString()) as Claims
  return { context: { ...claims.context, ...change } }
}

for (const [name, [reason, change]] of Object.entries(lies)) {
  test(`a context signed by the gateway, but ${name}`, async () => {
    await assertRefused(await post(contextOf(change())), reason)
    assert.equal(runs, 0)
  })
}

test('a gateway nobody trusts, and an engine that trusts none', async () => {
  await assertRefused(await post(contextOf({}, stranger)), 'untrusted gateway')
  trust({ dids: new Set() })
  await assertRefused(await post(contextOf()), 'untrusted gateway')
  Object.assign(opened.dispatch_endpoint, { gateways: undefined })
  await assertRefused(await post(contextOf()), 'untrusted gateway')
})

test('a captured context is not valid for another body or header of a dispatch', async () => {
  await assertRefused(await post(contextOf(), {}, body.replace('v1', 'v1.0.0')), 'another request')
  const others: Record<string, string>[] = [
    { 'idempotency-key': 'k' },
    { 'x-svc-dry-run': 'true' },
    { prefer: 'wait=audit' },
    { accept: 'text/event-stream' },
    { 'content-type': 'application/json; charset=utf-8' },
  ]
  for (const headers of others) await assertRefused(await post(contextOf(), headers), 'another request')
  assert.equal(runs, 0)
})

test('a context is valid once, also for a read', async () => {
  trust({ isWrite: () => false })
  const context = contextOf()
  assert.equal((await post(context)).status, 200)
  await assertRefused(await post(context), 'context replayed')
  opened.ports.clock.advance(34_000)
  await assertRefused(await post(context), 'context replayed')
  opened.ports.clock.advance(1_000)
  await assertRefused(await post(context), 'context expired')
  assert.equal(runs, 1)
})

test('a write is valid once across replicas; if they cannot be checked it is refused', async () => {
  const context = contextOf()
  assert.equal((await post(context)).status, 200)
  trust()
  await assertRefused(await post(context), 'context replayed')
  trust({ claim: () => Promise.reject(new Error('away')) })
  await assertRefused(await post(contextOf()), 'database unavailable', 'unavailable')
  assert.equal(runs, 1)
})

test('a key that was revoked or has expired since is refused here too', async () => {
  changeKey({ revoked: true })
  await assertRefused(await post(contextOf()), 'key revoked')
  const [record] = opened.records()
  assert.deepEqual(
    [record?.caller_did, record?.meta.reason],
    [test_did, 'key revoked'],
    "in its tenant's log",
  )
  changeKey({ revoked: false, expires_at_ms: opened.ports.clock.now_ms() })
  await assertRefused(await post(contextOf()), 'key expired')
})

test('where nobody can sign in, a gateway cannot vouch for a signed-in person', async () => {
  const holding = { kind: 'session', token_hash: 'a'.repeat(64) } as const
  await assertRefused(await post(contextOf({ holding, key_id: 'session:s1' })), 'no logins')
  await assertRefused(await post(contextOf({ holding })), 'no logins')
  assert.equal(runs, 0)
})

test('a request carries one credential, one context and one DID', async () => {
  const { authorization } = caller_headers
  await assertRefused(await post(contextOf(), { authorization: authorization! }), 'two credentials')
  await assertRefused(await post(contextOf(), { 'x-agent-did': someone }), 'agent did mismatch')
  const headers = { ...signed_headers, 'x-svc-context': [contextOf(), contextOf()] }
  const sent = sendRequest(`${opened.url}/v1/dispatch`, { method: 'POST', headers }).end(body)
  const [twice] = (await once(sent, 'response')) as [IncomingMessage]
  const { error } = JSON.parse(await textOf(twice))
  assert.deepEqual([twice.statusCode, error.reason], [400, 'duplicate header'])
  assert.equal(runs, 0)
})

test('an engine that requires a gateway refuses a valid key', async () => {
  trust({ required: true })
  await assertRefused(await opened.post(request), 'gateway required')
  assert.equal((await post(contextOf())).status, 200)
})

test('used contexts are remembered for longer than they are valid', () => {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const settings = { dids: new Set<string>(), audience: '', required: false, isWrite: () => false }
  const gateways = trustGateways(
    { ...settings, isTenant: () => true, keepReport: async () => {}, claim: async () => true },
    clock,
  )
  for (let i = 0; i < 500_000; i++) assert.equal(gateways.useOnce(`id-${i}`), true)
  assert.throws(() => gateways.useOnce('one more'), { code: 'rate_limited' })
  clock.advance(59_999)
  assert.equal(gateways.useOnce('id-0'), false)
  clock.advance(1)
  assert.equal(gateways.useOnce('id-0'), false)
  clock.advance(60_000)
  assert.equal(gateways.useOnce('one more'), true)
})
