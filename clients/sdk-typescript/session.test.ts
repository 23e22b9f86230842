import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { createClient } from './client.ts'
import { SvcError } from './errors.ts'

const private_key = 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc'
const later = '2999-01-01T00:00:00.000Z'
const proof_steps = ['auth_negotiation', 'generate_challenge', 'verify_response']

interface Sent {
  readonly operation: string
  readonly headers: Headers
  readonly body: string
}

interface Script {
  readonly expires_at?: string
  readonly signing_input?: string
  /** Of calls that are no proof: by their number and token. */
  answer?(nth: number, token: string | null): Response
}

const ok = (output: unknown) => Response.json({ output, metadata: { correlation_id: 'c' } })
const refused = (reason: string, details = {}) =>
  Response.json({ error: { code: 'unauthenticated', message: 'no', reason, details } }, { status: 401 })

/** A service that numbers its tokens, and a client of it with a key of its own. */
function scripted({ expires_at = later, signing_input, answer = () => ok({}) }: Script = {}) {
  const requests: Sent[] = []
  const count = (operation: string) => requests.filter((sent) => sent.operation === operation).length
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const body = String(init?.body ?? '')
    const operation = body === '' ? 'whoami' : JSON.parse(body).operation
    const headers = new Headers(init?.headers)
    requests.push({ operation, headers, body })
    if (operation === 'auth_negotiation') return ok({ session_id: `s${count(operation)}` })
    if (operation === 'generate_challenge')
      return ok({ challenge_id: 'c', signing_input: signing_input ?? 'svc-macs-challenge-v1\n{}' })
    if (operation === 'verify_response')
      return ok({ session_token: `t${count(operation)}`, token_expires_at: expires_at })
    const calls = requests.filter((sent) => !proof_steps.includes(sent.operation)).length
    return answer(calls, headers.get('authorization'))
  }
  const settings = { apiUrl: 'https://svc.example', agentDid: 'did:oas:dev:agent:1', tenantId: 'other' }
  return { requests, count, client: createClient({ ...settings, privateKey: private_key, fetch }) }
}

const entry = { event_type: 'custom.hello', meta: {} }

function claimsOf({ headers }: Sent): Record<string, unknown> {
  const [header = '', claims = '', signature = ''] = headers.get('dpop')!.split('.')
  const { jwk } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  assert.ok(verify(null, Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url')))
  return JSON.parse(Buffer.from(claims, 'base64url').toString())
}

test('concurrent requests share one proof, and each is signed for its address, token and body', async () => {
  const { client, requests } = scripted()
  await Promise.all([client.max.audit_log_entry(entry), client.max.audit_log_entry(entry)])
  assert.deepEqual(
    requests.map(({ operation }) => operation),
    [...proof_steps, 'audit_log_entry', 'audit_log_entry'],
  )
  for (const [nth, sent] of requests.entries()) {
    const claims = claimsOf(sent)
    assert.deepEqual([claims.htm, claims.htu], ['POST', 'https://svc.example/v1/dispatch'])
    assert.equal(claims.body_sha256, createHash('sha256').update(sent.body).digest('hex'))
    assert.equal(sent.headers.get('authorization'), nth < 3 ? null : 'DPoP t1')
    assert.equal(typeof claims.ath, nth < 3 ? 'undefined' : 'string')
    assert.equal(JSON.parse(sent.body).tenant_id, nth < 3 ? 'dev' : 'other')
  }
  assert.equal(new Set(requests.map((sent) => claimsOf(sent).jti)).size, 5)
})

test('a session near its end is renewed within it', async () => {
  const { client, requests, count } = scripted({ expires_at: '2020-01-01T00:00:00.000Z' })
  await client.max.audit_log_entry(entry)
  await Promise.all([client.max.audit_log_entry(entry), client.max.audit_log_entry(entry)])
  assert.deepEqual([count('auth_negotiation'), count('verify_response')], [1, 2])
  assert.equal(requests[4]!.headers.get('authorization'), 'DPoP t1')
  assert.equal(requests.at(-1)!.headers.get('authorization'), 'DPoP t2')
})

test('after a session was ended, all who were refused share one more proof, and nobody tries a third time', async () => {
  for (const reason of ['session expired', 'session revoked', 'unknown key']) {
    const answer = (_: number, token: string | null) => (token === 'DPoP t1' ? refused(reason) : ok({}))
    const { client, count } = scripted({ answer })
    await Promise.all(Array.from({ length: 5 }, () => client.max.audit_log_entry(entry)))
    assert.deepEqual([count('verify_response'), count('audit_log_entry')], [2, 10], reason)
    const always = scripted({ answer: () => refused(reason) })
    await assert.rejects(always.client.max.audit_log_entry(entry), { reason })
    assert.equal(always.count('audit_log_entry'), 2)
  }
  const final = scripted({ answer: () => refused('key revoked') })
  await assert.rejects(final.client.max.audit_log_entry(entry), { reason: 'key revoked' })
  assert.equal(final.count('audit_log_entry'), 1)
})

test('it follows the clock of the service, if that tells its time', async () => {
  const answer = (nth: number) =>
    nth === 1 ? refused('proof out of time', { now: '2040-01-02T00:00:00.000Z' }) : ok({})
  const { client, requests, count } = scripted({ answer })
  await client.max.audit_log_entry(entry)
  const issued_s = Number(claimsOf(requests.at(-1)!).iat)
  assert.ok(issued_s >= 2_209_075_200 && issued_s < 2_209_075_260, String(issued_s))
  assert.equal(count('verify_response'), 1)
  const timeless = scripted({ answer: () => refused('proof out of time') })
  await assert.rejects(timeless.client.max.audit_log_entry(entry), { reason: 'proof out of time' })
})

test('an engine that wants something else signed gets no signature', async () => {
  const { client, requests } = scripted({ signing_input: 'svc-treaty-v1\n{}' })
  await assert.rejects(
    client.max.audit_log_entry(entry),
    (error) => error instanceof SvcError && error.code === 'bad_answer',
  )
  assert.deepEqual(
    requests.map(({ operation }) => operation),
    ['auth_negotiation', 'generate_challenge'],
  )
})
