// Attacks on the login, each as a test: stolen codes, changed addresses, foreign tokens, guessed passwords,
// leaked secrets.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, mock, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { generateKeyPair, SignJWT } from 'jose'
import { refreshTokenGrant } from 'openid-client'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { formBrowser } from '../../neighbours/form-browser.ts'
import {
  addPerson,
  allowed,
  begin,
  consent,
  password,
  redeem,
  redirect_uri,
  type Someone,
  signIn,
} from '../../scenes/login-journey.ts'
import { eventually } from '../../suite/eventually.ts'
import { exchange } from '../input/raw-http.ts'

const hello = {
  protocol: 'MAX',
  operation: 'audit_log_entry',
  input: { event_type: 'custom.hello', meta: {} },
}

let engine: InProcessService
let ann: Someone

before(async () => {
  engine = await startInProcess({ config: { master_key: randomBytes(32) } })
  ann = await addPerson(engine, 'ann@example.org')
})
after(() => engine?.stop())

function token(fields: Record<string, string>) {
  const body = new URLSearchParams({ client_id: 'svc-cli', ...fields })
  return fetch(`${engine.api_url}/oauth/token`, { method: 'POST', body })
}

function exchangeCode(code: string, code_verifier: string | undefined, more: Record<string, string> = {}) {
  const verifier: Record<string, string> = code_verifier === undefined ? {} : { code_verifier }
  return token({ grant_type: 'authorization_code', redirect_uri, code, ...verifier, ...more })
}

async function errorOf(answer: Promise<Response>): Promise<string> {
  const response = await answer
  const { error } = (await response.json()) as { error: string }
  assert.equal(response.status, 400, error)
  return error
}

function callWith(access_token: string) {
  const headers = { authorization: `Bearer ${access_token}`, 'x-agent-did': undefined }
  return dispatch({ ...engine, tenant_id: ann.tenant_id }, hello, headers)
}

/** Where a browser without a session ends up from this address. */
async function open(url: URL) {
  return formBrowser(engine.api_url).get(url.href)
}

test('a code is useless without its verifier, with a wrong one, and with that of another request', async () => {
  const [mine, other] = [await begin(engine), await begin(engine)]
  for (const verifier of [undefined, '', 'x'.repeat(43), other.verifier]) {
    const code = (await consent(mine, ann.login)).searchParams.get('code')!
    const error = await errorOf(exchangeCode(code, verifier))
    assert.ok(['invalid_grant', 'invalid_request'].includes(error), error)
  }
})

test('a request without a challenge, or with a plain one or an unknown method, starts nothing', async () => {
  const good = (await begin(engine)).url
  const changed = (change: (query: URLSearchParams) => void) => {
    const url = new URL(good)
    change(url.searchParams)
    return url
  }
  const attacks = [
    changed((query) => query.delete('code_challenge')),
    changed((query) => query.set('code_challenge_method', 'plain')),
    changed((query) => query.delete('code_challenge_method')),
    changed((query) => query.set('code_challenge', 'short')),
    changed((query) => query.set('response_type', 'token')),
    changed((query) => query.set('response_type', 'code id_token')),
    changed((query) => query.append('code_challenge', 'x'.repeat(43))),
    changed((query) => query.set('request_uri', 'https://evil.example/request')),
    changed((query) => query.set('resource', 'https://other.example')),
  ]
  for (const url of attacks) {
    const page = await open(url)
    const refused = page.left_to ? /[?&#]error=[a-z_]+/.test(page.left_to) : page.status === 400
    assert.ok(refused, `${url.search}: ${page.status} ${page.left_to}`)
  }
})

test('a redirect URI that differs by one byte gets nothing, not even an error', async () => {
  const good = (await begin(engine)).url
  const attacks = [
    'http://localhost:8600/callback',
    'http://127.0.0.1:8600/callback/',
    'http://127.0.0.1:8600/Callback',
    'http://127.0.0.1:8600/callback?x=1',
    'http://127.0.0.1:8600/callback#x',
    'https://127.0.0.1:8600/callback',
    'http://127.0.0.2:8600/callback',
    'http://127.0.0.1.evil.example:8600/callback',
    'http://user@127.0.0.1:8600/callback',
    'http://evil.example/callback',
    'http://[::1]:8600/callback',
    'javascript:alert(1)',
    '',
  ]
  for (const attack of attacks) {
    const url = new URL(good)
    url.searchParams.set('redirect_uri', attack)
    const page = await open(url)
    assert.deepEqual([page.status, page.left_to], [400, undefined], attack)
    assert.match(page.text, /role="alert"/)
  }
  const other_port = new URL(good)
  other_port.searchParams.set('redirect_uri', 'http://127.0.0.1:49152/callback')
  assert.match(
    (await open(other_port)).text,
    /name="password"/,
    'RFC 8252: a native client takes any free port',
  )
})

test('the redirect URI is compared again when the code is redeemed', async () => {
  const begun = await begin(engine)
  const code = (await consent(begun, ann.login)).searchParams.get('code')!
  const elsewhere = { redirect_uri: 'http://127.0.0.1:49152/callback' }
  assert.equal(await errorOf(exchangeCode(code, begun.verifier, elsewhere)), 'invalid_grant')
})

test('a code used twice revokes what the first use was given', async () => {
  const { code, verifier, tokens, client } = await signIn(engine, ann.login)
  assert.equal((await callWith(tokens.access_token)).status, 200)
  assert.equal(await errorOf(exchangeCode(code, verifier)), 'invalid_grant')
  await eventually(async () => assert.equal((await callWith(tokens.access_token)).status, 401))
  await assert.rejects(refreshTokenGrant(client, tokens.refresh_token!), { error: 'invalid_grant' })
})

test('of many concurrent redemptions of one code at most one gets tokens, and they are revoked', async () => {
  for (let round = 0; round < 3; round++) {
    const begun = await begin(engine)
    const code = (await consent(begun, ann.login)).searchParams.get('code')!
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchangeCode(code, begun.verifier)))
    const won = answers.filter(({ status }) => status === 200)
    assert.ok(won.length <= 1, `${won.length} of 8`)
    assert.ok(answers.every(({ status }) => status === 200 || status === 400))
    for (const answer of won) await assertDead((await answer.json()) as Issued)
  }
})

interface Issued {
  readonly access_token: string
  readonly refresh_token: string
}

async function assertDead(issued: Issued) {
  await eventually(async () => assert.equal((await callWith(issued.access_token)).status, 401))
  const { refresh_token } = issued
  assert.equal(await errorOf(token({ grant_type: 'refresh_token', refresh_token })), 'invalid_grant')
}

test('a refresh token used twice revokes its whole family, also concurrently', async () => {
  const { client, tokens } = await signIn(engine, ann.login)
  const second = await refreshTokenGrant(client, tokens.refresh_token!)
  await assert.rejects(refreshTokenGrant(client, tokens.refresh_token!), { error: 'invalid_grant' })
  await assertDead(second as Issued)

  const { tokens: raced } = await signIn(engine, ann.login)
  const refresh = { grant_type: 'refresh_token', refresh_token: raced.refresh_token! }
  const answers = await Promise.all(Array.from({ length: 8 }, () => token(refresh)))
  const won = answers.filter(({ status }) => status === 200)
  assert.ok(won.length <= 1, `${won.length} of 8`)
  for (const answer of won) await assertDead((await answer.json()) as Issued)
})

test('a code is valid for a minute and an access token for a quarter of an hour', async () => {
  const begun = await begin(engine)
  const code = (await consent(begun, ann.login)).searchParams.get('code')!
  const { tokens } = await signIn(engine, ann.login)
  const now = system_clock.now_ms()
  mock.timers.enable({ apis: ['Date'], now: now + 61_000 })
  try {
    assert.equal(await errorOf(exchangeCode(code, begun.verifier)), 'invalid_grant')
    assert.equal((await callWith(tokens.access_token)).status, 200)
    mock.timers.setTime(now + 901_000)
    const refused = await callWith(tokens.access_token)
    assert.deepEqual([refused.status, refused.body.error.reason], [401, 'token expired'])
  } finally {
    mock.timers.reset()
  }
})

test('the client detects a changed state and an answer of another issuer', async () => {
  const begun = await begin(engine)
  const callback = await consent(begun, ann.login)
  assert.equal(callback.searchParams.get('iss'), `${engine.api_url}/oauth`)
  for (const change of [
    (query: URLSearchParams) => query.delete('state'),
    (query: URLSearchParams) => query.set('state', 'x'),
    (query: URLSearchParams) => query.set('iss', 'https://evil.example'),
    (query: URLSearchParams) => query.delete('iss'),
  ]) {
    const forged = new URL(callback)
    change(forged.searchParams)
    await assert.rejects(redeem(begun, forged))
  }
  await redeem(begun, callback)
})

test('a token of another client, issuer, audience, type, key or algorithm gives no access', async () => {
  const { tokens } = await signIn(engine, ann.login)
  const [header = '', payload = '', signature = ''] = tokens.access_token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const { privateKey } = await generateKeyPair('EdDSA')
  const forge = (more: object, fields: object = {}) =>
    new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid, ...fields })
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forged = [
    await forge({}).sign(privateKey),
    await forge({}, { kid: 'unknown' }).sign(privateKey),
    `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${payload}.`,
    `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${payload}.${signature}`,
    `${header}.${encode({ ...claims, tenant_id: 'operator' })}.${signature}`,
    `${header}.${encode({ ...claims, exp: claims.exp + 9999 })}.${signature}`,
    `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    `${tokens.access_token}x`,
    `${header}.${payload}`,
    `eyJ${'A'.repeat(9000)}`,
    tokens.refresh_token!,
  ]
  for (const attempt of forged) assert.equal((await callWith(attempt)).status, 401, attempt.slice(0, 80))
  assert.equal((await callWith(tokens.access_token)).status, 200)
})

test('a token of another engine, with its own key and audience, is refused for its audience or issuer', async () => {
  const other = await startInProcess({ config: { master_key: randomBytes(32) } })
  try {
    await addPerson(other, 'ann@example.org')
    const { tokens } = await signIn(other, 'ann@example.org')
    const refused = await callWith(tokens.access_token)
    assert.equal(refused.status, 401)
    assert.match(refused.body.error.reason, /^token /)
  } finally {
    await other.stop()
  }
})

test('a token with a narrower scope allows less', async () => {
  const { tokens } = await signIn(engine, ann.login, { scope: 'svc.keys' })
  const refused = await callWith(tokens.access_token)
  assert.deepEqual([refused.status, refused.body.error.reason], [403, 'token scope'])
  const narrow = await signIn(engine, ann.login, { scope: 'svc.call' })
  const headers = { authorization: `Bearer ${narrow.tokens.access_token}` }
  assert.equal((await fetch(`${engine.api_url}/v1/keys`, { headers })).status, 403)
})

test('published addresses are ours, whatever Host was sent', async () => {
  const request = (path: string) =>
    Buffer.from(
      `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n`,
    )
  const paths = ['/oauth/.well-known/openid-configuration', `/oauth/auth${(await begin(engine)).url.search}`]
  for (const path of paths) {
    const { answers } = await exchange(engine.service.port, request(path))
    assert.ok(answers[0] && answers[0].status < 400, path)
    assert.ok(!JSON.stringify(answers).includes('evil.example'), path)
  }
})

test("a form needs its own page's token, cookie and origin", async () => {
  const begun = await begin(engine)
  const page = await begun.browser.get(begun.url.href)
  const other = formBrowser(engine.api_url)
  const fields = { login: ann.login, password, answer: 'sign-in' }
  const attacks = [
    () => begun.browser.submit(page, { ...fields, form_token: '' }),
    () => begun.browser.submit(page, { ...fields, form_token: 'x'.repeat(43) }),
    () => begun.browser.submit(page, fields, { origin: 'https://evil.example' }),
    () => begun.browser.submit(page, fields, { origin: 'null' }),
    () => begun.browser.submit(page, fields, { 'sec-fetch-site': 'cross-site' }),
    () => other.submit(page, fields),
  ]
  for (const attack of attacks) {
    const refused = await attack()
    assert.ok(refused.status >= 400, refused.text)
    assert.equal(begun.browser.cookies().has('svc_session'), false)
  }
  const consented = await begun.browser.submit(page, fields)
  allowed(await begun.browser.submit(consented, { answer: 'allow' }))
})

test('pages cannot be framed, cached or scripted, and cookies cannot be read', async () => {
  const begun = await begin(engine)
  const first = await begun.browser.get(begun.url.href)
  const second = await begun.browser.submit(first, { login: ann.login, password, answer: 'sign-in' })
  for (const { headers, text } of [first, second]) {
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|script-src|\*/)
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.doesNotMatch(text, /<script/)
  }
  // The person's name contains markup: it is escaped.
  assert.match(second.text, /ann@example\.org &#60;b&#62;/)
  for (const line of begun.browser.set_cookies) assert.match(line, /httponly.*|samesite=lax/i)
})

test('a denial is reported to the client, and nothing is granted', async () => {
  const begun = await begin(engine)
  const page = await begun.browser.get(begun.url.href)
  const consented = await begun.browser.submit(page, { login: ann.login, password, answer: 'sign-in' })
  const callback = allowed(await begun.browser.submit(consented, { answer: 'cancel' }))
  assert.equal(callback.searchParams.get('error'), 'access_denied')
  assert.equal(callback.searchParams.has('code'), false)
})
