// A whole login with full logging; then every secret of it is searched for everywhere.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { refreshTokenGrant, tokenRevocation } from 'openid-client'
import { storeAt } from '../../rehearsal/test-store.ts'
import { addPersonTo, begin, consent, password, redeem } from '../../scenes/login-journey.ts'
import { type AttackedEngine, goodCall, openAttackedEngine } from '../attacked-engine.ts'

const wrong_password = 'a wrong password with a canary 8d1f'
const secrets: Record<string, string> = { 'the password': password, 'a wrong password': wrong_password }
const answers: string[] = []

let target: AttackedEngine

before(async () => {
  target = await openAttackedEngine({ env: { SVC_LOG: 'trace' } })
  const store = await storeAt(target.db_url, { app_pool_max: 1, engine_pool_max: 1 })
  const { login } = await addPersonTo(store.engine, 'ann@example.org', 'acme')
  await store.close()
  await journey(login)
})
after(() => target?.stop())

async function journey(login: string): Promise<void> {
  const { acme } = target
  const begun = await begin(acme)
  const page = await begun.browser.get(begun.url.href)
  answers.push(
    (await begun.browser.submit(page, { login, password: wrong_password, answer: 'sign-in' })).text,
  )
  const callback = await consent(begun, login)
  const tokens = await redeem(begun, callback)
  const headers = { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' }
  const made = await fetch(`${acme.api_url}/v1/keys`, { method: 'POST', headers, body: '{"label":"laptop"}' })
  const { api_key } = (await made.json()) as { api_key: string }
  const fresh = await refreshTokenGrant(begun.client, tokens.refresh_token!)
  Object.assign(secrets, {
    'the code': callback.searchParams.get('code'),
    'the verifier': begun.verifier,
    'the refresh token': tokens.refresh_token,
    'the next refresh token': fresh.refresh_token,
    'the access token': tokens.access_token.split('.')[2],
    'the API key': api_key.slice(-43),
    'the session cookie': begun.browser.cookies().get('svc_session'),
    'the form cookie': begun.browser.cookies().get('svc_form'),
    'the OAuth cookie': begun.browser.cookies().get('svc_oauth'),
  })
  await misuse(begun.verifier)
  await tokenRevocation(begun.client, fresh.refresh_token!)
}

/** Every secret in a wrong place: refusals must not repeat it. */
async function misuse(verifier: string): Promise<void> {
  const { api_url } = target.acme
  const {
    'the code': code = '',
    'the refresh token': refresh = '',
    'the session cookie': cookie = '',
  } = secrets
  const post = (path: string, fields: Record<string, string>) =>
    fetch(api_url + path, { method: 'POST', body: new URLSearchParams(fields) })
  const redirect_uri = 'http://127.0.0.1:8600/callback'
  const client_id = 'svc-cli'
  const tried = [
    post('/oauth/token', {
      grant_type: 'authorization_code',
      client_id,
      code,
      redirect_uri,
      code_verifier: verifier,
    }),
    post('/oauth/token', { grant_type: 'authorization_code', client_id, code: refresh, redirect_uri }),
    post('/oauth/token', { grant_type: code, client_id: refresh }),
    post('/oauth/revoke', { token: code, client_id }),
    post('/oauth/sign-in', { login: password, password, form_token: cookie }),
    fetch(`${api_url}/oauth/auth?client_id=${refresh}&redirect_uri=${code}&state=${cookie}`),
    fetch(`${api_url}/oauth/interaction/${code}`),
    fetch(`${api_url}/v1/session`, { headers: { cookie: `svc_session=${cookie}x` } }),
    fetch(`${api_url}/v1/keys/${code}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${refresh}` },
    }),
    fetch(`${api_url}/oauth/upstream/callback?code=${code}&state=${refresh}`),
  ]
  for (const answer of await Promise.all(tried)) answers.push(await answer.text())
}

function assertNowhere(where: string, text: string): void {
  for (const [what, secret] of Object.entries(secrets)) {
    assert.ok(secret && secret.length > 20, what)
    const bytes = Buffer.from(secret)
    for (const form of [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, '')])
      assert.ok(!text.includes(form), `${what} is in ${where}`)
  }
}

test('no secret of a login is in the log, the metrics or any answer', async () => {
  assert.equal(Object.keys(secrets).length, 11)
  assertNowhere('the log', target.logs())
  assertNowhere('the metrics', await target.metrics())
  for (const answer of answers.filter((text) => !text.includes('There is no ')))
    assertNowhere('an answer', answer)
})

test('no secret of a login is in any audit log', async () => {
  const last = await goodCall(target.acme)
  const audit_logs = await Promise.all(['acme', 'operator'].map((tenant) => target.records(tenant, last)))
  assert.ok(audit_logs.flat().some(({ meta }) => meta.gate === 'sign-in'))
  assertNowhere('an audit log', JSON.stringify(audit_logs))
})

test('no secret of a login is in any table, only hashes and sealed values', async () => {
  const tables = await target.tables()
  assert.ok(tables.get('oauth_payloads'))
  for (const [name, rows] of tables) assertNowhere(`the table ${name}`, rows)
})
