// A self-registered client cannot deceive by its name or its redirect URIs, nor use us as an open redirector.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'

const good = 'https://app.example/callback'
let engine: InProcessService

before(async () => {
  engine = await startInProcess({ config: { master_key: randomBytes(32) } })
})
after(() => engine?.stop())

const register = (metadata: object) =>
  fetch(`${engine.api_url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [good], ...metadata }),
  })

for (const uri of [
  'https://app.example/call\r\nback',
  'https://app.example/\tcallback',
  'https://user@app.example/callback',
  'https://user:word@app.example/callback',
  'https://app.example\\@evil.example/callback',
  'https://app.example/call back',
]) {
  test(`no client can have the redirect URI ${JSON.stringify(uri)}`, async () => {
    const answer = await register({ redirect_uris: [good, uri] })
    const { error } = (await answer.json()) as { error: string }
    assert.deepEqual([answer.status, error], [400, 'invalid_redirect_uri'])
  })
}

for (const name of ['Bank\u202eknab', 'A\u200bB', 'A\u0007B', 'A\u2028B', '\u2066A', 'A\nB'])
  test(`no client can be called ${JSON.stringify(name)}`, async () => {
    const answer = await register({ client_name: name })
    const { error } = (await answer.json()) as { error: string }
    assert.deepEqual([answer.status, error], [400, 'invalid_client_metadata'])
  })

test('a name in any script is accepted', async () => {
  for (const client_name of ['Čeština', '日本語', 'עברית', 'A-B (c) & d']) {
    const answer = await register({ client_name })
    assert.equal(answer.status, 201, client_name)
  }
})

for (const [what, wrong] of Object.entries<Record<string, string>>({
  'an unknown response type': { response_type: 'bogus' },
  'a token as the response type': { response_type: 'token' },
  'prompt=none': { prompt: 'none' },
  'an error in the fragment': { response_type: 'bogus', response_mode: 'fragment' },
  'a form that posts itself': { prompt: 'none', response_mode: 'form_post' },
  'an unknown scope of ours': { scope: 'svc:everything' },
  'no challenge': { code_challenge: '' },
}))
  test(`${what} redirects nobody to a client's address: no person has consented yet`, async () => {
    const { client_id } = (await (await register({})).json()) as { client_id: string }
    const query = new URLSearchParams({
      client_id,
      redirect_uri: good,
      response_type: 'code',
      scope: 'openid',
      state: 's',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      ...wrong,
    })
    const answer = await fetch(`${engine.api_url}/oauth/auth?${query}`, { redirect: 'manual' })
    const location = answer.headers.get('location') ?? ''
    assert.ok(!location.includes('app.example'), location)
    assert.ok(!(await answer.text()).includes('app.example'))
    assert.ok(answer.status >= 400 || location.includes('/oauth/interaction/'), String(answer.status))
  })
