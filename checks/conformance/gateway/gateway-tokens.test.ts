// "The gateway validates the bearer credential or a session cookie": people who signed in, through the gateway.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { disableUser } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import { signContext } from '@svc/gateway/dispatch/signed-context'
import type { Holding } from '@svc/gateway/oauth/holding'
import { gateway as runGateway } from '@svc/service/gateway'
import { tokenRevocation } from 'openid-client'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Answer, dispatch, freePorts } from '../../engines/running-engine.ts'
import { type FormBrowser, formBrowser } from '../../neighbours/form-browser.ts'
import { addPerson, password, type Someone, signIn } from '../../scenes/login-journey.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { type GatewayScene, newSigner, openGateway } from './gateway-scene.ts'

const main = join(import.meta.dirname, '../../../service/main.ts')
const signer = newSigner()
const hello = {
  protocol: 'MAX',
  operation: 'audit_log_entry',
  input: { event_type: 'custom.hello', meta: {} },
}

let engine: InProcessService
let scene: GatewayScene
let port: number
let ann: Someone

before(async () => {
  port = await freePorts()
  const login = { public_url: `http://127.0.0.1:${port}`, proxy_hops: 1, upstream: undefined }
  const master_key = randomBytes(32)
  const config = { trusted_gateways: [signer.did], require_gateway: true, master_key, login }
  engine = await startInProcess({ config })
  scene = await openFront({ port, public_url: login.public_url })
  ann = await addPerson(engine, 'ann@example.org')
})
after(async () => {
  await scene?.stop()
  await engine?.stop()
})

function openFront(more: { port?: number; public_url?: string; api_url?: string }): Promise<GatewayScene> {
  const { api_url = engine.api_url, ...others } = more
  const options = { signer, plain: true, ...others }
  return openGateway({ db_url: engine.db_url, api_url, engine_did: engine.operator.did }, options)
}

type Sent = Record<string, string | undefined>

function asPerson(headers: Sent, url = scene.url): Promise<Answer> {
  const at = { ...engine, api_url: url, tenant_id: ann.tenant_id }
  return dispatch(at, hello, { authorization: undefined, 'x-agent-did': undefined, ...headers })
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const atGateway = (login: string, more = {}) => signIn({ api_url: scene.url }, login, more)

function assertOut(answer: Answer, reason: string): void {
  assertRefusal(answer, { code: 'unauthenticated', stage: null, reason })
  const place = `${scene.url}/.well-known/oauth-protected-resource`
  assert.equal(answer.headers.get('www-authenticate'), `Bearer resource_metadata="${place}"`)
}

/** A browser signed in on the gateway's own pages, and the headers it sends with a call. */
async function openBrowser(login: string): Promise<{ browser: FormBrowser; sent: Record<string, string> }> {
  const browser = formBrowser(scene.url)
  const page = await browser.get(`${scene.url}/oauth/sign-in`)
  await browser.submit(page, { login, password, answer: 'sign-in' })
  const cookie = browser.cookieHeader()
  const session = await fetch(`${scene.url}/v1/session`, { headers: { cookie } })
  const { csrf_token } = (await session.json()) as { csrf_token: string }
  return { browser, sent: { cookie, 'x-svc-csrf': csrf_token } }
}

interface Vouching {
  readonly key_id: string
  readonly holding?: Holding
  readonly who?: Someone
}

/** What an outdated or lying gateway would tell the engine. */
async function vouch({ key_id, holding, who = ann }: Vouching): Promise<Answer> {
  const body = JSON.stringify({ version: 'v1', tenant_id: who.tenant_id, ...hello })
  const headers = { 'content-type': 'application/json', accept: '*/*' }
  const { did, tenant_id } = who
  const credential = { key_id, did, tenant_id, tier: 'sovereign', capabilities: [] } as const
  const resolution = { outcome: 'Failed', reason: 'none' } as const
  const correlation_id = system_clock.uuid()
  const call = { credential, holding, resolution, correlation_id, headers, body: Buffer.from(body) }
  const context = signContext(call, engine.operator.did, signer, system_clock)
  return dispatch(engine, body, {
    ...headers,
    'x-svc-context': context,
    authorization: undefined,
    'x-agent-did': undefined,
  })
}

interface Said {
  readonly jti: string
  readonly gid: string
  readonly exp: number
}

function tokenOf(token: string): { readonly key_id: string; readonly holding: Holding & { kind: 'token' } } {
  const { jti, gid, exp } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Said
  return { key_id: `token:${jti}`, holding: { kind: 'token', grant_hash: gid, ends_s: exp } }
}

async function sessionOf({ cookie }: { cookie?: string }) {
  const token = /svc_session=([^;]+)/.exec(cookie ?? '')![1]!
  const token_hash = hash('sha256', token)
  const session = await engine.service.store.engine_pool.query(
    'SELECT session_id FROM sessions WHERE token_hash = $1',
    [Buffer.from(token_hash, 'hex')],
  )
  return {
    key_id: `session:${session.rows[0].session_id}`,
    holding: { kind: 'session', token_hash } as const,
  }
}

test('an access token is accepted by the gateway, and the record names its person and the gateway', async () => {
  const { tokens } = await atGateway(ann.login)
  const answer = await asPerson(bearer(tokens.access_token))
  const { correlation_id } = assertSuccess(answer).metadata
  const records = await engine.records(ann.tenant_id, { correlation_ids: [correlation_id] })
  const call = records.find(({ event_type }) => event_type === 'ProtocolInvocation')
  assert.deepEqual([call?.caller_did, call?.meta.gateway], [ann.did, signer.did])
  assertSuccess(await asPerson({ ...bearer(tokens.access_token), 'x-agent-did': ann.did }))
  // It cannot be used around the gateway.
  assertOut(await asPerson(bearer(tokens.access_token), engine.api_url), 'gateway required')
})

test('what the engine does not accept the gateway does not either, and does not forward', async () => {
  const { tokens } = await atGateway(ann.login)
  const [head, claims, signature] = tokens.access_token.split('.') as [string, string, string]
  const other_signature = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  const atEngine = async () =>
    (await engine.records(engine.operator.tenant_id)).filter(({ meta }) => meta.gateway === undefined).length
  const before = await atEngine()
  const header = bearer(tokens.access_token)
  assertOut(await asPerson({ ...header, 'x-agent-did': engine.agent_did }), 'agent did mismatch')
  assertOut(await asPerson(bearer([head, claims, other_signature].join('.'))), 'token invalid')
  assertOut(await asPerson(bearer('eyJ')), 'token invalid')
  assertOut(await asPerson(bearer('opaque')), 'malformed credential')
  assertOut(await asPerson({}), 'no credential')
  assert.equal(await atEngine(), before)
  const narrow = await atGateway(ann.login, { scope: 'svc.keys' })
  const refused = await asPerson(bearer(narrow.tokens.access_token))
  assertRefusal(refused, { code: 'capability_denied', stage: null, reason: 'token scope' })
  const elsewhere = await openFront({ public_url: 'https://svc.example' })
  try {
    // Its issuer differs too, which is checked first.
    assert.equal((await asPerson(header, elsewhere.url)).body.error.reason, 'token invalid')
  } finally {
    await elsewhere.stop()
  }
})

test('a session cookie is accepted by the gateway only with the CSRF token from GET /v1/session', async () => {
  const { sent } = await openBrowser(ann.login)
  assertSuccess(await asPerson(sent))
  const { cookie } = sent
  for (const csrf of [undefined, '', `${sent['x-svc-csrf']}x`])
    assertOut(await asPerson({ cookie, 'x-svc-csrf': csrf }), 'csrf token')
  assertOut(await asPerson({ ...sent, cookie: `svc_session=${'A'.repeat(43)}` }), 'no credential')
  assertOut(await asPerson({ ...sent, ...bearer('opaque') }), 'malformed credential')
  assertOut(await asPerson({ ...sent, 'x-agent-did': engine.agent_did }), 'agent did mismatch')
  const { browser: other } = await openBrowser(ann.login)
  assertOut(await asPerson({ ...sent, cookie: other.cookieHeader() }), 'csrf token')
  const gone = await sessionOf(sent)
  assertSuccess(await vouch(gone))
  await fetch(`${scene.url}/v1/session`, { method: 'DELETE', headers: sent })
  await eventually(async () => assertOut(await asPerson(sent), 'no credential'))
  assertOut(await vouch(gone), 'session over')
})

test('neither the token nor the cookie is forwarded to the engine', async (t) => {
  const { tokens } = await atGateway(ann.login)
  const { sent } = await openBrowser(ann.login)
  const heard: IncomingHttpHeaders[] = []
  const ear = createServer((req, res) => {
    heard.push(req.headers)
    req.resume().on('end', () => res.writeHead(204).end())
  }).listen(0, '127.0.0.1')
  await once(ear, 'listening')
  const api_url = `http://127.0.0.1:${(ear.address() as AddressInfo).port}`
  const front = await openFront({ public_url: scene.url, api_url })
  t.after(async () => {
    await front.stop()
    ear.close()
  })
  for (const headers of [bearer(tokens.access_token), sent]) {
    assert.equal((await asPerson(headers, front.url)).status, 204)
    const got = heard.pop()!
    for (const name of ['authorization', 'cookie', 'x-svc-csrf', 'x-agent-did'])
      assert.equal(got[name], undefined, name)
    const claims = Buffer.from(String(got['x-svc-context']).split('.')[1]!, 'base64url').toString()
    const { key_id, holding } = JSON.parse(claims)
    const is_token = 'authorization' in headers
    assert.deepEqual({ key_id, holding }, is_token ? tokenOf(tokens.access_token) : await sessionOf(headers))
    const secrets = is_token
      ? [tokens.access_token.split('.')[2]!]
      : [/svc_session=([^;]+)/.exec(sent.cookie!)![1]!, sent['x-svc-csrf']!]
    for (const secret of secrets) assert.ok(!claims.includes(secret))
  }
})

test('a revoked token is refused at the gateway, and at the engine whatever a gateway says', async () => {
  const { client, tokens } = await atGateway(ann.login)
  const token = tokenOf(tokens.access_token)
  assertSuccess(await asPerson(bearer(tokens.access_token)))
  assertSuccess(await vouch(token))
  await tokenRevocation(client, tokens.refresh_token!)
  await eventually(async () => {
    assertOut(await vouch(token), 'token revoked')
    assertOut(await asPerson(bearer(tokens.access_token)), 'token revoked')
  })
})

type Disable = (user_id: string) => Promise<unknown>
const ways_out: Record<string, Disable> = {
  'with all they hold': (user_id) => disableUser(engine.service.store.engine, user_id),
  'and nothing else is ended': (user_id) =>
    engine.service.store.engine_pool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [
      user_id,
    ]),
}
for (const [name, disable] of Object.entries(ways_out)) {
  test(`a disabled person, ${name}, is refused by token and cookie, on both sides`, () =>
    assertDisabledIsOut(disable))
}

async function assertDisabledIsOut(disable: Disable): Promise<void> {
  const bob = await addPerson(engine, `bob-${system_clock.uuid()}`)
  const { tokens } = await atGateway(bob.login)
  const { sent } = await openBrowser(bob.login)
  const [token, session] = [tokenOf(tokens.access_token), await sessionOf(sent)]
  for (const headers of [bearer(tokens.access_token), sent]) assertSuccess(await asPerson(headers))
  for (const credential of [token, session]) assertSuccess(await vouch({ ...credential, who: bob }))
  await disable(bob.user_id)
  await eventually(async () => {
    assertOut(await asPerson(bearer(tokens.access_token)), 'token revoked')
    assertOut(await asPerson(sent), 'no credential')
    assertOut(await vouch({ ...token, who: bob }), 'token revoked')
    assertOut(await vouch({ ...session, who: bob }), 'session over')
  })
}

test('a gateway can vouch only for valid credentials, and only for their holder', async () => {
  const cat = await addPerson(engine, 'cat', 'catcorp')
  const { tokens } = await atGateway(ann.login)
  const token = tokenOf(tokens.access_token)
  const session = await sessionOf((await openBrowser(ann.login)).sent)
  const ended = { ...token.holding, ends_s: Math.floor(system_clock.now_ms() / 1000) }
  const lies: [Vouching, string][] = [
    [{ ...token, who: cat }, 'agent did mismatch'],
    [{ ...session, who: cat }, 'agent did mismatch'],
    [{ ...token, who: { ...ann, tenant_id: cat.tenant_id } }, 'agent did mismatch'],
    [{ ...token, holding: ended }, 'token expired'],
    [{ ...token, holding: { ...token.holding, grant_hash: 'a'.repeat(64) } }, 'token revoked'],
    [{ ...token, holding: { ...token.holding, grant_hash: 'none' } }, 'malformed context'],
    [{ ...token, key_id: session.key_id }, 'token revoked'],
    [{ ...session, key_id: token.key_id }, 'session over'],
    [{ ...session, key_id: 'session:another' }, 'session over'],
    [{ key_id: token.key_id }, 'unknown key'],
    [{ key_id: session.key_id }, 'unknown key'],
  ]
  for (const [lie, reason] of lies) assertOut(await vouch(lie), reason)
  assertSuccess(await vouch(token))
  assertSuccess(await vouch(session))
})

test('a gateway without a public address accepts API keys only', async (t) => {
  const { tokens } = await atGateway(ann.login)
  const front = await openFront({})
  t.after(() => front.stop())
  const refused = await asPerson(bearer(tokens.access_token), front.url)
  assertRefusal(refused, { code: 'unauthenticated', stage: null, reason: 'malformed credential' })
  const key = { authorization: `Bearer ${engine.api_key}`, 'x-agent-did': engine.agent_did }
  for (const url of [front.url, scene.url]) assertSuccess(await asPerson(key, url))
})

test('svc-engine gateway accepts tokens with SVC_PUBLIC_URL, and needs no master key for it', async () => {
  const { tokens } = await atGateway(ann.login)
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    SVC_TENANT_ID: 'operator',
    SVC_DB_URL: engine.db_url,
    SVC_API_URL: engine.api_url,
    SVC_ENGINE_DID: engine.operator.did,
    SVC_GATEWAY_KEY: String(signer.private_key.export({ format: 'pem', type: 'pkcs8' })),
    SVC_GATEWAY_PLAIN: 'loopback',
    APP_BIND_ADDR: `127.0.0.1:${port + 2}`,
    SVC_PUBLIC_URL: scene.url,
  }
  await assert.rejects(runGateway({ ...env, SVC_PUBLIC_URL: 'http://svc.example' }), /^.*SVC_PUBLIC_URL is/)
  const child = spawn(process.execPath, [main, 'gateway'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  try {
    await Promise.race([once(child.stdout, 'data'), ended.then(() => assert.fail('it ended'))])
    const answer = await asPerson(bearer(tokens.access_token), `http://127.0.0.1:${port + 2}`)
    assertSuccess(answer)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
})
