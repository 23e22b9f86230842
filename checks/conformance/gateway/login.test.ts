// "Client login: OAuth 2.0 with PKCE": the sentences of the spec and the decisions, with a real client.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { disableUser } from '@svc/adapters/accounts/users'
import { refreshTokenGrant, tokenRevocation } from 'openid-client'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch, freePorts } from '../../engines/running-engine.ts'
import { formBrowser } from '../../neighbours/form-browser.ts'
import {
  addPerson,
  begin,
  consent,
  password,
  redeem,
  type Someone,
  signIn,
} from '../../scenes/login-journey.ts'
import { eventually } from '../../suite/eventually.ts'

const hello = {
  protocol: 'MAX',
  operation: 'audit_log_entry',
  input: { event_type: 'custom.hello', meta: {} },
}
const master_key = randomBytes(32)

let engine: InProcessService
let replica: InProcessService
let ann: Someone

before(async () => {
  const port = await freePorts()
  engine = await startInProcess({ config: { master_key, port } })
  const login = { public_url: engine.api_url, proxy_hops: 0, upstream: undefined }
  replica = await startInProcess({ config: { master_key, db_url: engine.db_url, login } })
  ann = await addPerson(engine, 'ann@example.org')
})
after(async () => {
  await replica?.stop()
  await engine?.stop()
})

function call(path: string, credential: Record<string, string>, method = 'GET', body?: unknown, at = engine) {
  const headers = { ...credential, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  return fetch(at.api_url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function read(answer: Response | Promise<Response>): Promise<any> {
  return (await answer).json()
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

/** A dispatch with a token or a cookie instead of the development key. */
function asPerson(headers: Record<string, string | undefined>, at = engine) {
  const tenant = { ...at, tenant_id: ann.tenant_id }
  return dispatch(tenant, hello, { authorization: undefined, 'x-agent-did': undefined, ...headers })
}

test('code, PKCE, tokens, an API key bound to the DID, a call, and logout that revokes all of it', async () => {
  const { client, tokens } = await signIn(engine, ann.login)
  assert.equal(tokens.expires_in, 900)
  assert.equal(tokens.token_type, 'bearer')
  assert.equal((await asPerson(bearer(tokens.access_token))).status, 200)

  const made = await call('/v1/keys', bearer(tokens.access_token), 'POST', { label: 'laptop' })
  const key = await read(made)
  assert.equal(made.status, 201)
  assert.deepEqual([key.did, key.tenant_id, key.label], [ann.did, ann.tenant_id, 'laptop'])
  const with_key = { ...engine, api_key: key.api_key, agent_did: ann.did }
  assert.equal((await dispatch(with_key, hello)).status, 200)

  const fresh = await refreshTokenGrant(client, tokens.refresh_token!)
  assert.notEqual(fresh.refresh_token, tokens.refresh_token)
  assert.equal((await asPerson(bearer(fresh.access_token))).status, 200)

  assert.equal((await call(`/v1/keys/${key.key_id}`, bearer(fresh.access_token), 'DELETE')).status, 204)
  await tokenRevocation(client, fresh.refresh_token!)
  await eventually(async () => {
    assert.equal((await dispatch(with_key, hello)).status, 401)
    assert.equal((await asPerson(bearer(fresh.access_token))).status, 401)
    assert.equal((await asPerson(bearer(tokens.access_token))).status, 401)
  })
  await assert.rejects(refreshTokenGrant(client, fresh.refresh_token!), { error: 'invalid_grant' })
})

test('a 401 names the sign-in, and discovery leads to the same place from every standard address', async () => {
  const metadata_url = `${engine.api_url}/.well-known/oauth-protected-resource`
  for (const refused of [await asPerson({}), await call('/v1/keys', {}), await call('/admin/trace', {})]) {
    assert.equal(refused.status, 401)
    assert.equal(refused.headers.get('www-authenticate'), `Bearer resource_metadata="${metadata_url}"`)
  }
  const resource = await read(fetch(metadata_url))
  assert.equal(resource.resource, engine.api_url)
  const [issuer] = resource.authorization_servers
  const places = [
    `${issuer}/.well-known/openid-configuration`,
    `${engine.api_url}/.well-known/oauth-authorization-server/oauth`,
  ]
  for (const place of places) {
    const document = await read(fetch(place))
    assert.equal(document.issuer, issuer)
    assert.deepEqual(document.code_challenge_methods_supported, ['S256'])
    assert.deepEqual(document.response_types_supported, ['code'])
    for (const endpoint of ['authorization', 'token', 'revocation', 'registration'])
      assert.ok(document[`${endpoint}_endpoint`].startsWith(`${issuer}/`), endpoint)
  }
})

test('X-Agent-Did is optional with a token, and must match if sent', async () => {
  const { tokens } = await signIn(engine, ann.login)
  const header = bearer(tokens.access_token)
  assert.equal((await asPerson({ ...header, 'x-agent-did': ann.did })).status, 200)
  const wrong = await asPerson({ ...header, 'x-agent-did': engine.agent_did })
  assert.deepEqual([wrong.status, wrong.body.error.reason], [401, 'agent did mismatch'])
})

test('a page that asks who is signed in before anybody is leaves no record; an invalid session does', async () => {
  const violations = async () =>
    (await engine.records(engine.operator.tenant_id, { event_types: ['SecurityViolation'] })).length
  const before = await violations()
  const answer = await call('/v1/session', { cookie: 'theme=dark' })
  assert.deepEqual([answer.status, await answer.text()], [204, ''])
  assert.equal(await violations(), before)
  assert.equal((await call('/v1/session', { cookie: `svc_session=${'x'.repeat(43)}` })).status, 401)
  assert.equal(await violations(), before + 1)
})

test('a session cookie is accepted only with the CSRF token from GET /v1/session', async () => {
  const browser = formBrowser(engine.api_url)
  const page = await browser.get(`${engine.api_url}/oauth/sign-in`)
  const signed_in = await browser.submit(page, {
    login: ` ${ann.login.toUpperCase()} `,
    password,
    answer: 'sign-in',
  })
  assert.match(signed_in.text, /You are signed in as ann@example\.org/)
  const cookie = browser.cookieHeader()
  const session = await read(call('/v1/session', { cookie }))
  assert.deepEqual([session.user.login, session.tenant_id, session.did], [ann.login, ann.tenant_id, ann.did])
  const csrf = { 'x-svc-csrf': session.csrf_token as string }
  assert.equal((await asPerson({ cookie, ...csrf })).status, 200)
  const wrongs: Record<string, string>[] = [
    {},
    { 'x-svc-csrf': '' },
    { 'x-svc-csrf': `${session.csrf_token}x` },
  ]
  for (const wrong of wrongs) {
    const refused = await asPerson({ cookie, ...wrong })
    assert.deepEqual([refused.status, refused.body.error.reason], [401, 'csrf token'])
    assert.equal((await call('/v1/keys', { cookie, ...wrong }, 'POST', {})).status, 401)
    assert.equal((await call('/v1/session', { cookie, ...wrong }, 'DELETE')).status, 401)
  }
  assert.equal((await call('/v1/keys', { cookie })).status, 200)
  assert.equal((await call('/v1/keys', { cookie, ...csrf }, 'POST', {})).status, 201)
  assert.equal((await call('/v1/session', { cookie, ...csrf }, 'DELETE')).status, 204)
  assert.equal((await call('/v1/session', { cookie })).status, 401)
  assert.equal((await asPerson({ cookie, ...csrf })).status, 401)
})

test('one replica finishes what another started, and refuses what another revoked', async () => {
  const begun = await begin(engine)
  const callback = await consent(begun, ann.login)
  const form = (fields: Record<string, string>) =>
    fetch(`${replica.api_url}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) })
  const redeemed = await form({
    grant_type: 'authorization_code',
    client_id: 'svc-cli',
    code: callback.searchParams.get('code')!,
    code_verifier: begun.verifier,
    redirect_uri: 'http://127.0.0.1:8600/callback',
  })
  const tokens = await read(redeemed)
  assert.equal(redeemed.status, 200, JSON.stringify(tokens))
  for (const at of [engine, replica])
    assert.equal((await asPerson(bearer(tokens.access_token), at)).status, 200)
  const fields = new URLSearchParams({ token: tokens.access_token, client_id: 'svc-cli' })
  await fetch(`${replica.api_url}/oauth/revoke`, { method: 'POST', body: fields })
  await eventually(async () => {
    const refused = await asPerson(bearer(tokens.access_token))
    assert.deepEqual([refused.status, refused.body.error.reason], [401, 'token revoked'])
  })
})

test('a disabled person is refused at once: token, session and refresh', async () => {
  const bob = await addPerson(engine, 'bob')
  const { client, tokens, browser } = await signIn(engine, bob.login)
  const cookie = browser.cookieHeader()
  assert.equal((await call('/v1/session', { cookie })).status, 200)
  assert.equal((await asPerson(bearer(tokens.access_token))).status, 200)
  await disableUser(replica.service.store.engine, bob.user_id)
  await eventually(async () => {
    assert.equal((await asPerson(bearer(tokens.access_token))).status, 401)
    assert.equal((await call('/v1/session', { cookie })).status, 401)
  })
  await assert.rejects(refreshTokenGrant(client, tokens.refresh_token!), { error: 'invalid_grant' })
  const page = await formBrowser(engine.api_url).get(`${engine.api_url}/oauth/sign-in`)
  assert.match(page.text, /Sign in/)
})

test("keys are listed page by page, and nobody sees or revokes another's", async () => {
  const [cat, dog] = [await addPerson(engine, 'cat'), await addPerson(engine, 'dog')]
  const of = async ({ login }: Someone) => bearer((await signIn(engine, login)).tokens.access_token)
  const [cats, dogs] = [await of(cat), await of(dog)]
  const made: string[] = []
  for (let i = 0; i < 5; i++) made.push((await read(call('/v1/keys', cats, 'POST', {}))).key_id)
  const cookies: string[] = []
  let next: string | null = ''
  while (next !== null) {
    const page = await read(call(`/v1/keys?limit=2${next && `&before=${next}`}`, cats))
    assert.ok(page.keys.length <= 2)
    cookies.push(...page.keys.map((key: { key_id: string }) => key.key_id))
    next = page.next
  }
  assert.deepEqual(cookies, made.reverse())
  assert.deepEqual((await read(call('/v1/keys', dogs))).keys, [])
  assert.equal((await call(`/v1/keys/${made[0]}`, dogs, 'DELETE')).status, 404)
  assert.equal((await call(`/v1/keys/${made[0]}`, cats, 'DELETE')).status, 204)
  assert.equal((await call(`/v1/keys/${made[0]}`, cats, 'DELETE')).status, 404)
})

test('a key carries at most what its creator has, and an API key creates none', async () => {
  const header = bearer((await signIn(engine, ann.login)).tokens.access_token)
  const good = await call('/v1/keys', header, 'POST', { capabilities: ['svc.max.audit_query'] })
  assert.equal(good.status, 201)
  const faulty: [unknown, number][] = [
    [{ capabilities: ['svc.*.*'] }, 422],
    [{ capabilities: ['svc.*'] }, 422],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 422],
    [{ did: engine.agent_did }, 422],
    [{ label: 'x'.repeat(101) }, 422],
    ['{', 422],
  ]
  for (const [body, status] of faulty)
    assert.equal((await call('/v1/keys', header, 'POST', body)).status, status, JSON.stringify(body))
  for (const method of ['GET', 'POST']) {
    const refused = await call('/v1/keys', bearer(engine.api_key), method, method === 'POST' ? {} : undefined)
    assert.equal(refused.status, 401)
  }
})

test('each sign-in, grant, key and refusal is in the audit log of the tenant it concerns', async () => {
  const eve = await addPerson(engine, 'eve', 'evecorp')
  const { tokens } = await signIn(engine, eve.login)
  const header = bearer(tokens.access_token)
  const { key_id } = await read(call('/v1/keys', header, 'POST', {}))
  await call('/v1/keys', header, 'POST', { nonsense: true })
  await call(`/v1/keys/${key_id}`, header, 'DELETE')
  const records = await engine.records('evecorp')
  const events = records.map(({ event_type, outcome, meta }) => [event_type, outcome, meta.gate ?? meta.code])
  assert.deepEqual(events, [
    ['AuthorizationCheck', 'success', 'sign-in'],
    ['CapabilityGrant', 'success', 'oauth consent'],
    ['CapabilityGrant', 'success', 'oauth'],
    ['CapabilityGrant', 'success', 'api key issued'],
    ['Error', 'refused', 'invalid_payload'],
    ['AuthorizationCheck', 'success', 'api key revoked'],
  ])
  assert.ok(records.every(({ caller_did }) => caller_did === eve.did))
})

test('signing out everywhere ends every browser session and every app of that person', async () => {
  const fay = await addPerson(engine, 'fay')
  const { tokens, browser } = await signIn(engine, fay.login)
  const page = await browser.get(`${engine.api_url}/oauth/sign-out`)
  const done = await browser.submit(page, { answer: 'everywhere' })
  assert.match(done.text, /signed out everywhere/)
  await eventually(async () => assert.equal((await asPerson(bearer(tokens.access_token))).status, 401))
  // The OAuth server's own cookie is still there, but invalid.
  const again = await begin(engine, {}, 'svc-cli', browser)
  assert.match((await browser.get(again.url.href)).text, /name="password"/)
})

test('a signed-in browser needs only consent, and may sign in as somebody else on request', async () => {
  const gil = await addPerson(engine, 'gil')
  const first = await signIn(engine, ann.login)
  const second = await begin(engine, {}, 'svc-cli', first.browser)
  const page = await second.browser.get(second.url.href)
  assert.match(page.text, /Allow access\?/)
  assert.match(page.text, /The svc command line/)
  const third = await begin(engine, { prompt: 'login consent' }, 'svc-cli', first.browser)
  const callback = await consent(third, gil.login)
  const tokens = await redeem(third, callback)
  const { did } = JSON.parse(Buffer.from(tokens.access_token.split('.')[1]!, 'base64url').toString())
  assert.equal(did, gil.did)
})

test('behind https every cookie is Secure and bound to the site, and every address is the public one', async () => {
  const login = { public_url: 'https://svc.example', proxy_hops: 1, upstream: undefined }
  const behind = await startInProcess({ config: { login } })
  try {
    const metadata = await read(fetch(`${behind.api_url}/oauth/.well-known/openid-configuration`))
    assert.equal(metadata.issuer, 'https://svc.example/oauth')
    assert.equal(metadata.token_endpoint, 'https://svc.example/oauth/token')
    const { url } = await begin(engine)
    const pages = [`/oauth/auth${url.search}`, '/oauth/sign-in'].map((path) =>
      fetch(behind.api_url + path, { redirect: 'manual' }),
    )
    const cookies = (await Promise.all(pages)).flatMap(({ headers }) => headers.getSetCookie())
    assert.equal(cookies.length, 3)
    for (const cookie of cookies) {
      assert.match(cookie, /^__(Host|Secure)-svc_/)
      assert.match(cookie, /; secure/i)
      assert.match(cookie, /; httponly/i)
      assert.match(cookie, /; samesite=lax/i)
    }
  } finally {
    await behind.stop()
  }
})
