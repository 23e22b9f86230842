// MCP's authorization specification (2025-11-25 and 2026-07-28): its requirements for servers and
// authorization servers, numbered.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { UnauthorizedError } from '@modelcontextprotocol/client'
import { refreshTokenGrant, tokenRevocation } from 'openid-client'
import { dispatch } from '../../engines/running-engine.ts'
import { type FormBrowser, formBrowser } from '../../neighbours/form-browser.ts'
import { addPerson, begin, consent, password, redeem, type Someone } from '../../scenes/login-journey.ts'
import { eventually } from '../../suite/eventually.ts'
import {
  callback,
  connect,
  keyOf,
  list_message,
  type McpScene,
  newClient,
  post,
  rememberingProvider,
  sayYes,
  startWithMcp,
  transportTo,
} from './mcp-scene.ts'

/** What the decisions promise for a revocation. */

let engine: McpScene
let ann: Someone
let browser: FormBrowser
let token: string

before(async () => {
  engine = await startWithMcp()
  ann = await addPerson(engine, 'ann@example.org')
  browser = formBrowser(engine.api_url)
  token = await tokenFor({ resource: engine.mcp_url, scope: 'svc.call' })
})
after(() => engine?.stop())

/** In one browser, so that ann enters her password once. */
async function signIn(more: Record<string, string>) {
  const begun = await begin(engine, more, 'svc-cli', browser)
  return { ...begun, tokens: await redeem(begun, await consent(begun, ann.login)) }
}

async function tokenFor(more: Record<string, string>): Promise<string> {
  return (await signIn(more)).tokens.access_token
}

function bearer(value: string): Record<string, string> {
  return { authorization: `Bearer ${value}` }
}

function list(headers: Record<string, string>, url = engine.mcp_url): Promise<Response> {
  return post(url, headers, list_message)
}

// biome-ignore lint/suspicious/noExplicitAny: documents of every shape
async function read(answer: Response | Promise<Response>): Promise<any> {
  return (await answer).json()
}

async function documentAt(url: string) {
  const answer = await fetch(url)
  assert.equal(answer.status, 200, url)
  return read(answer)
}

function challengeOf(answer: Response): Record<string, string> {
  const text = answer.headers.get('www-authenticate') ?? ''
  assert.match(text, /^Bearer /)
  return Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]))
}

test('1. The server publishes RFC 9728 metadata that names at least one authorization server, at the path and at the root', async () => {
  const { origin } = new URL(engine.mcp_url)
  const well_known = `${origin}/.well-known/oauth-protected-resource`
  for (const [url, resource] of [
    [`${well_known}/mcp`, engine.mcp_url],
    [well_known, engine.mcp_url],
    [`${well_known}/sse`, engine.sse_url],
  ] as const) {
    const document = await documentAt(url)
    assert.deepEqual(
      [document.resource, document.authorization_servers],
      [resource, [`${engine.api_url}/oauth`]],
    )
    assert.deepEqual(
      [document.scopes_supported, document.bearer_methods_supported],
      [['svc.call'], ['header']],
    )
  }
  assert.notEqual((await fetch(`${well_known}/other`)).status, 200)
})

test('2. A 401 names the address of that metadata and the scope to request', async () => {
  const answer = await list({})
  assert.equal(answer.status, 401)
  const { resource_metadata, scope, error } = challengeOf(answer)
  assert.deepEqual([scope, error], ['svc.call', undefined])
  assert.equal((await documentAt(resource_metadata!)).resource, engine.mcp_url)
  const sse = await fetch(engine.sse_url)
  assert.equal(sse.status, 401)
  assert.equal((await documentAt(challengeOf(sse).resource_metadata!)).resource, engine.sse_url)
})

test('3. The authorization server is found by RFC 8414 and by OpenID discovery, in the order clients must try', async () => {
  const { api_url } = engine
  for (const url of [
    `${api_url}/.well-known/oauth-authorization-server/oauth`,
    `${api_url}/.well-known/openid-configuration/oauth`,
    `${api_url}/oauth/.well-known/openid-configuration`,
  ]) {
    const document = await documentAt(url)
    assert.equal(document.issuer, `${api_url}/oauth`)
    // 4. Clients refuse a server whose metadata does not announce PKCE.
    assert.deepEqual(document.code_challenge_methods_supported, ['S256'])
    assert.ok(document.registration_endpoint && document.authorization_endpoint && document.token_endpoint)
    assert.equal(document.authorization_response_iss_parameter_supported, true)
  }
})

test('4. PKCE with S256 is required: without it, or with plain, no code is given', async () => {
  const { url, browser } = await begin(engine, { resource: engine.mcp_url })
  for (const change of [{ code_challenge: '' }, { code_challenge_method: 'plain' }]) {
    const other = new URL(url)
    for (const [name, value] of Object.entries(change)) {
      if (value) other.searchParams.set(name, value)
      else other.searchParams.delete(name)
    }
    const page = await browser.get(other.href)
    assert.equal(new URL(page.left_to ?? assert.fail(page.text)).searchParams.get('error'), 'invalid_request')
  }
})

test('5. Authorization responses name their issuer, errors too', async () => {
  const begun = await begin(engine, { resource: engine.mcp_url })
  const yes = await consent(begun, ann.login)
  assert.equal(yes.searchParams.get('iss'), `${engine.api_url}/oauth`)
  const silent = await begin(engine, { resource: engine.mcp_url, prompt: 'none' })
  const page = await silent.browser.get(silent.url.href)
  const { searchParams } = new URL(page.left_to ?? assert.fail(page.text))
  assert.deepEqual(
    [searchParams.get('error'), searchParams.get('iss')],
    ['login_required', `${engine.api_url}/oauth`],
  )
})

test('6. The resource parameter binds the token: this server and the engine each accept only their own', async () => {
  assert.equal((await list(bearer(token))).status, 200)
  const as_engine = { authorization: `Bearer ${token}`, 'x-agent-did': undefined }
  const at_engine = await dispatch(
    engine,
    { protocol: 'MAX', operation: 'audit_query', input: {} },
    as_engine,
  )
  assert.deepEqual([at_engine.status, at_engine.body.error.reason], [401, 'token audience'])
  const whoami = await fetch(`${engine.api_url}/v1/whoami`, { headers: bearer(token) })
  assert.equal(whoami.status, 401)
  const keys = await fetch(`${engine.api_url}/v1/keys`, { headers: bearer(token) })
  assert.equal(keys.status, 401)
  const foreign = await list(bearer(await tokenFor({})))
  assert.equal(foreign.status, 401)
  assert.equal(challengeOf(foreign).error, 'invalid_token')
  assert.equal((await read(foreign)).error.data.reason, 'token audience')
})

test('7. A resource may differ in case and a trailing slash, anything else is refused, and none is exchanged for another', async () => {
  const upper = engine.mcp_url.replace('http://', 'HTTP://')
  for (const resource of [upper, `${engine.mcp_url}/`, engine.sse_url])
    assert.equal((await list(bearer(await tokenFor({ resource })))).status, 200, resource)
  const { origin } = new URL(engine.mcp_url)
  for (const resource of [
    'https://elsewhere.example/mcp',
    origin,
    `${engine.mcp_url}?x=1`,
    `${engine.mcp_url}/x`,
  ]) {
    const { url, browser } = await begin(engine, { resource })
    const { left_to } = await browser.get(url.href)
    assert.equal(
      new URL(left_to ?? assert.fail(resource)).searchParams.get('error'),
      'invalid_target',
      resource,
    )
  }
  const begun = await begin(engine, { resource: engine.mcp_url })
  const code = (await consent(begun, ann.login)).searchParams.get('code')!
  const exchange = (resource: string) =>
    fetch(`${engine.api_url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: callback,
        client_id: 'svc-cli',
        code_verifier: begun.verifier,
        resource,
      }),
    })
  const refused = await exchange(engine.api_url)
  assert.deepEqual([refused.status, (await read(refused)).error], [400, 'invalid_target'])
})

test('8. An invalid token is a 401: missing, garbled, changed, unsigned, revoked', async () => {
  const [head, body, signature] = token.split('.') as [string, string, string]
  const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
  const broken = [
    '',
    'x',
    `${head}.${body}.`,
    `${head}.${body}.${signature.slice(0, -4)}AAAA`,
    `${unsigned}.${body}.`,
    `${token}x`,
    'eyJ'.padEnd(5000, 'A'),
  ]
  for (const value of broken) {
    const answer = await list(bearer(value))
    assert.equal(answer.status, 401, value.slice(0, 20))
    assert.equal(challengeOf(answer).error, 'invalid_token')
  }
  assert.equal((await list({ authorization: `Basic ${token}` })).status, 401)
  const { client, tokens } = await signIn({ resource: engine.mcp_url })
  assert.equal((await list(bearer(tokens.access_token))).status, 200)
  await tokenRevocation(client, tokens.access_token)
  const revoked = await eventually(async () => {
    const answer = await list(bearer(tokens.access_token))
    assert.equal(answer.status, 401)
    return answer
  })
  assert.deepEqual([revoked.status, (await read(revoked)).error.data.reason], [401, 'token revoked'])
})

test('9. Authorization is in every request: an accepted connection is checked again', async (t) => {
  const client = await connect(engine.mcp_url, { headers: bearer(token) })
  t.after(() => client.close())
  assert.equal((await list({})).status, 401)
  assert.ok((await client.listTools()).tools.length > 1)
  await client.close()
})

test('10. A token in the address is not accepted, and neither is a cookie', async () => {
  assert.equal((await list({}, `${engine.mcp_url}?access_token=${token}`)).status, 401)
  const browser = formBrowser(engine.api_url)
  const page = await browser.get(`${engine.api_url}/oauth/sign-in`)
  await browser.submit(page, { login: ann.login, password, answer: 'sign-in' })
  const cookie = browser.cookieHeader()
  assert.match(cookie, /svc_session=/)
  const { csrf_token } = await read(fetch(`${engine.api_url}/v1/session`, { headers: { cookie } }))
  assert.equal((await list({ cookie, 'x-svc-csrf': csrf_token })).status, 401)
})

test('11. A token without the scope is a 403 that names it', async () => {
  const narrow = await tokenFor({ resource: engine.mcp_url, scope: 'openid' })
  const answer = await list(bearer(narrow))
  assert.equal(answer.status, 403)
  const { error, scope, resource_metadata } = challengeOf(answer)
  assert.deepEqual([error, scope], ['insufficient_scope', 'svc.call'])
  assert.ok(resource_metadata?.endsWith('/.well-known/oauth-protected-resource/mcp'))
})

test('12. No token of this server carries more than this server needs', async () => {
  const signed_in = await signIn({ resource: engine.mcp_url, scope: 'svc.call svc.keys' })
  assert.equal(signed_in.tokens.scope, 'svc.call')
  const claims = JSON.parse(Buffer.from(signed_in.tokens.access_token.split('.')[1]!, 'base64url').toString())
  assert.deepEqual([claims.aud, claims.scope], [engine.mcp_url, 'svc.call'])
})

test('13. Refresh tokens of public clients rotate, keep their audience, and reuse revokes them all', async () => {
  const { client, tokens } = await signIn({ resource: engine.mcp_url })
  const renewed = await refreshTokenGrant(client, tokens.refresh_token!)
  assert.notEqual(renewed.refresh_token, tokens.refresh_token)
  assert.equal((await list(bearer(renewed.access_token))).status, 200)
  await assert.rejects(refreshTokenGrant(client, tokens.refresh_token!))
  assert.equal((await list(bearer(renewed.access_token))).status, 401)
  const other = await signIn({ resource: engine.mcp_url })
  await assert.rejects(
    refreshTokenGrant(other.client, other.tokens.refresh_token!, { resource: engine.api_url }),
  )
})

test('14. Redirect addresses are https or local, registered before, and compared exactly', async () => {
  const register = (redirect_uris: string[]) =>
    fetch(`${engine.api_url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris, client_name: 'A client' }),
    })
  for (const uri of ['http://elsewhere.example/cb', 'javascript:alert(1)', 'https://a.example/cb#x'])
    assert.equal((await register([uri])).status, 400, uri)
  const { client_id } = await read(register(['https://a.example/cb']))
  for (const redirect_uri of ['https://a.example/cb/', 'https://a.example/other', 'https://b.example/cb']) {
    const { url, browser } = await begin(engine, { redirect_uri, resource: engine.mcp_url }, client_id)
    const page = await browser.get(url.href)
    assert.deepEqual([page.status, page.left_to], [400, undefined], redirect_uri)
  }
})

test('15. A malformed authorization request is a 400 without a redirect', async () => {
  const browser = formBrowser(engine.api_url)
  const page = await browser.get(`${engine.api_url}/oauth/auth?client_id=nobody`)
  assert.deepEqual([page.status, page.left_to], [400, undefined])
})

test('16. Every registered client needs its own consent, which shows where the answer goes', async () => {
  const answer = await fetch(`${engine.api_url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: ['https://a.example/cb'], client_name: 'Second' }),
  })
  const { client_id } = await read(answer)
  const first = await begin(engine, { resource: engine.mcp_url })
  await redeem(first, await consent(first, ann.login))
  const more = { resource: engine.mcp_url, redirect_uri: 'https://a.example/cb' }
  const second = await begin(engine, more, client_id, first.browser)
  const page = await second.browser.get(second.url.href)
  assert.match(page.text, /value="allow"/)
  assert.match(page.text, /a\.example/)
})

for (const transport of ['mcp', 'sse'] as const) {
  for (const era of ['legacy', 'modern'] as const) {
    if (transport === 'sse' && era === 'modern') continue
    test(`17. The official client, when refused, discovers the authorization server: ${transport}, ${era}`, async (t) => {
      const url = transport === 'mcp' ? engine.mcp_url : engine.sse_url
      const provider = rememberingProvider()
      const first = transportTo(url, { provider })
      await assert.rejects(newClient(era).connect(first), UnauthorizedError)
      assert.equal(provider.url?.searchParams.get('resource'), url)
      assert.equal(provider.url?.searchParams.get('scope'), 'svc.call')
      await first.finishAuth(await sayYes(engine, provider.url!, ann.login))
      const client = await connect(url, { provider, era })
      t.after(() => client.close())
      const { tools } = await client.listTools()
      assert.ok(tools.some(({ name }) => name === 'svc.max.audit_query'))
      const result = await client.callTool({
        name: 'svc.max.audit_log_entry',
        arguments: { event_type: 'custom.hello', meta: {} },
      })
      assert.notEqual(result.isError, true, JSON.stringify(result.content))
      const { correlation_id } = result._meta as { correlation_id: string }
      const [record] = await engine.records(ann.tenant_id, { correlation_ids: [correlation_id] })
      assert.deepEqual([record?.caller_did, record?.meta.origin], [ann.did, 'mcp'])
      await client.close()
    })
  }
}

test('18. Refusals are in the audit log with the origin MCP and without credentials', async () => {
  const before = (await engine.records(engine.tenant_id)).length
  const wrong = { ...keyOf(engine), 'x-agent-did': ann.did }
  const answer = await list(wrong)
  assert.equal(answer.status, 401)
  const { data } = (await read(answer)).error
  const records = await engine.records(engine.tenant_id, { correlation_ids: [data.correlation_id] })
  const [record, ...more] = records
  assert.deepEqual(more, [])
  const { claimed_did } = (record?.meta.supplied ?? {}) as { claimed_did?: string }
  assert.deepEqual(
    [record?.event_type, record?.meta.reason, record?.meta.origin, claimed_did],
    ['SecurityViolation', 'agent did mismatch', 'mcp', ann.did],
  )
  const all = await engine.records(engine.tenant_id)
  assert.equal(all.length, before + 1)
  assert.ok(!JSON.stringify(all).includes(engine.api_key.slice(-43)))
})

test('19. An API key alone is enough, because it is bound to one DID', async () => {
  assert.equal((await list(keyOf(engine))).status, 200)
  assert.equal((await list({ ...keyOf(engine), 'x-agent-did': engine.agent_did })).status, 200)
})
